import {
  dictionary,
  either,
  type Members,
  omitted,
  optional,
  type PlainRecord,
  record,
  words,
} from "../record.ts";
import { ItemJewelData } from "./ItemJewelData.ts";
import { PassiveNode } from "./PassiveNode.ts";

const passives = {
  hashes: "uint[]",
  /** Game 1 only. */
  hashes_ex: omitted("uint[]", "game 1"),
  /** Game 1 only; key = mastery node skill hash as string, value = selected effect hash. */
  mastery_effects: omitted(either(dictionary("int"), "string[]"), "game 1"),
  /** Game 2 only; keys `set1`, `set2`, `shapeshift`. */
  specialisations: omitted(dictionary("int[]", ["set1", "set2", "shapeshift"]), "game 2"),
  /** Key = identifier of the replaced node. */
  skill_overrides: omitted(dictionary(PassiveNode)),
  /** Game 1 only. */
  bandit_choice: optional(words("Kraityn Alira Oak Eramir")),
  /** Game 1 only. */
  pantheon_major: optional(words("TheBrineKing Arakaali Solaris Lunaris")),
  /** Game 1 only. */
  pantheon_minor: optional(
    words("Abberath Gruthkul Yugul Shakari Tukohama Ralakesh Garukhan Ryslatha"),
  ),
  /** Key = string value of the x property of an item in the jewels array of the same response. */
  jewel_data: omitted(dictionary(ItemJewelData)),
  /** Game 1 only. */
  alternate_ascendancy: optional(either(words("Warden Warlock Primalist"), "uint")),
} as const;
/**
 * A character's passive tree. Members of one game are absent in the other game, so they are
 * optional here. `masteryEffects` reads both forms of the mastery choices.
 */
export interface Passives extends Members<typeof passives> {}
export const Passives: PlainRecord<Passives> = record("Passives", passives);

/** A mastery choice: the node's hash and the hash of the selected effect. */
export interface MasteryEffect {
  /** The mastery node's skill hash. */
  readonly node: number;
  /** The selected effect's hash. */
  readonly effect: number;
}

const HALF = 0x1_0000;

/**
 * Returns the mastery choices from a dictionary, or (in older responses) from strings of unsigned
 * 32-bit numbers with the effect in the high and the node in the low 16 bits.
 */
export const masteryEffects = ({
  mastery_effects,
}: Pick<Passives, "mastery_effects">): ReadonlyArray<MasteryEffect> => {
  const choices = mastery_effects ?? {};
  if (!Array.isArray(choices))
    return Object.entries(choices).map(([node, effect]) => ({
      node: Number(node),
      effect: Number(effect),
    }));
  return choices.map((packed: string) => {
    const number = Number(packed);
    return { node: number % HALF, effect: Math.floor(number / HALF) };
  });
};
