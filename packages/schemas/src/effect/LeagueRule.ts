/** A rule of a league (§2, LeagueRule). */
import * as Plain from "../plain/generated/LeagueRule.ts";
import { nullish, describe, record, string, type RecordSchema } from "../internal/wire.ts";

const fields = {
  id: /*#__PURE__*/ describe(string, "e.g. `Hardcore`, `NoParties`"),
  name: string,
  description: /*#__PURE__*/ nullish(string),
};

/** A rule of a league. */
export type LeagueRule = Plain.LeagueRule;
/** A rule of a league. */
export const LeagueRule: RecordSchema<LeagueRule, typeof fields> =
  /*#__PURE__*/ record<LeagueRule>()(Plain.LeagueRule, "A rule of a league", fields);
