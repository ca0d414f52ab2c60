/**
 * A character's passive tree.
 *
 * Generated from the schema of `Passives` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Passives } from "@game-data/schemas";
 *
 * const result = Passives.safeDecode(null);
 * if (result.ok) throw new Error("null is no Passives");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isStrings, isUint } from "../tests.ts";
import { check as checkItemJewelData, ItemJewelData } from "./ItemJewelData.ts";
import { check as checkPassiveNode, PassiveNode } from "./PassiveNode.ts";

/** A character's passive tree. */
export interface Passives {
  readonly hashes: ReadonlyArray<number>;
  /** Game 1 only. */
  readonly hashes_ex?: ReadonlyArray<number> | null;
  /** Game 1 only; key = mastery node skill hash as string, value = selected effect hash. */
  readonly mastery_effects?:
    | { readonly [key: string]: number }
    | Readonly<Record<string, never>>
    | ReadonlyArray<string>
    | null;
  /** Game 2 only; keys `set1`, `set2`, `shapeshift`. */
  readonly specialisations?:
    | { readonly [key: string]: ReadonlyArray<number> }
    | Readonly<Record<string, never>>
    | null;
  /** Key = identifier of the replaced node as string. */
  readonly skill_overrides?:
    | { readonly [key: string]: PassiveNode }
    | Readonly<Record<string, never>>
    | null;
  /** Game 1 only; `Kraityn`, `Alira`, `Oak`, `Eramir`. */
  readonly bandit_choice?: "Kraityn" | "Alira" | "Oak" | "Eramir" | (string & {}) | null;
  /** Game 1 only; `TheBrineKing`, `Arakaali`, `Solaris`, `Lunaris`. */
  readonly pantheon_major?:
    | "TheBrineKing"
    | "Arakaali"
    | "Solaris"
    | "Lunaris"
    | (string & {})
    | null;
  /** Game 1 only; one of the eight minor gods. */
  readonly pantheon_minor?:
    | "Abberath"
    | "Gruthkul"
    | "Yugul"
    | "Shakari"
    | "Tukohama"
    | "Ralakesh"
    | "Garukhan"
    | "Ryslatha"
    | (string & {})
    | null;
  /** Key = string value of the x property of an item in the jewels array of the same response. */
  readonly jewel_data?:
    | { readonly [key: string]: ItemJewelData }
    | Readonly<Record<string, never>>
    | null;
  /** Game 1 only; `Warden`, `Warlock`, `Primalist`. */
  readonly alternate_ascendancy?:
    | "Warden"
    | "Warlock"
    | "Primalist"
    | (string & {})
    | number
    | null;
}

/** A character's passive tree. */
export const Passives: PlainRecord<Passives> = /*#__PURE__*/ makeRecord(
  "Passives",
  {
    hashes: ["[", "u"],
    "hashes_ex?": ["|", "n", ["[", "u"]],
    "mastery_effects?": ["|", "n", ["{", "i"], ["(", true], ["[", "s"]],
    "specialisations?": ["|", "n", ["{", ["[", "i"]], ["(", true]],
    "skill_overrides?": ["|", "n", ["{", ["@", PassiveNode]], ["(", true]],
    "bandit_choice?": "sn",
    "pantheon_major?": "sn",
    "pantheon_minor?": "sn",
    "jewel_data?": ["|", "n", ["{", ["@", ItemJewelData]], ["(", true]],
    "alternate_ascendancy?": "sun",
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!Number.isSafeInteger(member)) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function part3(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!isEach(member, Number.isSafeInteger)) return false;
  }
  return true;
}

function part4(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!checkPassiveNode(member)) return false;
  }
  return true;
}

function part5(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!checkItemJewelData(member)) return false;
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
    if (key === "hashes") {
      if (!isEach(member, isUint)) return false;
      required++;
    } else if (key === "hashes_ex") {
      if (!isEach(member, isUint)) return false;
    } else if (key === "mastery_effects") {
      if (!(part1(member) || part2(member) || isStrings(member))) return false;
    } else if (key === "specialisations") {
      if (!(part3(member) || part2(member))) return false;
    } else if (key === "skill_overrides") {
      if (!(part4(member) || part2(member))) return false;
    } else if (key === "bandit_choice" || key === "pantheon_major" || key === "pantheon_minor") {
      if (!(typeof member === "string")) return false;
    } else if (key === "jewel_data") {
      if (!(part5(member) || part2(member))) return false;
    } else if (key === "alternate_ascendancy") {
      if (!(typeof member === "string" || isUint(member))) return false;
    }
  }
  return required === 1;
}
