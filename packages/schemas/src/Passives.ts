/**
 * A character's passive tree (§2, `Character.passives`).
 *
 * Members that belong to one game are absent in the other, so all of those are optional here
 * although the specification does not mark them; `masteryEffects` reads both forms in which
 * services send the mastery choices.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/Passives.ts";
import {
  array,
  dictionary,
  int,
  lacking,
  loose,
  maybe,
  note,
  record,
  strings,
  uint,
  uints,
  word,
  type RecordSchema,
} from "./internal/wire.ts";
import { ItemJewelData } from "./ItemJewelData.ts";
import { PassiveNode } from "./PassiveNode.ts";

const fields = {
  hashes: uints,
  hashes_ex: /*#__PURE__*/ lacking(uints, "game 1 only", "game 1"),
  mastery_effects: /*#__PURE__*/ lacking(
    /*#__PURE__*/ loose(/*#__PURE__*/ dictionary(int), strings),
    "game 1 only; key = mastery node skill hash as string, value = selected effect hash",
    "game 1",
  ),
  specialisations: /*#__PURE__*/ lacking(
    /*#__PURE__*/ dictionary(/*#__PURE__*/ array(int), ["set1", "set2", "shapeshift"]),
    "game 2 only; keys `set1`, `set2`, `shapeshift`",
    "game 2",
  ),
  skill_overrides: /*#__PURE__*/ note(
    /*#__PURE__*/ dictionary(PassiveNode),
    "key = identifier of the replaced node as string",
  ),
  bandit_choice: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["Kraityn", "Alira", "Oak", "Eramir"]),
    "game 1 only; `Kraityn`, `Alira`, `Oak`, `Eramir`",
  ),
  pantheon_major: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["TheBrineKing", "Arakaali", "Solaris", "Lunaris"]),
    "game 1 only; `TheBrineKing`, `Arakaali`, `Solaris`, `Lunaris`",
  ),
  pantheon_minor: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word([
      "Abberath",
      "Gruthkul",
      "Yugul",
      "Shakari",
      "Tukohama",
      "Ralakesh",
      "Garukhan",
      "Ryslatha",
    ]),
    "game 1 only; one of the eight minor gods",
  ),
  jewel_data: /*#__PURE__*/ note(
    /*#__PURE__*/ dictionary(ItemJewelData),
    "key = string value of the x property of an item in the jewels array of the same response",
  ),
  alternate_ascendancy: /*#__PURE__*/ maybe(
    /*#__PURE__*/ loose(/*#__PURE__*/ word(["Warden", "Warlock", "Primalist"]), uint),
    "game 1 only; `Warden`, `Warlock`, `Primalist`",
  ),
};

/** A character's passive tree. */
export interface Passives extends Schema.Struct.Type<typeof fields> {}
/** A character's passive tree. */
export const Passives: RecordSchema<Passives, typeof fields> = /*#__PURE__*/ record<Passives>()(
  "Passives",
  "A character's passive tree",
  fields,
  check,
);

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
