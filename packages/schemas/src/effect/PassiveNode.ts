/**
 * A passive node (§2, PassiveNode), in a cluster jewel's sub-graph or in place of a node that a
 * character has replaced.
 *
 * Nodes of `skill_overrides` come without `skill`, `out` and `in`; nodes of a sub-graph have
 * `skill` and the proxies of `expansionJewel` as strings of digits.
 */
import * as Plain from "../plain/generated/PassiveNode.ts";
import * as wire from "../internal/wire.ts";

const always = "always true if present";

const fields = {
  skill: /*#__PURE__*/ wire.nullish(wire.uintOrDigits, "skill hash"),
  name: /*#__PURE__*/ wire.nullish(wire.string),
  icon: /*#__PURE__*/ wire.nullish(wire.string),
  isKeystone: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isNotable: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isMastery: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  inactiveIcon: /*#__PURE__*/ wire.nullish(wire.string, "inactive mastery image"),
  activeIcon: /*#__PURE__*/ wire.nullish(wire.string, "active mastery image"),
  activeEffectImage: /*#__PURE__*/ wire.nullish(
    wire.string,
    "active mastery or tattoo background image",
  ),
  masteryEffects: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.array(
      /*#__PURE__*/ wire.openStruct({
        effect: /*#__PURE__*/ wire.describe(wire.uint, "effect hash"),
        stats: wire.strings,
        reminderText: /*#__PURE__*/ wire.nullish(wire.strings),
      }),
    ),
  ),
  isBlighted: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isTattoo: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isProxy: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isJewelSocket: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  expansionJewel: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      size: /*#__PURE__*/ wire.nullish(wire.uint),
      index: /*#__PURE__*/ wire.nullish(wire.uint),
      proxy: /*#__PURE__*/ wire.nullish(wire.uintOrDigits, "proxy node identifier"),
      parent: /*#__PURE__*/ wire.nullish(wire.uintOrDigits, "parent node identifier"),
    }),
    "cluster jewel info",
  ),
  recipe: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.array(
      /*#__PURE__*/ wire.openEnum([
        "ClearOil",
        "SepiaOil",
        "AmberOil",
        "VerdantOil",
        "TealOil",
        "AzureOil",
        "IndigoOil",
        "VioletOil",
        "CrimsonOil",
        "BlackOil",
        "OpalescentOil",
        "SilverOil",
        "GoldenOil",
        "PrismaticOil",
      ]),
    ),
    "Blight crafting components",
  ),
  grantedStrength: /*#__PURE__*/ wire.nullish(wire.uint, "sum of stats granting strength"),
  grantedDexterity: /*#__PURE__*/ wire.nullish(wire.uint, "sum of stats granting dexterity"),
  grantedIntelligence: /*#__PURE__*/ wire.nullish(wire.uint, "sum of stats granting intelligence"),
  ascendancyName: /*#__PURE__*/ wire.nullish(wire.string),
  isAscendancyStart: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isMultipleChoice: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  isMultipleChoiceOption: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, always),
  grantedPassivePoints: /*#__PURE__*/ wire.nullish(wire.uint),
  stats: /*#__PURE__*/ wire.nullish(wire.strings),
  reminderText: /*#__PURE__*/ wire.nullish(wire.strings),
  flavourText: /*#__PURE__*/ wire.nullish(wire.strings),
  classStartIndex: /*#__PURE__*/ wire.nullish(wire.uint),
  group: /*#__PURE__*/ wire.nullish(wire.string, "key to look up in the groups table"),
  orbit: /*#__PURE__*/ wire.nullish(wire.uint, "orbit occupied within its group"),
  orbitIndex: /*#__PURE__*/ wire.nullish(wire.uint, "index of the node in the group's orbit"),
  out: /*#__PURE__*/ wire.requiredButOmitted(
    wire.strings,
    "identifiers of nodes this one connects to",
  ),
  in: /*#__PURE__*/ wire.requiredButOmitted(
    wire.strings,
    "identifiers of nodes connected to this one",
  ),
};

/** A passive node. */
export type PassiveNode = Plain.PassiveNode;
export const PassiveNode: wire.RecordSchema<PassiveNode, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.PassiveNode,
  "A passive node",
  fields,
);
