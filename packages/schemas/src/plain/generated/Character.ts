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
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";
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

const shape: Shape = {
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
};

/** A character. */
export const Character: PlainRecord<Character> = /*#__PURE__*/ makeRecord(
  "Character",
  shape,
  check,
);

function part1(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i0 = 0; i0 < value.length; i0++) {
    const element0: unknown = value[i0];
    if (!checkItem(element0, 0)) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (key === "version") {
      if (!(typeof member === "string" || member === null)) return false;
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
    switch (key.length) {
      case 2:
        if (key === "id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "class") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "level") {
          if (!isUint(member)) return false;
          required++;
        }
        break;
      case 6:
        if (key === "league") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "skills" || key === "jewels") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 7:
        if (key === "expired" || key === "deleted" || key === "current") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "ruthless") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "rucksack") {
          if (!(part1(member) || member === null)) return false;
        } else if (key === "passives") {
          if (!(checkPassives(member) || member === null)) return false;
        } else if (key === "metadata") {
          if (!(part2(member) || member === null)) return false;
        }
        break;
      case 9:
        if (key === "equipment" || key === "inventory") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 10:
        if (key === "experience") {
          if (!isUint(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 5;
}
