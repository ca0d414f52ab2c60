/**
 * A passive node (§2, PassiveNode), in a cluster jewel's sub-graph or in place of a node that a
 * character has replaced.
 *
 * Nodes of `skill_overrides` come without `skill`, `out` and `in`; nodes of a sub-graph have
 * `skill` and the proxies of `expansionJewel` as strings of digits.
 */
import * as Plain from "../plain/generated/PassiveNode.ts";
import {
  array,
  alwaysTrue,
  requiredButOmitted,
  nullish,
  describe,
  openStruct,
  record,
  string,
  strings,
  uint,
  uintOrDigits,
  openEnum,
  type RecordSchema,
} from "../internal/wire.ts";

const always = "always true if present";

const fields = {
  skill: /*#__PURE__*/ nullish(uintOrDigits, "skill hash"),
  name: /*#__PURE__*/ nullish(string),
  icon: /*#__PURE__*/ nullish(string),
  isKeystone: /*#__PURE__*/ nullish(alwaysTrue, always),
  isNotable: /*#__PURE__*/ nullish(alwaysTrue, always),
  isMastery: /*#__PURE__*/ nullish(alwaysTrue, always),
  inactiveIcon: /*#__PURE__*/ nullish(string, "inactive mastery image"),
  activeIcon: /*#__PURE__*/ nullish(string, "active mastery image"),
  activeEffectImage: /*#__PURE__*/ nullish(string, "active mastery or tattoo background image"),
  masteryEffects: /*#__PURE__*/ nullish(
    /*#__PURE__*/ array(
      /*#__PURE__*/ openStruct({
        effect: /*#__PURE__*/ describe(uint, "effect hash"),
        stats: strings,
        reminderText: /*#__PURE__*/ nullish(strings),
      }),
    ),
  ),
  isBlighted: /*#__PURE__*/ nullish(alwaysTrue, always),
  isTattoo: /*#__PURE__*/ nullish(alwaysTrue, always),
  isProxy: /*#__PURE__*/ nullish(alwaysTrue, always),
  isJewelSocket: /*#__PURE__*/ nullish(alwaysTrue, always),
  expansionJewel: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      size: /*#__PURE__*/ nullish(uint),
      index: /*#__PURE__*/ nullish(uint),
      proxy: /*#__PURE__*/ nullish(uintOrDigits, "proxy node identifier"),
      parent: /*#__PURE__*/ nullish(uintOrDigits, "parent node identifier"),
    }),
    "cluster jewel info",
  ),
  recipe: /*#__PURE__*/ nullish(
    /*#__PURE__*/ array(
      /*#__PURE__*/ openEnum([
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
  grantedStrength: /*#__PURE__*/ nullish(uint, "sum of stats granting strength"),
  grantedDexterity: /*#__PURE__*/ nullish(uint, "sum of stats granting dexterity"),
  grantedIntelligence: /*#__PURE__*/ nullish(uint, "sum of stats granting intelligence"),
  ascendancyName: /*#__PURE__*/ nullish(string),
  isAscendancyStart: /*#__PURE__*/ nullish(alwaysTrue, always),
  isMultipleChoice: /*#__PURE__*/ nullish(alwaysTrue, always),
  isMultipleChoiceOption: /*#__PURE__*/ nullish(alwaysTrue, always),
  grantedPassivePoints: /*#__PURE__*/ nullish(uint),
  stats: /*#__PURE__*/ nullish(strings),
  reminderText: /*#__PURE__*/ nullish(strings),
  flavourText: /*#__PURE__*/ nullish(strings),
  classStartIndex: /*#__PURE__*/ nullish(uint),
  group: /*#__PURE__*/ nullish(string, "key to look up in the groups table"),
  orbit: /*#__PURE__*/ nullish(uint, "orbit occupied within its group"),
  orbitIndex: /*#__PURE__*/ nullish(uint, "index of the node in the group's orbit"),
  out: /*#__PURE__*/ requiredButOmitted(strings, "identifiers of nodes this one connects to"),
  in: /*#__PURE__*/ requiredButOmitted(strings, "identifiers of nodes connected to this one"),
};

/** A passive node. */
export type PassiveNode = Plain.PassiveNode;
/** A passive node. */
export const PassiveNode: RecordSchema<PassiveNode, typeof fields> =
  /*#__PURE__*/ record<PassiveNode>()(Plain.PassiveNode, "A passive node", fields);
