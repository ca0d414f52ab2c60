/**
 * A character (§2, Character). A list of characters has the plain members only; one character has
 * its items as well.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/Character.ts";
import {
  array,
  flag,
  formatted,
  lacking,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
} from "./internal/wire.ts";
import { Item } from "./Item.ts";
import { Passives } from "./Passives.ts";
import { RealmWord } from "./Realm.ts";

const items = /*#__PURE__*/ array(Item);

const fields = {
  id: /*#__PURE__*/ note(/*#__PURE__*/ formatted("hex-64"), "unique 64-digit hexadecimal string"),
  name: string,
  realm: /*#__PURE__*/ lacking(RealmWord, "`pc`, `console_a`, or `console_b`"),
  class: string,
  league: /*#__PURE__*/ maybe(string),
  level: uint,
  experience: uint,
  ruthless: /*#__PURE__*/ maybe(flag, "game 1 only; always true if present"),
  expired: /*#__PURE__*/ maybe(flag, "always true if present"),
  deleted: /*#__PURE__*/ maybe(flag, "always true if present"),
  current: /*#__PURE__*/ maybe(flag, "always true if present"),
  equipment: /*#__PURE__*/ maybe(items),
  skills: /*#__PURE__*/ maybe(items, "game 2 only"),
  inventory: /*#__PURE__*/ maybe(items),
  rucksack: /*#__PURE__*/ maybe(items),
  jewels: /*#__PURE__*/ maybe(items),
  passives: /*#__PURE__*/ maybe(Passives),
  metadata: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      version: /*#__PURE__*/ maybe(string, "game version of the character's realm"),
    }),
  ),
};

/** A character. */
export interface Character extends Schema.Struct.Type<typeof fields> {}
/** A character. */
export const Character: RecordSchema<Character, typeof fields> = /*#__PURE__*/ record<Character>()(
  "Character",
  "A character",
  fields,
  check,
);
