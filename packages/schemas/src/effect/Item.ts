/**
 * An item (§2, Item): the largest record, and the one that fills stash pages.
 *
 * Most members are optional: look at `frameType` and `rarity` for what an item is, at `properties`
 * and the mod lists for what it does. `socketedItems` nests items; nesting beyond 32 levels is
 * refused. The page `docs/item.md` lists every key with the specification's notes.
 */
import { FrameType } from "./FrameType.ts";
import { GemTab } from "./GemTab.ts";
import * as Schema from "effect/Schema";
import * as Plain from "../plain/generated/Item.ts";
import * as wire from "../internal/wire.ts";
import {
  Crucible,
  Extended,
  Hybrid,
  IncubatedItem,
  Influences,
  LogbookMod,
  Reward,
  Scourged,
  UltimatumMod,
} from "../internal/itemParts.ts";
import { ItemMods } from "./ItemMod.ts";
import { ItemProperty } from "./ItemProperty.ts";
import { ItemSocket } from "./ItemSocket.ts";

const properties = /*#__PURE__*/ wire.array(ItemProperty);

const fields = {
  realm: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["game2"]),
    "always `game2` if present",
  ),
  verified: wire.bool,
  w: wire.uint,
  h: wire.uint,
  icon: wire.string,
  support: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  stackSize: /*#__PURE__*/ wire.nullish(wire.int),
  maxStackSize: /*#__PURE__*/ wire.nullish(wire.int),
  stackSizeText: /*#__PURE__*/ wire.nullish(wire.string),
  iconTierText: /*#__PURE__*/ wire.nullish(wire.string, "usually roman numerals"),
  league: /*#__PURE__*/ wire.nullish(wire.string),
  id: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.formattedString("hex-64"),
    "unique 64-digit hexadecimal string",
  ),
  gemSockets: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.array(/*#__PURE__*/ wire.openEnum(["W"])),
    "game 2 only; each string is always `W`",
  ),
  influences: /*#__PURE__*/ wire.nullish(Influences, "each member is always true if present"),
  memoryItem: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  abyssJewel: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  delve: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  fractured: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  synthesised: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  sockets: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(ItemSocket)),
  name: wire.string,
  typeLine: wire.string,
  baseType: wire.string,
  rarity: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["Normal", "Magic", "Rare", "Unique"]),
    "`Normal`, `Magic`, `Rare`, or `Unique`",
  ),
  identified: wire.bool,
  itemLevel: /*#__PURE__*/ wire.nullish(wire.int, "for items that always display their item level"),
  unidentifiedTier: /*#__PURE__*/ wire.nullish(wire.int, "game 2 only"),
  ilvl: wire.int,
  note: /*#__PURE__*/ wire.nullish(wire.string, "user-generated text"),
  forum_note: /*#__PURE__*/ wire.nullish(wire.string, "user-generated text"),
  lockedToCharacter: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  lockedToAccount: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  duplicated: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  split: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  corrupted: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  sanctified: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "game 2 only; always true if present"),
  unmodifiable: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  unmodifiableExceptChaos: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  cisRaceReward: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  seaRaceReward: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  thRaceReward: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  properties: /*#__PURE__*/ wire.nullish(properties),
  notableProperties: /*#__PURE__*/ wire.nullish(properties),
  requirements: /*#__PURE__*/ wire.nullish(properties),
  weaponRequirements: /*#__PURE__*/ wire.nullish(properties, "game 2 only"),
  supportGemRequirements: /*#__PURE__*/ wire.nullish(properties, "game 2 only"),
  additionalProperties: /*#__PURE__*/ wire.nullish(properties),
  nextLevelRequirements: /*#__PURE__*/ wire.nullish(properties),
  grantedSkills: /*#__PURE__*/ wire.nullish(properties, "game 2 only"),
  talismanTier: /*#__PURE__*/ wire.nullish(wire.int),
  rewards: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(Reward)),
  secDescrText: /*#__PURE__*/ wire.nullish(wire.string),
  utilityMods: /*#__PURE__*/ wire.nullish(wire.strings),
  logbookMods: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(LogbookMod)),
  enchantMods: /*#__PURE__*/ wire.nullish(wire.strings),
  runeMods: /*#__PURE__*/ wire.nullish(wire.strings, "game 2 only"),
  scourgeMods: /*#__PURE__*/ wire.nullish(wire.strings),
  implicitMods: /*#__PURE__*/ wire.nullish(ItemMods),
  ultimatumMods: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(UltimatumMod)),
  explicitMods: /*#__PURE__*/ wire.nullish(ItemMods),
  craftedMods: /*#__PURE__*/ wire.nullish(wire.strings),
  fracturedMods: /*#__PURE__*/ wire.nullish(wire.strings),
  crucibleMods: /*#__PURE__*/ wire.nullish(wire.strings, "only allocated mods included"),
  cosmeticMods: /*#__PURE__*/ wire.nullish(wire.strings),
  veiledMods: /*#__PURE__*/ wire.nullish(wire.strings, "random video identifier"),
  veiled: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  desecratedMods: /*#__PURE__*/ wire.nullish(wire.strings, "game 2 only"),
  desecrated: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "game 2 only; always true if present"),
  gemTabs: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(GemTab), "game 2 only"),
  gemBackground: /*#__PURE__*/ wire.nullish(wire.string, "game 2 only"),
  gemSkill: /*#__PURE__*/ wire.nullish(wire.string, "game 2 only"),
  descrText: /*#__PURE__*/ wire.nullish(wire.string),
  flavourText: /*#__PURE__*/ wire.nullish(wire.strings),
  flavourTextNote: /*#__PURE__*/ wire.nullish(wire.string, "user-generated text"),
  prophecyText: /*#__PURE__*/ wire.nullish(wire.string),
  isRelic: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  foilVariation: /*#__PURE__*/ wire.nullish(wire.int),
  replica: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  foreseeing: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  incubatedItem: /*#__PURE__*/ wire.nullish(IncubatedItem),
  scourged: /*#__PURE__*/ wire.nullish(Scourged),
  crucible: /*#__PURE__*/ wire.nullish(Crucible),
  ruthless: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  frameType: /*#__PURE__*/ wire.nullish(FrameType, "FrameType"),
  artFilename: /*#__PURE__*/ wire.nullish(wire.string),
  hybrid: /*#__PURE__*/ wire.nullish(Hybrid),
  extended: /*#__PURE__*/ wire.nullish(Extended, "only present in the public stash stream"),
  x: /*#__PURE__*/ wire.nullish(wire.uint),
  y: /*#__PURE__*/ wire.nullish(wire.uint),
  inventoryId: /*#__PURE__*/ wire.nullish(wire.string),
  socket: /*#__PURE__*/ wire.nullish(wire.uint),
  colour: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["S", "D", "I", "G"]),
    "`S`, `D`, `I`, or `G`",
  ),
};

const recursive = {
  socketedItems: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.array(/*#__PURE__*/ Schema.suspend((): wire.Wire<Item> => Item)),
  ),
};

/** An item. */
export type Item = Plain.Item;
export const Item: wire.RecordSchema<Item, typeof fields & typeof recursive> =
  /*#__PURE__*/ wire.record(Plain.Item, "An item", {
    ...fields,
    ...recursive,
  });
