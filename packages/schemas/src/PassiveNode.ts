/**
 * A passive node (§2, PassiveNode), in a cluster jewel's sub-graph or in place of a node that a
 * character has replaced.
 *
 * Nodes of `skill_overrides` come without `skill`, `out` and `in`; nodes of a sub-graph have
 * `skill` and the proxies of `expansionJewel` as strings of digits.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/PassiveNode.ts";
import {
  array,
  flag,
  lacking,
  maybe,
  note,
  open,
  record,
  string,
  strings,
  uint,
  uintOrDigits,
  word,
  type RecordSchema,
} from "./internal/wire.ts";

const always = "always true if present";

const fields = {
  skill: /*#__PURE__*/ maybe(uintOrDigits, "skill hash"),
  name: /*#__PURE__*/ maybe(string),
  icon: /*#__PURE__*/ maybe(string),
  isKeystone: /*#__PURE__*/ maybe(flag, always),
  isNotable: /*#__PURE__*/ maybe(flag, always),
  isMastery: /*#__PURE__*/ maybe(flag, always),
  inactiveIcon: /*#__PURE__*/ maybe(string, "inactive mastery image"),
  activeIcon: /*#__PURE__*/ maybe(string, "active mastery image"),
  activeEffectImage: /*#__PURE__*/ maybe(string, "active mastery or tattoo background image"),
  masteryEffects: /*#__PURE__*/ maybe(
    /*#__PURE__*/ array(
      /*#__PURE__*/ open({
        effect: /*#__PURE__*/ note(uint, "effect hash"),
        stats: strings,
        reminderText: /*#__PURE__*/ maybe(strings),
      }),
    ),
  ),
  isBlighted: /*#__PURE__*/ maybe(flag, always),
  isTattoo: /*#__PURE__*/ maybe(flag, always),
  isProxy: /*#__PURE__*/ maybe(flag, always),
  isJewelSocket: /*#__PURE__*/ maybe(flag, always),
  expansionJewel: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      size: /*#__PURE__*/ maybe(uint),
      index: /*#__PURE__*/ maybe(uint),
      proxy: /*#__PURE__*/ maybe(uintOrDigits, "proxy node identifier"),
      parent: /*#__PURE__*/ maybe(uintOrDigits, "parent node identifier"),
    }),
    "cluster jewel info",
  ),
  recipe: /*#__PURE__*/ maybe(
    /*#__PURE__*/ array(
      /*#__PURE__*/ word([
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
  grantedStrength: /*#__PURE__*/ maybe(uint, "sum of stats granting strength"),
  grantedDexterity: /*#__PURE__*/ maybe(uint, "sum of stats granting dexterity"),
  grantedIntelligence: /*#__PURE__*/ maybe(uint, "sum of stats granting intelligence"),
  ascendancyName: /*#__PURE__*/ maybe(string),
  isAscendancyStart: /*#__PURE__*/ maybe(flag, always),
  isMultipleChoice: /*#__PURE__*/ maybe(flag, always),
  isMultipleChoiceOption: /*#__PURE__*/ maybe(flag, always),
  grantedPassivePoints: /*#__PURE__*/ maybe(uint),
  stats: /*#__PURE__*/ maybe(strings),
  reminderText: /*#__PURE__*/ maybe(strings),
  flavourText: /*#__PURE__*/ maybe(strings),
  classStartIndex: /*#__PURE__*/ maybe(uint),
  group: /*#__PURE__*/ maybe(string, "key to look up in the groups table"),
  orbit: /*#__PURE__*/ maybe(uint, "orbit occupied within its group"),
  orbitIndex: /*#__PURE__*/ maybe(uint, "index of the node in the group's orbit"),
  out: /*#__PURE__*/ lacking(strings, "identifiers of nodes this one connects to"),
  in: /*#__PURE__*/ lacking(strings, "identifiers of nodes connected to this one"),
};

/** A passive node. */
export interface PassiveNode extends Schema.Struct.Type<typeof fields> {}
/** A passive node. */
export const PassiveNode: RecordSchema<PassiveNode, typeof fields> =
  /*#__PURE__*/ record<PassiveNode>()("PassiveNode", "A passive node", fields, check);
