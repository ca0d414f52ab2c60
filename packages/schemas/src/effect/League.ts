/**
 * A league (§2, League). Only `id` is required; dates are date-time strings, `endAt` is null for a
 * permanent league.
 */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/League.ts";
import * as wire from "../internal/wire.ts";
import { LeagueRule } from "./LeagueRule.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: wire.string,
  realm: /*#__PURE__*/ wire.nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  name: /*#__PURE__*/ wire.nullish(wire.string),
  description: /*#__PURE__*/ wire.nullish(wire.string),
  category: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      id: /*#__PURE__*/ wire.requiredButOmitted(wire.string, "league category"),
      current: /*#__PURE__*/ wire.nullish(
        wire.alwaysTrue,
        "set for active challenge leagues; always true if present",
      ),
    }),
  ),
  rules: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(LeagueRule)),
  registerAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  event: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  goal: /*#__PURE__*/ wire.nullish(wire.string),
  url: /*#__PURE__*/ wire.nullish(wire.string, "link to a forum thread"),
  startAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  timedEvent: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  scoreEvent: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  delveEvent: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  ancestorEvent: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  leagueEvent: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
};

/** A league. */
export type League = Plain.League;
export const League: wire.RecordSchema<League, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.League,
  "A league",
  fields,
);
