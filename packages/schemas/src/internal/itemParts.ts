/** The structures inside an item that have no name of their own in the specification. */
import { CrucibleNode } from "../effect/CrucibleNode.ts";
import { ItemMods } from "../effect/ItemMod.ts";
import { ItemProperty } from "../effect/ItemProperty.ts";
import {
  array,
  bool,
  dictionary,
  alwaysTrue,
  int,
  nullish,
  describe,
  openStruct,
  ranged,
  string,
  strings,
  uint,
  openEnum,
} from "./wire.ts";

/**
 * Services send `crusader`, `redeemer`, `hunter` and `warlord` here as well; these stay unknown
 * members.
 */
export const Influences = /*#__PURE__*/ openStruct({
  elder: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  shaper: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  searing: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  tangled: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
});

export const Reward = /*#__PURE__*/ openStruct({
  label: string,
  rewards: /*#__PURE__*/ describe(
    /*#__PURE__*/ dictionary(int),
    "key = reward type string, value = amount",
  ),
});

export const LogbookMod = /*#__PURE__*/ openStruct({
  name: /*#__PURE__*/ describe(string, "area name"),
  faction: /*#__PURE__*/ openStruct({
    id: /*#__PURE__*/ describe(
      /*#__PURE__*/ openEnum(["Faction1", "Faction2", "Faction3", "Faction4"]),
      "`Faction1`, `Faction2`, `Faction3` or `Faction4`",
    ),
    name: string,
  }),
  mods: strings,
});

export const UltimatumMod = /*#__PURE__*/ openStruct({
  type: /*#__PURE__*/ describe(string, "text for icons"),
  tier: uint,
});

export const IncubatedItem = /*#__PURE__*/ openStruct({
  name: string,
  level: /*#__PURE__*/ describe(uint, "monster level required to progress"),
  progress: uint,
  total: uint,
});

export const Scourged = /*#__PURE__*/ openStruct({
  tier: /*#__PURE__*/ describe(/*#__PURE__*/ ranged(1, 10), "1-3 for items, 1-10 for maps"),
  level: /*#__PURE__*/ nullish(uint, "monster level to progress"),
  progress: /*#__PURE__*/ nullish(uint),
  total: /*#__PURE__*/ nullish(uint),
});

export const Crucible = /*#__PURE__*/ openStruct({
  layout: /*#__PURE__*/ describe(string, "URL of tree layout image"),
  nodes: /*#__PURE__*/ describe(
    /*#__PURE__*/ dictionary(CrucibleNode),
    "key = node index as string",
  ),
});

export const Hybrid = /*#__PURE__*/ openStruct({
  isVaalGem: /*#__PURE__*/ nullish(bool),
  baseTypeName: string,
  properties: /*#__PURE__*/ nullish(/*#__PURE__*/ array(ItemProperty)),
  explicitMods: /*#__PURE__*/ nullish(ItemMods),
  secDescrText: /*#__PURE__*/ nullish(string),
});

export const Extended = /*#__PURE__*/ openStruct({
  prefixes: /*#__PURE__*/ nullish(uint),
  suffixes: /*#__PURE__*/ nullish(uint),
});
