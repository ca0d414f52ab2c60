/**
 * A league (§2, League). Only `id` is required; dates are date-time strings, `endAt` is null for a
 * permanent league.
 */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/League.ts";
import {
  array,
  alwaysTrue,
  requiredButOmitted,
  nullish,
  openStruct,
  record,
  string,
  type RecordSchema,
} from "../internal/wire.ts";
import { LeagueRule } from "./LeagueRule.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: string,
  realm: /*#__PURE__*/ nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  name: /*#__PURE__*/ nullish(string),
  description: /*#__PURE__*/ nullish(string),
  category: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      id: /*#__PURE__*/ requiredButOmitted(string, "league category"),
      current: /*#__PURE__*/ nullish(
        alwaysTrue,
        "set for active challenge leagues; always true if present",
      ),
    }),
  ),
  rules: /*#__PURE__*/ nullish(/*#__PURE__*/ array(LeagueRule)),
  registerAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  event: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  goal: /*#__PURE__*/ nullish(string),
  url: /*#__PURE__*/ nullish(string, "link to a forum thread"),
  startAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  timedEvent: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  scoreEvent: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  delveEvent: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  ancestorEvent: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  leagueEvent: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
};

/** A league. */
export type League = Plain.League;
/** A league. */
export const League: RecordSchema<League, typeof fields> = /*#__PURE__*/ record<League>()(
  Plain.League,
  "A league",
  fields,
);
