/** The structures inside an item that have no name of their own in the specification. */
import { CrucibleNode } from "../effect/CrucibleNode.ts";
import { ItemMods } from "../effect/ItemMod.ts";
import { ItemProperty } from "../effect/ItemProperty.ts";
import * as wire from "./wire.ts";

/**
 * Services send `crusader`, `redeemer`, `hunter` and `warlord` here as well; these stay unknown
 * members.
 */
export const Influences = /*#__PURE__*/ wire.openStruct({
  elder: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  shaper: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  searing: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  tangled: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
});

export const Reward = /*#__PURE__*/ wire.openStruct({
  label: wire.string,
  rewards: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.dictionary(wire.int),
    "key = reward type string, value = amount",
  ),
});

export const LogbookMod = /*#__PURE__*/ wire.openStruct({
  name: /*#__PURE__*/ wire.describe(wire.string, "area name"),
  faction: /*#__PURE__*/ wire.openStruct({
    id: /*#__PURE__*/ wire.describe(
      /*#__PURE__*/ wire.openEnum(["Faction1", "Faction2", "Faction3", "Faction4"]),
      "`Faction1`, `Faction2`, `Faction3` or `Faction4`",
    ),
    name: wire.string,
  }),
  mods: wire.strings,
});

export const UltimatumMod = /*#__PURE__*/ wire.openStruct({
  type: /*#__PURE__*/ wire.describe(wire.string, "text for icons"),
  tier: wire.uint,
});

export const IncubatedItem = /*#__PURE__*/ wire.openStruct({
  name: wire.string,
  level: /*#__PURE__*/ wire.describe(wire.uint, "monster level required to progress"),
  progress: wire.uint,
  total: wire.uint,
});

export const Scourged = /*#__PURE__*/ wire.openStruct({
  tier: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.ranged(1, 10),
    "1-3 for items, 1-10 for maps",
  ),
  level: /*#__PURE__*/ wire.nullish(wire.uint, "monster level to progress"),
  progress: /*#__PURE__*/ wire.nullish(wire.uint),
  total: /*#__PURE__*/ wire.nullish(wire.uint),
});

export const Crucible = /*#__PURE__*/ wire.openStruct({
  layout: /*#__PURE__*/ wire.describe(wire.string, "URL of tree layout image"),
  nodes: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.dictionary(CrucibleNode),
    "key = node index as string",
  ),
});

export const Hybrid = /*#__PURE__*/ wire.openStruct({
  isVaalGem: /*#__PURE__*/ wire.nullish(wire.bool),
  baseTypeName: wire.string,
  properties: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(ItemProperty)),
  explicitMods: /*#__PURE__*/ wire.nullish(ItemMods),
  secDescrText: /*#__PURE__*/ wire.nullish(wire.string),
});

export const Extended = /*#__PURE__*/ wire.openStruct({
  prefixes: /*#__PURE__*/ wire.nullish(wire.uint),
  suffixes: /*#__PURE__*/ wire.nullish(wire.uint),
});
