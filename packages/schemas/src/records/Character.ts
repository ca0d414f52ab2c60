import { type Members, omitted, optional, type PlainRecord, record } from "../record.ts";
import { Item } from "./Item.ts";
import { Passives } from "./Passives.ts";
import { realmWord } from "./Realm.ts";

const items = optional([Item]);
const character = {
  /** Unique 64-digit hexadecimal string. */
  id: "hex-64",
  name: "string",
  realm: omitted(realmWord),
  class: "string",
  league: "?string",
  level: "uint",
  experience: "uint",
  /** Game 1 only. */
  ruthless: "?true",
  expired: "?true",
  deleted: "?true",
  current: "?true",
  equipment: items,
  /** Game 2 only. */
  skills: items,
  inventory: items,
  rucksack: items,
  jewels: items,
  passives: optional(Passives),
  metadata: optional({
    /** Game version of the character's realm. */
    version: "?string",
  }),
} as const;
/** A character. The lists of items and `passives` are absent in a list of characters. */
export interface Character extends Members<typeof character> {}
export const Character: PlainRecord<Character> = record("Character", character);
