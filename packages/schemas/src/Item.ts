/**
 * An item (§2, Item): the largest record, and the one that fills stash pages.
 *
 * Most members are optional: look at `frameType` and `rarity` for what an item is, at `properties`
 * and the mod lists for what it does. `socketedItems` nests items; nesting beyond 32 levels is
 * refused. The page `docs/item.md` lists every key with the specification's notes.
 */
import type * as Schema from "effect/Schema";
import { FrameType } from "./FrameType.ts";
import { GemTab } from "./GemTab.ts";
import { check } from "./internal/generated/Item.ts";
import {
  array,
  bool,
  flag,
  formatted,
  int,
  maybe,
  record,
  string,
  strings,
  uint,
  word,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";
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
} from "./internal/itemParts.ts";
import { nested } from "./internal/nested.ts";
import { ItemMods } from "./ItemMod.ts";
import { ItemProperty } from "./ItemProperty.ts";
import { ItemSocket } from "./ItemSocket.ts";

const properties = /*#__PURE__*/ array(ItemProperty);

const fields = {
  realm: /*#__PURE__*/ maybe(/*#__PURE__*/ word(["game2"]), "always `game2` if present"),
  verified: bool,
  w: uint,
  h: uint,
  icon: string,
  support: /*#__PURE__*/ maybe(flag, "always true if present"),
  stackSize: /*#__PURE__*/ maybe(int),
  maxStackSize: /*#__PURE__*/ maybe(int),
  stackSizeText: /*#__PURE__*/ maybe(string),
  iconTierText: /*#__PURE__*/ maybe(string, "usually roman numerals"),
  league: /*#__PURE__*/ maybe(string),
  id: /*#__PURE__*/ maybe(/*#__PURE__*/ formatted("hex-64"), "unique 64-digit hexadecimal string"),
  gemSockets: /*#__PURE__*/ maybe(
    /*#__PURE__*/ array(/*#__PURE__*/ word(["W"])),
    "game 2 only; each string is always `W`",
  ),
  influences: /*#__PURE__*/ maybe(Influences, "each member is always true if present"),
  memoryItem: /*#__PURE__*/ maybe(flag, "always true if present"),
  abyssJewel: /*#__PURE__*/ maybe(flag, "always true if present"),
  delve: /*#__PURE__*/ maybe(flag, "always true if present"),
  fractured: /*#__PURE__*/ maybe(flag, "always true if present"),
  synthesised: /*#__PURE__*/ maybe(flag, "always true if present"),
  sockets: /*#__PURE__*/ maybe(/*#__PURE__*/ array(ItemSocket)),
  name: string,
  typeLine: string,
  baseType: string,
  rarity: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["Normal", "Magic", "Rare", "Unique"]),
    "`Normal`, `Magic`, `Rare`, or `Unique`",
  ),
  identified: bool,
  itemLevel: /*#__PURE__*/ maybe(int, "for items that always display their item level"),
  unidentifiedTier: /*#__PURE__*/ maybe(int, "game 2 only"),
  ilvl: int,
  note: /*#__PURE__*/ maybe(string, "user-generated text"),
  forum_note: /*#__PURE__*/ maybe(string, "user-generated text"),
  lockedToCharacter: /*#__PURE__*/ maybe(flag, "always true if present"),
  lockedToAccount: /*#__PURE__*/ maybe(flag, "always true if present"),
  duplicated: /*#__PURE__*/ maybe(flag, "always true if present"),
  split: /*#__PURE__*/ maybe(flag, "always true if present"),
  corrupted: /*#__PURE__*/ maybe(flag, "always true if present"),
  sanctified: /*#__PURE__*/ maybe(flag, "game 2 only; always true if present"),
  unmodifiable: /*#__PURE__*/ maybe(flag, "always true if present"),
  unmodifiableExceptChaos: /*#__PURE__*/ maybe(flag, "always true if present"),
  cisRaceReward: /*#__PURE__*/ maybe(flag, "always true if present"),
  seaRaceReward: /*#__PURE__*/ maybe(flag, "always true if present"),
  thRaceReward: /*#__PURE__*/ maybe(flag, "always true if present"),
  properties: /*#__PURE__*/ maybe(properties),
  notableProperties: /*#__PURE__*/ maybe(properties),
  requirements: /*#__PURE__*/ maybe(properties),
  weaponRequirements: /*#__PURE__*/ maybe(properties, "game 2 only"),
  supportGemRequirements: /*#__PURE__*/ maybe(properties, "game 2 only"),
  additionalProperties: /*#__PURE__*/ maybe(properties),
  nextLevelRequirements: /*#__PURE__*/ maybe(properties),
  grantedSkills: /*#__PURE__*/ maybe(properties, "game 2 only"),
  talismanTier: /*#__PURE__*/ maybe(int),
  rewards: /*#__PURE__*/ maybe(/*#__PURE__*/ array(Reward)),
  secDescrText: /*#__PURE__*/ maybe(string),
  utilityMods: /*#__PURE__*/ maybe(strings),
  logbookMods: /*#__PURE__*/ maybe(/*#__PURE__*/ array(LogbookMod)),
  enchantMods: /*#__PURE__*/ maybe(strings),
  runeMods: /*#__PURE__*/ maybe(strings, "game 2 only"),
  scourgeMods: /*#__PURE__*/ maybe(strings),
  implicitMods: /*#__PURE__*/ maybe(ItemMods),
  ultimatumMods: /*#__PURE__*/ maybe(/*#__PURE__*/ array(UltimatumMod)),
  explicitMods: /*#__PURE__*/ maybe(ItemMods),
  craftedMods: /*#__PURE__*/ maybe(strings),
  fracturedMods: /*#__PURE__*/ maybe(strings),
  crucibleMods: /*#__PURE__*/ maybe(strings, "only allocated mods included"),
  cosmeticMods: /*#__PURE__*/ maybe(strings),
  veiledMods: /*#__PURE__*/ maybe(strings, "random video identifier"),
  veiled: /*#__PURE__*/ maybe(flag, "always true if present"),
  desecratedMods: /*#__PURE__*/ maybe(strings, "game 2 only"),
  desecrated: /*#__PURE__*/ maybe(flag, "game 2 only; always true if present"),
  gemTabs: /*#__PURE__*/ maybe(/*#__PURE__*/ array(GemTab), "game 2 only"),
  gemBackground: /*#__PURE__*/ maybe(string, "game 2 only"),
  gemSkill: /*#__PURE__*/ maybe(string, "game 2 only"),
  descrText: /*#__PURE__*/ maybe(string),
  flavourText: /*#__PURE__*/ maybe(strings),
  flavourTextNote: /*#__PURE__*/ maybe(string, "user-generated text"),
  prophecyText: /*#__PURE__*/ maybe(string),
  isRelic: /*#__PURE__*/ maybe(flag, "always true if present"),
  foilVariation: /*#__PURE__*/ maybe(int),
  replica: /*#__PURE__*/ maybe(flag, "always true if present"),
  foreseeing: /*#__PURE__*/ maybe(flag, "always true if present"),
  incubatedItem: /*#__PURE__*/ maybe(IncubatedItem),
  scourged: /*#__PURE__*/ maybe(Scourged),
  crucible: /*#__PURE__*/ maybe(Crucible),
  ruthless: /*#__PURE__*/ maybe(flag, "always true if present"),
  frameType: /*#__PURE__*/ maybe(FrameType, "FrameType"),
  artFilename: /*#__PURE__*/ maybe(string),
  hybrid: /*#__PURE__*/ maybe(Hybrid),
  extended: /*#__PURE__*/ maybe(Extended, "only present in the public stash stream"),
  x: /*#__PURE__*/ maybe(uint),
  y: /*#__PURE__*/ maybe(uint),
  inventoryId: /*#__PURE__*/ maybe(string),
  socket: /*#__PURE__*/ maybe(uint),
  colour: /*#__PURE__*/ maybe(/*#__PURE__*/ word(["S", "D", "I", "G"]), "`S`, `D`, `I`, or `G`"),
};

const recursive = {
  socketedItems: /*#__PURE__*/ maybe(
    /*#__PURE__*/ array(/*#__PURE__*/ nested((): Wire<Item> => Item)),
  ),
};

/** An item. */
export interface Item extends Schema.Struct.Type<typeof fields> {
  /** The items in this item's sockets, which carry `socket` and `colour`. */
  readonly socketedItems?: ReadonlyArray<Item> | null;
}
/** An item. */
export const Item: RecordSchema<Item, typeof fields & typeof recursive> =
  /*#__PURE__*/ record<Item>()(
    "Item",
    "An item",
    {
      ...fields,
      ...recursive,
    },
    check,
  );
