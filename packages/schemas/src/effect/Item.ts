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
import {
  array,
  bool,
  alwaysTrue,
  formattedString,
  int,
  nullish,
  record,
  string,
  strings,
  uint,
  openEnum,
  type RecordSchema,
  type Wire,
} from "../internal/wire.ts";
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

const properties = /*#__PURE__*/ array(ItemProperty);

const fields = {
  realm: /*#__PURE__*/ nullish(/*#__PURE__*/ openEnum(["game2"]), "always `game2` if present"),
  verified: bool,
  w: uint,
  h: uint,
  icon: string,
  support: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  stackSize: /*#__PURE__*/ nullish(int),
  maxStackSize: /*#__PURE__*/ nullish(int),
  stackSizeText: /*#__PURE__*/ nullish(string),
  iconTierText: /*#__PURE__*/ nullish(string, "usually roman numerals"),
  league: /*#__PURE__*/ nullish(string),
  id: /*#__PURE__*/ nullish(
    /*#__PURE__*/ formattedString("hex-64"),
    "unique 64-digit hexadecimal string",
  ),
  gemSockets: /*#__PURE__*/ nullish(
    /*#__PURE__*/ array(/*#__PURE__*/ openEnum(["W"])),
    "game 2 only; each string is always `W`",
  ),
  influences: /*#__PURE__*/ nullish(Influences, "each member is always true if present"),
  memoryItem: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  abyssJewel: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  delve: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  fractured: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  synthesised: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  sockets: /*#__PURE__*/ nullish(/*#__PURE__*/ array(ItemSocket)),
  name: string,
  typeLine: string,
  baseType: string,
  rarity: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openEnum(["Normal", "Magic", "Rare", "Unique"]),
    "`Normal`, `Magic`, `Rare`, or `Unique`",
  ),
  identified: bool,
  itemLevel: /*#__PURE__*/ nullish(int, "for items that always display their item level"),
  unidentifiedTier: /*#__PURE__*/ nullish(int, "game 2 only"),
  ilvl: int,
  note: /*#__PURE__*/ nullish(string, "user-generated text"),
  forum_note: /*#__PURE__*/ nullish(string, "user-generated text"),
  lockedToCharacter: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  lockedToAccount: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  duplicated: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  split: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  corrupted: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  sanctified: /*#__PURE__*/ nullish(alwaysTrue, "game 2 only; always true if present"),
  unmodifiable: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  unmodifiableExceptChaos: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  cisRaceReward: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  seaRaceReward: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  thRaceReward: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  properties: /*#__PURE__*/ nullish(properties),
  notableProperties: /*#__PURE__*/ nullish(properties),
  requirements: /*#__PURE__*/ nullish(properties),
  weaponRequirements: /*#__PURE__*/ nullish(properties, "game 2 only"),
  supportGemRequirements: /*#__PURE__*/ nullish(properties, "game 2 only"),
  additionalProperties: /*#__PURE__*/ nullish(properties),
  nextLevelRequirements: /*#__PURE__*/ nullish(properties),
  grantedSkills: /*#__PURE__*/ nullish(properties, "game 2 only"),
  talismanTier: /*#__PURE__*/ nullish(int),
  rewards: /*#__PURE__*/ nullish(/*#__PURE__*/ array(Reward)),
  secDescrText: /*#__PURE__*/ nullish(string),
  utilityMods: /*#__PURE__*/ nullish(strings),
  logbookMods: /*#__PURE__*/ nullish(/*#__PURE__*/ array(LogbookMod)),
  enchantMods: /*#__PURE__*/ nullish(strings),
  runeMods: /*#__PURE__*/ nullish(strings, "game 2 only"),
  scourgeMods: /*#__PURE__*/ nullish(strings),
  implicitMods: /*#__PURE__*/ nullish(ItemMods),
  ultimatumMods: /*#__PURE__*/ nullish(/*#__PURE__*/ array(UltimatumMod)),
  explicitMods: /*#__PURE__*/ nullish(ItemMods),
  craftedMods: /*#__PURE__*/ nullish(strings),
  fracturedMods: /*#__PURE__*/ nullish(strings),
  crucibleMods: /*#__PURE__*/ nullish(strings, "only allocated mods included"),
  cosmeticMods: /*#__PURE__*/ nullish(strings),
  veiledMods: /*#__PURE__*/ nullish(strings, "random video identifier"),
  veiled: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  desecratedMods: /*#__PURE__*/ nullish(strings, "game 2 only"),
  desecrated: /*#__PURE__*/ nullish(alwaysTrue, "game 2 only; always true if present"),
  gemTabs: /*#__PURE__*/ nullish(/*#__PURE__*/ array(GemTab), "game 2 only"),
  gemBackground: /*#__PURE__*/ nullish(string, "game 2 only"),
  gemSkill: /*#__PURE__*/ nullish(string, "game 2 only"),
  descrText: /*#__PURE__*/ nullish(string),
  flavourText: /*#__PURE__*/ nullish(strings),
  flavourTextNote: /*#__PURE__*/ nullish(string, "user-generated text"),
  prophecyText: /*#__PURE__*/ nullish(string),
  isRelic: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  foilVariation: /*#__PURE__*/ nullish(int),
  replica: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  foreseeing: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  incubatedItem: /*#__PURE__*/ nullish(IncubatedItem),
  scourged: /*#__PURE__*/ nullish(Scourged),
  crucible: /*#__PURE__*/ nullish(Crucible),
  ruthless: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  frameType: /*#__PURE__*/ nullish(FrameType, "FrameType"),
  artFilename: /*#__PURE__*/ nullish(string),
  hybrid: /*#__PURE__*/ nullish(Hybrid),
  extended: /*#__PURE__*/ nullish(Extended, "only present in the public stash stream"),
  x: /*#__PURE__*/ nullish(uint),
  y: /*#__PURE__*/ nullish(uint),
  inventoryId: /*#__PURE__*/ nullish(string),
  socket: /*#__PURE__*/ nullish(uint),
  colour: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openEnum(["S", "D", "I", "G"]),
    "`S`, `D`, `I`, or `G`",
  ),
};

const recursive = {
  socketedItems: /*#__PURE__*/ nullish(
    /*#__PURE__*/ array(/*#__PURE__*/ Schema.suspend((): Wire<Item> => Item)),
  ),
};

/** An item. */
export type Item = Plain.Item;
/** An item. */
export const Item: RecordSchema<Item, typeof fields & typeof recursive> =
  /*#__PURE__*/ record<Item>()(Plain.Item, "An item", {
    ...fields,
    ...recursive,
  });
