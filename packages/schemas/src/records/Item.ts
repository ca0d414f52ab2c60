import {
  dictionary,
  either,
  type Members,
  optional,
  type PlainRecord,
  record,
  words,
} from "../record.ts";
import { CrucibleNode } from "./CrucibleNode.ts";
import { frameType } from "./FrameType.ts";
import { GemTab } from "./GemTab.ts";
import { ItemMod } from "./ItemMod.ts";
import { ItemProperty } from "./ItemProperty.ts";
import { ItemSocket } from "./ItemSocket.ts";

const properties = optional([ItemProperty]);
const mods = optional([either("string", ItemMod)]);
const item = {
  /** Always `game2` if present. */
  realm: optional(words("game2")),
  verified: "bool",
  w: "uint",
  h: "uint",
  icon: "string",
  support: "?true",
  stackSize: "?int",
  maxStackSize: "?int",
  stackSizeText: "?string",
  /** Tier as text, usually in roman numerals. */
  iconTierText: "?string",
  league: "?string",
  /** Unique 64-digit hexadecimal string. */
  id: "?hex-64",
  /** Game 2 only; each string is always `W`. */
  gemSockets: optional([words("W")]),
  /** Services send further influences, which are kept. */
  influences: optional({ elder: "?true", shaper: "?true", searing: "?true", tangled: "?true" }),
  memoryItem: "?true",
  abyssJewel: "?true",
  delve: "?true",
  fractured: "?true",
  synthesised: "?true",
  sockets: optional([ItemSocket]),
  name: "string",
  typeLine: "string",
  baseType: "string",
  rarity: optional(words("Normal Magic Rare Unique")),
  identified: "bool",
  /** Item level of items that always display it. */
  itemLevel: "?int",
  /** Game 2 only. */
  unidentifiedTier: "?int",
  /** Item level. */
  ilvl: "int",
  /** User-generated text. */
  note: "?string",
  /** User-generated text. */
  forum_note: "?string",
  lockedToCharacter: "?true",
  lockedToAccount: "?true",
  duplicated: "?true",
  split: "?true",
  corrupted: "?true",
  /** Game 2 only. */
  sanctified: "?true",
  unmodifiable: "?true",
  unmodifiableExceptChaos: "?true",
  cisRaceReward: "?true",
  seaRaceReward: "?true",
  thRaceReward: "?true",
  properties,
  notableProperties: properties,
  requirements: properties,
  /** Game 2 only. */
  weaponRequirements: properties,
  /** Game 2 only. */
  supportGemRequirements: properties,
  additionalProperties: properties,
  nextLevelRequirements: properties,
  /** Game 2 only. */
  grantedSkills: properties,
  talismanTier: "?int",
  rewards: optional([
    {
      label: "string",
      /** Key = reward type string, value = amount. */
      rewards: dictionary("int"),
    },
  ]),
  secDescrText: "?string",
  utilityMods: "?string[]",
  logbookMods: optional([
    {
      /** Area name. */
      name: "string",
      faction: {
        id: words("Faction1 Faction2 Faction3 Faction4"),
        name: "string",
      },
      mods: "string[]",
    },
  ]),
  enchantMods: "?string[]",
  /** Game 2 only. */
  runeMods: "?string[]",
  scourgeMods: "?string[]",
  implicitMods: mods,
  ultimatumMods: optional([
    {
      /** Text for the mod's icons. */
      type: "string",
      tier: "uint",
    },
  ]),
  explicitMods: mods,
  craftedMods: "?string[]",
  fracturedMods: "?string[]",
  /** Only allocated mods included. */
  crucibleMods: "?string[]",
  cosmeticMods: "?string[]",
  /** Random video identifier. */
  veiledMods: "?string[]",
  veiled: "?true",
  /** Game 2 only. */
  desecratedMods: "?string[]",
  /** Game 2 only. */
  desecrated: "?true",
  /** Game 2 only. */
  gemTabs: optional([GemTab]),
  /** Game 2 only. */
  gemBackground: "?string",
  /** Game 2 only. */
  gemSkill: "?string",
  descrText: "?string",
  flavourText: "?string[]",
  /** User-generated text. */
  flavourTextNote: "?string",
  prophecyText: "?string",
  isRelic: "?true",
  foilVariation: "?int",
  replica: "?true",
  foreseeing: "?true",
  incubatedItem: optional({
    name: "string",
    /** Monster level required to progress. */
    level: "uint",
    progress: "uint",
    total: "uint",
  }),
  scourged: optional({
    /** 1-3 for items, 1-10 for maps. */
    tier: "1..10",
    /** Monster level required to progress. */
    level: "?uint",
    progress: "?uint",
    total: "?uint",
  }),
  crucible: optional({
    /** URL of an image with the layout of the tree. */
    layout: "string",
    /** Key = node index as string. */
    nodes: dictionary(CrucibleNode),
  }),
  ruthless: "?true",
  /** See `FrameTypeNames`. */
  frameType: optional(frameType),
  artFilename: "?string",
  hybrid: optional({
    isVaalGem: "?bool",
    baseTypeName: "string",
    properties,
    explicitMods: mods,
    secDescrText: "?string",
  }),
  /** Only present in the public stash stream. */
  extended: optional({ prefixes: "?uint", suffixes: "?uint" }),
  x: "?uint",
  y: "?uint",
  inventoryId: "?string",
  socket: "?uint",
  colour: optional(words("S D I G")),
  socketedItems: "?this[]",
} as const;
/**
 * An item. Most of a page of the stash stream consists of items.
 *
 * `frameType` and `rarity` give the kind of an item, `properties` and the lists of mods its
 * effects. Items in sockets nest. More than 32 levels are refused.
 */
export interface Item extends Members<typeof item, Item> {}
export const Item: PlainRecord<Item> = record("Item", item);
