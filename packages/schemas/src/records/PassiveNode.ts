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
  /** Skill hash. */
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
  /** Cluster jewel info. */
  expansionJewel: optional({
    size: "?uint",
    index: "?uint",
    /** Proxy node identifier. */
    proxy: optional(digits),
    /** Parent node identifier. */
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
  /** Key to look up in the groups table. */
  group: "?string",
  /** Orbit occupied within its group. */
  orbit: "?uint",
  /** Index of the node in the group's orbit. */
  orbitIndex: "?uint",
  /** Identifiers of nodes this one connects to. */
  out: omitted("string[]"),
  /** Identifiers of nodes connected to this one. */
  in: omitted("string[]"),
} as const;
/**
 * A passive node, in a cluster jewel's sub-graph or in place of a node that a character has
 * replaced. Replaced nodes arrive without `skill`, `out` and `in`.
 */
export interface PassiveNode extends Members<typeof passiveNode> {}
export const PassiveNode: PlainRecord<PassiveNode> = record("PassiveNode", passiveNode);
