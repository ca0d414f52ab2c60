/** The structures inside an item that have no name of their own in the specification. */
import { CrucibleNode } from "../CrucibleNode.ts";
import { ItemMods } from "../ItemMod.ts";
import { ItemProperty } from "../ItemProperty.ts";
import {
  array,
  bool,
  dictionary,
  flag,
  int,
  maybe,
  note,
  open,
  ranged,
  string,
  strings,
  uint,
  word,
} from "./wire.ts";

/**
 * Services send `crusader`, `redeemer`, `hunter` and `warlord` here as well; these stay unknown
 * members.
 */
export const Influences = /*#__PURE__*/ open({
  elder: /*#__PURE__*/ maybe(flag, "always true if present"),
  shaper: /*#__PURE__*/ maybe(flag, "always true if present"),
  searing: /*#__PURE__*/ maybe(flag, "always true if present"),
  tangled: /*#__PURE__*/ maybe(flag, "always true if present"),
});

export const Reward = /*#__PURE__*/ open({
  label: string,
  rewards: /*#__PURE__*/ note(
    /*#__PURE__*/ dictionary(int),
    "key = reward type string, value = amount",
  ),
});

export const LogbookMod = /*#__PURE__*/ open({
  name: /*#__PURE__*/ note(string, "area name"),
  faction: /*#__PURE__*/ open({
    id: /*#__PURE__*/ note(
      /*#__PURE__*/ word(["Faction1", "Faction2", "Faction3", "Faction4"]),
      "`Faction1`, `Faction2`, `Faction3` or `Faction4`",
    ),
    name: string,
  }),
  mods: strings,
});

export const UltimatumMod = /*#__PURE__*/ open({
  type: /*#__PURE__*/ note(string, "text for icons"),
  tier: uint,
});

export const IncubatedItem = /*#__PURE__*/ open({
  name: string,
  level: /*#__PURE__*/ note(uint, "monster level required to progress"),
  progress: uint,
  total: uint,
});

export const Scourged = /*#__PURE__*/ open({
  tier: /*#__PURE__*/ note(/*#__PURE__*/ ranged(1, 10), "1-3 for items, 1-10 for maps"),
  level: /*#__PURE__*/ maybe(uint, "monster level to progress"),
  progress: /*#__PURE__*/ maybe(uint),
  total: /*#__PURE__*/ maybe(uint),
});

export const Crucible = /*#__PURE__*/ open({
  layout: /*#__PURE__*/ note(string, "URL of tree layout image"),
  nodes: /*#__PURE__*/ note(/*#__PURE__*/ dictionary(CrucibleNode), "key = node index as string"),
});

export const Hybrid = /*#__PURE__*/ open({
  isVaalGem: /*#__PURE__*/ maybe(bool),
  baseTypeName: string,
  properties: /*#__PURE__*/ maybe(/*#__PURE__*/ array(ItemProperty)),
  explicitMods: /*#__PURE__*/ maybe(ItemMods),
  secDescrText: /*#__PURE__*/ maybe(string),
});

export const Extended = /*#__PURE__*/ open({
  prefixes: /*#__PURE__*/ maybe(uint),
  suffixes: /*#__PURE__*/ maybe(uint),
});
