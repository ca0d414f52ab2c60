/** A PvP match (§2, PvPMatch). */
import type * as Schema from "effect/Schema";
import { DateTimeString } from "./DateTime.ts";
import { check } from "./internal/generated/PvPMatch.ts";
import {
  bool,
  flag,
  maybe,
  note,
  record,
  string,
  word,
  type RecordSchema,
} from "./internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  id: /*#__PURE__*/ note(string, "the match's name"),
  realm: /*#__PURE__*/ maybe(RealmWord, "`pc`, `console_a`, or `console_b`"),
  startAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  endAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  url: /*#__PURE__*/ maybe(string, "link to a forum thread"),
  description: string,
  glickoRatings: bool,
  pvp: /*#__PURE__*/ note(flag, "always true"),
  style: /*#__PURE__*/ note(
    /*#__PURE__*/ word(["Blitz", "Swiss", "Arena"]),
    "`Blitz`, `Swiss`, or `Arena`",
  ),
  registerAt: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  complete: /*#__PURE__*/ maybe(flag, "always true if present"),
  upcoming: /*#__PURE__*/ maybe(flag, "always true if present"),
  inProgress: /*#__PURE__*/ maybe(flag, "always true if present"),
};

/** A PvP match. */
export interface PvPMatch extends Schema.Struct.Type<typeof fields> {}
/** A PvP match. */
export const PvPMatch: RecordSchema<PvPMatch, typeof fields> = /*#__PURE__*/ record<PvPMatch>()(
  "PvPMatch",
  "A PvP match",
  fields,
  check,
);
