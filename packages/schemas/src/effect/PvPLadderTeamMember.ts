/** A member of a team on a PvP ladder (§2, PvPLadderTeamMember). */
import { Account } from "./Account.ts";
import * as Plain from "../plain/generated/PvPLadderTeamMember.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  account: Account,
  character: /*#__PURE__*/ wire.openStruct({
    id: /*#__PURE__*/ wire.describe(
      /*#__PURE__*/ wire.formattedString("hex-64"),
      "unique 64-digit hexadecimal string",
    ),
    name: wire.string,
    level: wire.uint,
    class: wire.string,
    league: /*#__PURE__*/ wire.nullish(wire.string),
    score: /*#__PURE__*/ wire.nullish(wire.uint, "count of objective completions"),
  }),
  public: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
};

/** A member of a team on a PvP ladder. */
export type PvPLadderTeamMember = Plain.PvPLadderTeamMember;
export const PvPLadderTeamMember: wire.RecordSchema<PvPLadderTeamMember, typeof fields> =
  /*#__PURE__*/ wire.record(
    Plain.PvPLadderTeamMember,
    "A member of a team on a PvP ladder",
    fields,
  );
