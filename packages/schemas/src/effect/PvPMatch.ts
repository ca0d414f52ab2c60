/** A PvP match (§2, PvPMatch). */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/PvPMatch.ts";
import * as wire from "../internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: /*#__PURE__*/ wire.describe(wire.string, "the match's name"),
  realm: /*#__PURE__*/ wire.nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  startAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  url: /*#__PURE__*/ wire.nullish(wire.string, "link to a forum thread"),
  description: wire.string,
  glickoRatings: wire.bool,
  pvp: /*#__PURE__*/ wire.describe(wire.alwaysTrue, "always true"),
  style: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.openEnum(["Blitz", "Swiss", "Arena"]),
    "`Blitz`, `Swiss`, or `Arena`",
  ),
  registerAt: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  complete: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  upcoming: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  inProgress: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
};

/** A PvP match. */
export type PvPMatch = Plain.PvPMatch;
export const PvPMatch: wire.RecordSchema<PvPMatch, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.PvPMatch,
  "A PvP match",
  fields,
);
