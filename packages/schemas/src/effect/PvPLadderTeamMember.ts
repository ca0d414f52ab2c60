/** A member of a team on a PvP ladder (§2, PvPLadderTeamMember). */
import { Account } from "./Account.ts";
import * as Plain from "../plain/generated/PvPLadderTeamMember.ts";
import {
  alwaysTrue,
  formattedString,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  account: Account,
  character: /*#__PURE__*/ openStruct({
    id: /*#__PURE__*/ describe(
      /*#__PURE__*/ formattedString("hex-64"),
      "unique 64-digit hexadecimal string",
    ),
    name: string,
    level: uint,
    class: string,
    league: /*#__PURE__*/ nullish(string),
    score: /*#__PURE__*/ nullish(uint, "count of objective completions"),
  }),
  public: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
};

/** A member of a team on a PvP ladder. */
export type PvPLadderTeamMember = Plain.PvPLadderTeamMember;
/** A member of a team on a PvP ladder. */
export const PvPLadderTeamMember: RecordSchema<PvPLadderTeamMember, typeof fields> =
  /*#__PURE__*/ record<PvPLadderTeamMember>()(
    Plain.PvPLadderTeamMember,
    "A member of a team on a PvP ladder",
    fields,
  );
