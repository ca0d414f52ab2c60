/**
 * A character (§2, Character). A list of characters has the plain members only; one character has
 * its items as well.
 */
import * as Plain from "../plain/generated/Character.ts";
import * as wire from "../internal/wire.ts";
import { Item } from "./Item.ts";
import { Passives } from "./Passives.ts";
import { RealmWord } from "./Realm.ts";

const items = /*#__PURE__*/ wire.array(Item);

const fields = {
  id: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.formattedString("hex-64"),
    "unique 64-digit hexadecimal string",
  ),
  name: wire.string,
  realm: /*#__PURE__*/ wire.requiredButOmitted(RealmWord, "`pc`, `console_a`, or `console_b`"),
  class: wire.string,
  league: /*#__PURE__*/ wire.nullish(wire.string),
  level: wire.uint,
  experience: wire.uint,
  ruthless: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "game 1 only; always true if present"),
  expired: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  deleted: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  current: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  equipment: /*#__PURE__*/ wire.nullish(items),
  skills: /*#__PURE__*/ wire.nullish(items, "game 2 only"),
  inventory: /*#__PURE__*/ wire.nullish(items),
  rucksack: /*#__PURE__*/ wire.nullish(items),
  jewels: /*#__PURE__*/ wire.nullish(items),
  passives: /*#__PURE__*/ wire.nullish(Passives),
  metadata: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      version: /*#__PURE__*/ wire.nullish(wire.string, "game version of the character's realm"),
    }),
  ),
};

/** A character. */
export type Character = Plain.Character;
export const Character: wire.RecordSchema<Character, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Character,
  "A character",
  fields,
);
