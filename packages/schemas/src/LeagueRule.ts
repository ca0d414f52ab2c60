/** A rule of a league (§2, LeagueRule). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/LeagueRule.ts";
import { maybe, note, record, string, type RecordSchema } from "./internal/wire.ts";

const fields = {
  id: /*#__PURE__*/ note(string, "e.g. `Hardcore`, `NoParties`"),
  name: string,
  description: /*#__PURE__*/ maybe(string),
};

/** A rule of a league. */
export interface LeagueRule extends Schema.Struct.Type<typeof fields> {}
/** A rule of a league. */
export const LeagueRule: RecordSchema<LeagueRule, typeof fields> =
  /*#__PURE__*/ record<LeagueRule>()("LeagueRule", "A rule of a league", fields, check);
