/**
 * A character's passive tree (§2), and its mastery choices in either form.
 *
 * @example
 * ```ts
 * import { Passives } from "@game-data/schemas/Passives";
 *
 * if (Passives.is({})) throw new Error("passives have hashes");
 * ```
 */
import type { Passives } from "./generated/Passives.ts";

export { Passives } from "./generated/Passives.ts";

/** A mastery choice: the node's hash and the hash of the selected effect. */
export interface MasteryEffect {
  /** The mastery node's skill hash. */
  readonly node: number;
  /** The selected effect's hash. */
  readonly effect: number;
}

const HALF = 0x1_0000;

/**
 * The mastery choices, from either form: a dictionary, or (in older answers) strings of unsigned
 * 32-bit numbers with the effect in the high and the node in the low 16 bits.
 */
export const masteryEffects = (
  passives: Pick<Passives, "mastery_effects">,
): ReadonlyArray<MasteryEffect> => {
  const choices = passives.mastery_effects ?? {};
  if (!Array.isArray(choices)) {
    return Object.entries(choices).map(([node, effect]) => ({
      node: Number(node),
      effect: Number(effect),
    }));
  }
  return choices.map((packed: string) => {
    const number = Number(packed);
    return { node: number % HALF, effect: Math.floor(number / HALF) };
  });
};
