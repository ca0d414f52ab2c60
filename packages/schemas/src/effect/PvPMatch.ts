/** A PvP match (§2, PvPMatch). */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/PvPMatch.ts";
import {
  bool,
  alwaysTrue,
  nullish,
  describe,
  record,
  string,
  openEnum,
  type RecordSchema,
} from "../internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: /*#__PURE__*/ describe(string, "the match's name"),
  realm: /*#__PURE__*/ nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  startAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  url: /*#__PURE__*/ nullish(string, "link to a forum thread"),
  description: string,
  glickoRatings: bool,
  pvp: /*#__PURE__*/ describe(alwaysTrue, "always true"),
  style: /*#__PURE__*/ describe(
    /*#__PURE__*/ openEnum(["Blitz", "Swiss", "Arena"]),
    "`Blitz`, `Swiss`, or `Arena`",
  ),
  registerAt: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  complete: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  upcoming: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  inProgress: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
};

/** A PvP match. */
export type PvPMatch = Plain.PvPMatch;
/** A PvP match. */
export const PvPMatch: RecordSchema<PvPMatch, typeof fields> = /*#__PURE__*/ record<PvPMatch>()(
  Plain.PvPMatch,
  "A PvP match",
  fields,
);
