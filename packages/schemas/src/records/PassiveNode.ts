import {
  either,
  type Members,
  omitted,
  optional,
  type PlainRecord,
  record,
  words,
} from "../record.ts";

const digits = either("uint", "string");
const passiveNode = {
  /** Skill hash, a number or its digits. */
  skill: optional(digits),
  name: "?string",
  icon: "?string",
  isKeystone: "?true",
  isNotable: "?true",
  isMastery: "?true",
  /** Inactive mastery image. */
  inactiveIcon: "?string",
  /** Active mastery image. */
  activeIcon: "?string",
  /** Active mastery or tattoo background image. */
  activeEffectImage: "?string",
  masteryEffects: optional([
    {
      /** Effect hash. */
      effect: "uint",
      stats: "string[]",
      reminderText: "?string[]",
    },
  ]),
  isBlighted: "?true",
  isTattoo: "?true",
  isProxy: "?true",
  isJewelSocket: "?true",
  /** Data of the socket for a cluster jewel. */
  expansionJewel: optional({
    size: "?uint",
    index: "?uint",
    /** Identifier of the proxy node. */
    proxy: optional(digits),
    /** Identifier of the parent node. */
    parent: optional(digits),
  }),
  /** Blight crafting components. */
  recipe: optional([
    words(
      "ClearOil SepiaOil AmberOil VerdantOil TealOil AzureOil IndigoOil VioletOil CrimsonOil",
      "BlackOil OpalescentOil SilverOil GoldenOil PrismaticOil",
    ),
  ]),
  /** Sum of stats granting strength. */
  grantedStrength: "?uint",
  /** Sum of stats granting dexterity. */
  grantedDexterity: "?uint",
  /** Sum of stats granting intelligence. */
  grantedIntelligence: "?uint",
  ascendancyName: "?string",
  isAscendancyStart: "?true",
  isMultipleChoice: "?true",
  isMultipleChoiceOption: "?true",
  grantedPassivePoints: "?uint",
  stats: "?string[]",
  reminderText: "?string[]",
  flavourText: "?string[]",
  classStartIndex: "?uint",
  /** Key of the node's group in `groups`. */
  group: "?string",
  /** Orbit of the node within its group. */
  orbit: "?uint",
  /** Index of the node in the group's orbit. */
  orbitIndex: "?uint",
  /** Identifiers of the nodes to which this node connects. */
  out: omitted("string[]"),
  /** Identifiers of the nodes that connect to this node. */
  in: omitted("string[]"),
} as const;
/**
 * A passive node, in a cluster jewel's sub-graph or in place of a node that a character has
 * replaced. Replaced nodes arrive without `skill`, `out` and `in`.
 */
export interface PassiveNode extends Members<typeof passiveNode> {}
export const PassiveNode: PlainRecord<PassiveNode> = record("PassiveNode", passiveNode);
