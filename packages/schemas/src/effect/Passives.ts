/**
 * A character's passive tree (§2, `Character.passives`).
 *
 * Members that belong to one game are absent in the other, so all of those are optional here
 * although the specification does not mark them; `masteryEffects` reads both forms in which
 * services send the mastery choices.
 */
import * as Plain from "../plain/generated/Passives.ts";
import * as wire from "../internal/wire.ts";
import { ItemJewelData } from "./ItemJewelData.ts";
import { PassiveNode } from "./PassiveNode.ts";

const fields = {
  hashes: wire.uints,
  hashes_ex: /*#__PURE__*/ wire.requiredButOmitted(wire.uints, "game 1 only", "game 1"),
  mastery_effects: /*#__PURE__*/ wire.requiredButOmitted(
    /*#__PURE__*/ wire.documentedOr(/*#__PURE__*/ wire.dictionary(wire.int), wire.strings),
    "game 1 only; key = mastery node skill hash as string, value = selected effect hash",
    "game 1",
  ),
  specialisations: /*#__PURE__*/ wire.requiredButOmitted(
    /*#__PURE__*/ wire.dictionary(/*#__PURE__*/ wire.array(wire.int), [
      "set1",
      "set2",
      "shapeshift",
    ]),
    "game 2 only; keys `set1`, `set2`, `shapeshift`",
    "game 2",
  ),
  skill_overrides: /*#__PURE__*/ wire.requiredButOmitted(
    /*#__PURE__*/ wire.dictionary(PassiveNode),
    "key = identifier of the replaced node as string",
  ),
  bandit_choice: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["Kraityn", "Alira", "Oak", "Eramir"]),
    "game 1 only; `Kraityn`, `Alira`, `Oak`, `Eramir`",
  ),
  pantheon_major: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["TheBrineKing", "Arakaali", "Solaris", "Lunaris"]),
    "game 1 only; `TheBrineKing`, `Arakaali`, `Solaris`, `Lunaris`",
  ),
  pantheon_minor: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum([
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
  jewel_data: /*#__PURE__*/ wire.requiredButOmitted(
    /*#__PURE__*/ wire.dictionary(ItemJewelData),
    "key = string value of the x property of an item in the jewels array of the same response",
  ),
  alternate_ascendancy: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.documentedOr(
      /*#__PURE__*/ wire.openEnum(["Warden", "Warlock", "Primalist"]),
      wire.uint,
    ),
    "game 1 only; `Warden`, `Warlock`, `Primalist`",
  ),
};

/** A character's passive tree. */
export type Passives = Plain.Passives;
export const Passives: wire.RecordSchema<Passives, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Passives,
  "A character's passive tree",
  fields,
);
