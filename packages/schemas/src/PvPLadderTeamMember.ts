/** A member of a team on a PvP ladder (§2, PvPLadderTeamMember). */
import type * as Schema from "effect/Schema";
import { Account } from "./Account.ts";
import { check } from "./internal/generated/PvPLadderTeamMember.ts";
import {
  flag,
  formatted,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
} from "./internal/wire.ts";

const fields = {
  account: Account,
  character: /*#__PURE__*/ open({
    id: /*#__PURE__*/ note(/*#__PURE__*/ formatted("hex-64"), "unique 64-digit hexadecimal string"),
    name: string,
    level: uint,
    class: string,
    league: /*#__PURE__*/ maybe(string),
    score: /*#__PURE__*/ maybe(uint, "count of objective completions"),
  }),
  public: /*#__PURE__*/ maybe(flag, "always true if present"),
};

/** A member of a team on a PvP ladder. */
export interface PvPLadderTeamMember extends Schema.Struct.Type<typeof fields> {}
/** A member of a team on a PvP ladder. */
export const PvPLadderTeamMember: RecordSchema<PvPLadderTeamMember, typeof fields> =
  /*#__PURE__*/ record<PvPLadderTeamMember>()(
    "PvPLadderTeamMember",
    "A member of a team on a PvP ladder",
    fields,
    check,
  );
