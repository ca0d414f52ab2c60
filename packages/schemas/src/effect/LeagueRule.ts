/** A rule of a league (§2, LeagueRule). */
import * as Plain from "../plain/generated/LeagueRule.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  id: /*#__PURE__*/ wire.describe(wire.string, "e.g. `Hardcore`, `NoParties`"),
  name: wire.string,
  description: /*#__PURE__*/ wire.nullish(wire.string),
};

/** A rule of a league. */
export type LeagueRule = Plain.LeagueRule;
export const LeagueRule: wire.RecordSchema<LeagueRule, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.LeagueRule,
  "A rule of a league",
  fields,
);
