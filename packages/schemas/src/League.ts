/**
 * A league (§2, League). Only `id` is required; dates are date-time strings, `endAt` is null for a
 * permanent league.
 */
import type * as Schema from "effect/Schema";
import { DateTimeString } from "./DateTime.ts";
import { check } from "./internal/generated/League.ts";
import {
  array,
  flag,
  lacking,
  maybe,
  open,
  record,
  string,
  type RecordSchema,
} from "./internal/wire.ts";
import { LeagueRule } from "./LeagueRule.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: string,
  realm: /*#__PURE__*/ maybe(RealmWord, "`pc`, `console_a`, or `console_b`"),
  name: /*#__PURE__*/ maybe(string),
  description: /*#__PURE__*/ maybe(string),
  category: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      id: /*#__PURE__*/ lacking(string, "league category"),
      current: /*#__PURE__*/ maybe(
        flag,
        "set for active challenge leagues; always true if present",
      ),
    }),
  ),
  rules: /*#__PURE__*/ maybe(/*#__PURE__*/ array(LeagueRule)),
  registerAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  event: /*#__PURE__*/ maybe(flag, "always true if present"),
  goal: /*#__PURE__*/ maybe(string),
  url: /*#__PURE__*/ maybe(string, "link to a forum thread"),
  startAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  timedEvent: /*#__PURE__*/ maybe(flag, "always true if present"),
  scoreEvent: /*#__PURE__*/ maybe(flag, "always true if present"),
  delveEvent: /*#__PURE__*/ maybe(flag, "always true if present"),
  ancestorEvent: /*#__PURE__*/ maybe(flag, "always true if present"),
  leagueEvent: /*#__PURE__*/ maybe(flag, "always true if present"),
};

/** A league. */
export interface League extends Schema.Struct.Type<typeof fields> {}
/** A league. */
export const League: RecordSchema<League, typeof fields> = /*#__PURE__*/ record<League>()(
  "League",
  "A league",
  fields,
  check,
);
