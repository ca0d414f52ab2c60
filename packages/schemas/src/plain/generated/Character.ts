/**
 * A character.
 *
 * Generated from the schema of `Character` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Character } from "@game-data/schemas";
 *
 * const result = Character.safeDecode(null);
 * if (result.ok) throw new Error("null is no Character");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";
import type { RealmWord } from "../Realm.ts";
import { check as checkItem, Item } from "./Item.ts";
import { check as checkPassives, Passives } from "./Passives.ts";

/** A character. */
export interface Character {
  /** Unique 64-digit hexadecimal string. */
  readonly id: string;
  readonly name: string;
  /** `pc`, `console_a`, or `console_b`. */
  readonly realm?: RealmWord | null;
  readonly class: string;
  readonly league?: string | null;
  readonly level: number;
  readonly experience: number;
  /** Game 1 only; always true if present. */
  readonly ruthless?: boolean | null;
  /** Always true if present. */
  readonly expired?: boolean | null;
  /** Always true if present. */
  readonly deleted?: boolean | null;
  /** Always true if present. */
  readonly current?: boolean | null;
  readonly equipment?: ReadonlyArray<Item> | null;
  /** Game 2 only. */
  readonly skills?: ReadonlyArray<Item> | null;
  readonly inventory?: ReadonlyArray<Item> | null;
  readonly rucksack?: ReadonlyArray<Item> | null;
  readonly jewels?: ReadonlyArray<Item> | null;
  readonly passives?: Passives | null;
  readonly metadata?: {
    /** Game version of the character's realm. */
    readonly version?: string | null;
  } | null;
}

/** A character. */
export const Character: PlainRecord<Character> = /*#__PURE__*/ makeRecord(
  "Character",
  {
    id: "s",
    name: "s",
    "realm?": "sn",
    class: "s",
    "league?": "sn",
    level: "u",
    experience: "u",
    "ruthless?": "bn",
    "expired?": "bn",
    "deleted?": "bn",
    "current?": "bn",
    "equipment?": ["|", "n", ["[", ["@", Item]]],
    "skills?": ["|", "n", ["[", ["@", Item]]],
    "inventory?": ["|", "n", ["[", ["@", Item]]],
    "rucksack?": ["|", "n", ["[", ["@", Item]]],
    "jewels?": ["|", "n", ["[", ["@", Item]]],
    "passives?": ["|", "n", ["@", Passives]],
    "metadata?": ["|", "n", { "version?": "sn" }],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "version") {
      if (!(typeof member === "string")) return false;
    }
  }
  return true;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    switch (key.length) {
      default:
        if (key === "id" || key === "name" || key === "class") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "level" || key === "experience") {
          if (!isUint(member)) return false;
          required++;
        } else if (key === "realm" || key === "league") {
          if (!(typeof member === "string")) return false;
        } else if (
          key === "skills" ||
          key === "jewels" ||
          key === "rucksack" ||
          key === "equipment" ||
          key === "inventory"
        ) {
          if (!isEach(member, checkItem, 0)) return false;
        } else if (
          key === "expired" ||
          key === "deleted" ||
          key === "current" ||
          key === "ruthless"
        ) {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "passives") {
          if (!checkPassives(member)) return false;
        } else if (key === "metadata") {
          if (!part1(member)) return false;
        }
    }
  }
  return required === 5;
}
