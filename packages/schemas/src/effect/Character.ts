/**
 * A character (§2, Character). A list of characters has the plain members only; one character has
 * its items as well.
 */
import * as Plain from "../plain/generated/Character.ts";
import {
  array,
  alwaysTrue,
  formattedString,
  requiredButOmitted,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";
import { Item } from "./Item.ts";
import { Passives } from "./Passives.ts";
import { RealmWord } from "./Realm.ts";

const items = /*#__PURE__*/ array(Item);

const fields = {
  id: /*#__PURE__*/ describe(
    /*#__PURE__*/ formattedString("hex-64"),
    "unique 64-digit hexadecimal string",
  ),
  name: string,
  realm: /*#__PURE__*/ requiredButOmitted(RealmWord, "`pc`, `console_a`, or `console_b`"),
  class: string,
  league: /*#__PURE__*/ nullish(string),
  level: uint,
  experience: uint,
  ruthless: /*#__PURE__*/ nullish(alwaysTrue, "game 1 only; always true if present"),
  expired: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  deleted: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  current: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  equipment: /*#__PURE__*/ nullish(items),
  skills: /*#__PURE__*/ nullish(items, "game 2 only"),
  inventory: /*#__PURE__*/ nullish(items),
  rucksack: /*#__PURE__*/ nullish(items),
  jewels: /*#__PURE__*/ nullish(items),
  passives: /*#__PURE__*/ nullish(Passives),
  metadata: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      version: /*#__PURE__*/ nullish(string, "game version of the character's realm"),
    }),
  ),
};

/** A character. */
export type Character = Plain.Character;
/** A character. */
export const Character: RecordSchema<Character, typeof fields> = /*#__PURE__*/ record<Character>()(
  Plain.Character,
  "A character",
  fields,
);
