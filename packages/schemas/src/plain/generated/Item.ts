/**
 * An item.
 *
 * Generated from the schema of `Item` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Item } from "@game-data/schemas";
 *
 * const result = Item.safeDecode(null);
 * if (result.ok) throw new Error("null is no Item");
 * ```
 */
import { MAX_DEPTH } from "../depth.ts";
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isStrings, isUint } from "../tests.ts";
import type { FrameType } from "../FrameType.ts";
import { check as checkCrucibleNode, CrucibleNode } from "./CrucibleNode.ts";
import { check as checkGemTab, GemTab } from "./GemTab.ts";
import { check as checkItemMod, ItemMod } from "./ItemMod.ts";
import { check as checkItemProperty, ItemProperty } from "./ItemProperty.ts";
import { check as checkItemSocket, ItemSocket } from "./ItemSocket.ts";

/** An item. */
export interface Item {
  /** Always `game2` if present. */
  readonly realm?: "game2" | (string & {}) | null;
  readonly verified: boolean;
  readonly w: number;
  readonly h: number;
  readonly icon: string;
  /** Always true if present. */
  readonly support?: boolean | null;
  readonly stackSize?: number | null;
  readonly maxStackSize?: number | null;
  readonly stackSizeText?: string | null;
  /** Usually roman numerals. */
  readonly iconTierText?: string | null;
  readonly league?: string | null;
  /** Unique 64-digit hexadecimal string. */
  readonly id?: string | null;
  /** Game 2 only; each string is always `W`. */
  readonly gemSockets?: ReadonlyArray<"W" | (string & {})> | null;
  /** Each member is always true if present. */
  readonly influences?: {
    /** Always true if present. */
    readonly elder?: boolean | null;
    /** Always true if present. */
    readonly shaper?: boolean | null;
    /** Always true if present. */
    readonly searing?: boolean | null;
    /** Always true if present. */
    readonly tangled?: boolean | null;
  } | null;
  /** Always true if present. */
  readonly memoryItem?: boolean | null;
  /** Always true if present. */
  readonly abyssJewel?: boolean | null;
  /** Always true if present. */
  readonly delve?: boolean | null;
  /** Always true if present. */
  readonly fractured?: boolean | null;
  /** Always true if present. */
  readonly synthesised?: boolean | null;
  readonly sockets?: ReadonlyArray<ItemSocket> | null;
  readonly name: string;
  readonly typeLine: string;
  readonly baseType: string;
  /** `Normal`, `Magic`, `Rare`, or `Unique`. */
  readonly rarity?: "Normal" | "Magic" | "Rare" | "Unique" | (string & {}) | null;
  readonly identified: boolean;
  /** For items that always display their item level. */
  readonly itemLevel?: number | null;
  /** Game 2 only. */
  readonly unidentifiedTier?: number | null;
  readonly ilvl: number;
  /** User-generated text. */
  readonly note?: string | null;
  /** User-generated text. */
  readonly forum_note?: string | null;
  /** Always true if present. */
  readonly lockedToCharacter?: boolean | null;
  /** Always true if present. */
  readonly lockedToAccount?: boolean | null;
  /** Always true if present. */
  readonly duplicated?: boolean | null;
  /** Always true if present. */
  readonly split?: boolean | null;
  /** Always true if present. */
  readonly corrupted?: boolean | null;
  /** Game 2 only; always true if present. */
  readonly sanctified?: boolean | null;
  /** Always true if present. */
  readonly unmodifiable?: boolean | null;
  /** Always true if present. */
  readonly unmodifiableExceptChaos?: boolean | null;
  /** Always true if present. */
  readonly cisRaceReward?: boolean | null;
  /** Always true if present. */
  readonly seaRaceReward?: boolean | null;
  /** Always true if present. */
  readonly thRaceReward?: boolean | null;
  readonly properties?: ReadonlyArray<ItemProperty> | null;
  readonly notableProperties?: ReadonlyArray<ItemProperty> | null;
  readonly requirements?: ReadonlyArray<ItemProperty> | null;
  /** Game 2 only. */
  readonly weaponRequirements?: ReadonlyArray<ItemProperty> | null;
  /** Game 2 only. */
  readonly supportGemRequirements?: ReadonlyArray<ItemProperty> | null;
  readonly additionalProperties?: ReadonlyArray<ItemProperty> | null;
  readonly nextLevelRequirements?: ReadonlyArray<ItemProperty> | null;
  /** Game 2 only. */
  readonly grantedSkills?: ReadonlyArray<ItemProperty> | null;
  readonly talismanTier?: number | null;
  readonly rewards?: ReadonlyArray<{
    readonly label: string;
    /** Key = reward type string, value = amount. */
    readonly rewards: { readonly [key: string]: number } | Readonly<Record<string, never>>;
  }> | null;
  readonly secDescrText?: string | null;
  readonly utilityMods?: ReadonlyArray<string> | null;
  readonly logbookMods?: ReadonlyArray<{
    /** Area name. */
    readonly name: string;
    readonly faction: {
      /** `Faction1`, `Faction2`, `Faction3` or `Faction4`. */
      readonly id: "Faction1" | "Faction2" | "Faction3" | "Faction4" | (string & {});
      readonly name: string;
    };
    readonly mods: ReadonlyArray<string>;
  }> | null;
  readonly enchantMods?: ReadonlyArray<string> | null;
  /** Game 2 only. */
  readonly runeMods?: ReadonlyArray<string> | null;
  readonly scourgeMods?: ReadonlyArray<string> | null;
  readonly implicitMods?: ReadonlyArray<string | ItemMod> | null;
  readonly ultimatumMods?: ReadonlyArray<{
    /** Text for icons. */
    readonly type: string;
    readonly tier: number;
  }> | null;
  readonly explicitMods?: ReadonlyArray<string | ItemMod> | null;
  readonly craftedMods?: ReadonlyArray<string> | null;
  readonly fracturedMods?: ReadonlyArray<string> | null;
  /** Only allocated mods included. */
  readonly crucibleMods?: ReadonlyArray<string> | null;
  readonly cosmeticMods?: ReadonlyArray<string> | null;
  /** Random video identifier. */
  readonly veiledMods?: ReadonlyArray<string> | null;
  /** Always true if present. */
  readonly veiled?: boolean | null;
  /** Game 2 only. */
  readonly desecratedMods?: ReadonlyArray<string> | null;
  /** Game 2 only; always true if present. */
  readonly desecrated?: boolean | null;
  /** Game 2 only. */
  readonly gemTabs?: ReadonlyArray<GemTab> | null;
  /** Game 2 only. */
  readonly gemBackground?: string | null;
  /** Game 2 only. */
  readonly gemSkill?: string | null;
  readonly descrText?: string | null;
  readonly flavourText?: ReadonlyArray<string> | null;
  /** User-generated text. */
  readonly flavourTextNote?: string | null;
  readonly prophecyText?: string | null;
  /** Always true if present. */
  readonly isRelic?: boolean | null;
  readonly foilVariation?: number | null;
  /** Always true if present. */
  readonly replica?: boolean | null;
  /** Always true if present. */
  readonly foreseeing?: boolean | null;
  readonly incubatedItem?: {
    readonly name: string;
    /** Monster level required to progress. */
    readonly level: number;
    readonly progress: number;
    readonly total: number;
  } | null;
  readonly scourged?: {
    /** 1-3 for items, 1-10 for maps. */
    readonly tier: number;
    /** Monster level to progress. */
    readonly level?: number | null;
    readonly progress?: number | null;
    readonly total?: number | null;
  } | null;
  readonly crucible?: {
    /** URL of tree layout image. */
    readonly layout: string;
    /** Key = node index as string. */
    readonly nodes: { readonly [key: string]: CrucibleNode } | Readonly<Record<string, never>>;
  } | null;
  /** Always true if present. */
  readonly ruthless?: boolean | null;
  /** FrameType. */
  readonly frameType?: FrameType | null;
  readonly artFilename?: string | null;
  readonly hybrid?: {
    readonly isVaalGem?: boolean | null;
    readonly baseTypeName: string;
    readonly properties?: ReadonlyArray<ItemProperty> | null;
    readonly explicitMods?: ReadonlyArray<string | ItemMod> | null;
    readonly secDescrText?: string | null;
  } | null;
  /** Only present in the public stash stream. */
  readonly extended?: {
    readonly prefixes?: number | null;
    readonly suffixes?: number | null;
  } | null;
  readonly x?: number | null;
  readonly y?: number | null;
  readonly inventoryId?: string | null;
  readonly socket?: number | null;
  /** `S`, `D`, `I`, or `G`. */
  readonly colour?: "S" | "D" | "I" | "G" | (string & {}) | null;
  readonly socketedItems?: ReadonlyArray<Item> | null;
}

/** An item. */
export const Item: PlainRecord<Item> = /*#__PURE__*/ makeRecord(
  "Item",
  {
    "realm?": "sn",
    verified: "b",
    w: "u",
    h: "u",
    icon: "s",
    "support?": "bn",
    "stackSize?": "in",
    "maxStackSize?": "in",
    "stackSizeText?": "sn",
    "iconTierText?": "sn",
    "league?": "sn",
    "id?": "sn",
    "gemSockets?": ["|", "n", ["[", "s"]],
    "influences?": [
      "|",
      "n",
      { "elder?": "bn", "shaper?": "bn", "searing?": "bn", "tangled?": "bn" },
    ],
    "memoryItem?": "bn",
    "abyssJewel?": "bn",
    "delve?": "bn",
    "fractured?": "bn",
    "synthesised?": "bn",
    "sockets?": ["|", "n", ["[", ["@", ItemSocket]]],
    name: "s",
    typeLine: "s",
    baseType: "s",
    "rarity?": "sn",
    identified: "b",
    "itemLevel?": "in",
    "unidentifiedTier?": "in",
    ilvl: "i",
    "note?": "sn",
    "forum_note?": "sn",
    "lockedToCharacter?": "bn",
    "lockedToAccount?": "bn",
    "duplicated?": "bn",
    "split?": "bn",
    "corrupted?": "bn",
    "sanctified?": "bn",
    "unmodifiable?": "bn",
    "unmodifiableExceptChaos?": "bn",
    "cisRaceReward?": "bn",
    "seaRaceReward?": "bn",
    "thRaceReward?": "bn",
    "properties?": ["|", "n", ["[", ["@", ItemProperty]]],
    "notableProperties?": ["|", "n", ["[", ["@", ItemProperty]]],
    "requirements?": ["|", "n", ["[", ["@", ItemProperty]]],
    "weaponRequirements?": ["|", "n", ["[", ["@", ItemProperty]]],
    "supportGemRequirements?": ["|", "n", ["[", ["@", ItemProperty]]],
    "additionalProperties?": ["|", "n", ["[", ["@", ItemProperty]]],
    "nextLevelRequirements?": ["|", "n", ["[", ["@", ItemProperty]]],
    "grantedSkills?": ["|", "n", ["[", ["@", ItemProperty]]],
    "talismanTier?": "in",
    "rewards?": ["|", "n", ["[", { label: "s", rewards: ["|", ["{", "i"], ["(", true]] }]],
    "secDescrText?": "sn",
    "utilityMods?": ["|", "n", ["[", "s"]],
    "logbookMods?": [
      "|",
      "n",
      ["[", { name: "s", faction: { id: "s", name: "s" }, mods: ["[", "s"] }],
    ],
    "enchantMods?": ["|", "n", ["[", "s"]],
    "runeMods?": ["|", "n", ["[", "s"]],
    "scourgeMods?": ["|", "n", ["[", "s"]],
    "implicitMods?": ["|", "n", ["[", ["|", "s", ["@", ItemMod]]]],
    "ultimatumMods?": ["|", "n", ["[", { type: "s", tier: "u" }]],
    "explicitMods?": ["|", "n", ["[", ["|", "s", ["@", ItemMod]]]],
    "craftedMods?": ["|", "n", ["[", "s"]],
    "fracturedMods?": ["|", "n", ["[", "s"]],
    "crucibleMods?": ["|", "n", ["[", "s"]],
    "cosmeticMods?": ["|", "n", ["[", "s"]],
    "veiledMods?": ["|", "n", ["[", "s"]],
    "veiled?": "bn",
    "desecratedMods?": ["|", "n", ["[", "s"]],
    "desecrated?": "bn",
    "gemTabs?": ["|", "n", ["[", ["@", GemTab]]],
    "gemBackground?": "sn",
    "gemSkill?": "sn",
    "descrText?": "sn",
    "flavourText?": ["|", "n", ["[", "s"]],
    "flavourTextNote?": "sn",
    "prophecyText?": "sn",
    "isRelic?": "bn",
    "foilVariation?": "in",
    "replica?": "bn",
    "foreseeing?": "bn",
    "incubatedItem?": ["|", "n", { name: "s", level: "u", progress: "u", total: "u" }],
    "scourged?": ["|", "n", { tier: "u", "level?": "un", "progress?": "un", "total?": "un" }],
    "crucible?": ["|", "n", { layout: "s", nodes: ["|", ["{", ["@", CrucibleNode]], ["(", true]] }],
    "ruthless?": "bn",
    "frameType?": "un",
    "artFilename?": "sn",
    "hybrid?": [
      "|",
      "n",
      {
        "isVaalGem?": "bn",
        baseTypeName: "s",
        "properties?": ["|", "n", ["[", ["@", ItemProperty]]],
        "explicitMods?": ["|", "n", ["[", ["|", "s", ["@", ItemMod]]]],
        "secDescrText?": "sn",
      },
    ],
    "extended?": ["|", "n", { "prefixes?": "un", "suffixes?": "un" }],
    "x?": "un",
    "y?": "un",
    "inventoryId?": "sn",
    "socket?": "un",
    "colour?": "sn",
    "socketedItems?": ["|", "n", ["[", () => Item]],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "elder" || key === "shaper" || key === "searing" || key === "tangled") {
      if (!(typeof member === "boolean")) return false;
    }
  }
  return true;
}

function part3(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!Number.isSafeInteger(member)) return false;
  }
  return true;
}

function part4(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "label") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "rewards") {
      if (!(part3(member) || part4(member))) return false;
      required++;
    }
  }
  return required === 2;
}

function part6(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "id" || key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 2;
}

function part5(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "faction") {
      if (!part6(member)) return false;
      required++;
    } else if (key === "mods") {
      if (!isStrings(member)) return false;
      required++;
    }
  }
  return required === 3;
}

function part7(value: unknown): boolean {
  return typeof value === "string" || checkItemMod(value);
}

function part8(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "type") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "tier") {
      if (!isUint(member)) return false;
      required++;
    }
  }
  return required === 2;
}

function part9(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "level" || key === "progress" || key === "total") {
      if (!isUint(member)) return false;
      required++;
    }
  }
  return required === 4;
}

function part10(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "tier") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "level" || key === "progress" || key === "total") {
      if (!isUint(member)) return false;
    }
  }
  return required === 1;
}

function part12(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!checkCrucibleNode(member)) return false;
  }
  return true;
}

function part11(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "layout") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "nodes") {
      if (!(part12(member) || part4(member))) return false;
      required++;
    }
  }
  return required === 2;
}

function part13(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "baseTypeName") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "isVaalGem") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "properties") {
      if (!isEach(member, checkItemProperty)) return false;
    } else if (key === "explicitMods") {
      if (!(isStrings(member) || isEach(member, part7))) return false;
    } else if (key === "secDescrText") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 1;
}

function part14(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "prefixes" || key === "suffixes") {
      if (!isUint(member)) return false;
    }
  }
  return true;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    switch (key.length) {
      case 8:
        if (key === "verified") {
          if (!(typeof member === "boolean")) return false;
          required++;
        } else if (key === "typeLine" || key === "baseType") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "runeMods") {
          if (!isStrings(member)) return false;
        } else if (key === "gemSkill") {
          if (!(typeof member === "string")) return false;
        } else if (key === "scourged") {
          if (!part10(member)) return false;
        } else if (key === "crucible") {
          if (!part11(member)) return false;
        } else if (key === "ruthless") {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "extended") {
          if (!part14(member)) return false;
        }
        break;
      case 10:
        if (key === "identified") {
          if (!(typeof member === "boolean")) return false;
          required++;
        } else if (key === "gemSockets" || key === "veiledMods") {
          if (!isStrings(member)) return false;
        } else if (key === "influences") {
          if (!part1(member)) return false;
        } else if (
          key === "memoryItem" ||
          key === "abyssJewel" ||
          key === "duplicated" ||
          key === "sanctified" ||
          key === "desecrated" ||
          key === "foreseeing"
        ) {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "forum_note") {
          if (!(typeof member === "string")) return false;
        } else if (key === "properties") {
          if (!isEach(member, checkItemProperty)) return false;
        }
        break;
      case 11:
        if (key === "synthesised") {
          if (!(typeof member === "boolean")) return false;
        } else if (
          key === "utilityMods" ||
          key === "enchantMods" ||
          key === "scourgeMods" ||
          key === "craftedMods" ||
          key === "flavourText"
        ) {
          if (!isStrings(member)) return false;
        } else if (key === "logbookMods") {
          if (!isEach(member, part5)) return false;
        } else if (key === "artFilename" || key === "inventoryId") {
          if (!(typeof member === "string")) return false;
        }
        break;
      case 12:
        if (key === "maxStackSize" || key === "talismanTier") {
          if (!Number.isSafeInteger(member)) return false;
        } else if (key === "iconTierText" || key === "secDescrText" || key === "prophecyText") {
          if (!(typeof member === "string")) return false;
        } else if (key === "unmodifiable" || key === "thRaceReward") {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "requirements") {
          if (!isEach(member, checkItemProperty)) return false;
        } else if (key === "implicitMods" || key === "explicitMods") {
          if (!(isStrings(member) || isEach(member, part7))) return false;
        } else if (key === "crucibleMods" || key === "cosmeticMods") {
          if (!isStrings(member)) return false;
        }
        break;
      case 13:
        if (key === "stackSizeText" || key === "gemBackground") {
          if (!(typeof member === "string")) return false;
        } else if (key === "cisRaceReward" || key === "seaRaceReward") {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "grantedSkills") {
          if (!isEach(member, checkItemProperty)) return false;
        } else if (key === "ultimatumMods") {
          if (!isEach(member, part8)) return false;
        } else if (key === "fracturedMods") {
          if (!isStrings(member)) return false;
        } else if (key === "foilVariation") {
          if (!Number.isSafeInteger(member)) return false;
        } else if (key === "incubatedItem") {
          if (!part9(member)) return false;
        } else if (key === "socketedItems") {
          if (!isEach(member, check, depth + 1)) return false;
        }
        break;
      default:
        if (key === "w" || key === "h") {
          if (!isUint(member)) return false;
          required++;
        } else if (key === "icon" || key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "ilvl") {
          if (!Number.isSafeInteger(member)) return false;
          required++;
        } else if (key === "x" || key === "y" || key === "socket" || key === "frameType") {
          if (!isUint(member)) return false;
        } else if (
          key === "id" ||
          key === "note" ||
          key === "realm" ||
          key === "league" ||
          key === "rarity" ||
          key === "colour" ||
          key === "descrText" ||
          key === "flavourTextNote"
        ) {
          if (!(typeof member === "string")) return false;
        } else if (
          key === "delve" ||
          key === "split" ||
          key === "veiled" ||
          key === "support" ||
          key === "isRelic" ||
          key === "replica" ||
          key === "fractured" ||
          key === "corrupted" ||
          key === "lockedToAccount" ||
          key === "lockedToCharacter" ||
          key === "unmodifiableExceptChaos"
        ) {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "hybrid") {
          if (!part13(member)) return false;
        } else if (key === "sockets") {
          if (!isEach(member, checkItemSocket)) return false;
        } else if (key === "rewards") {
          if (!isEach(member, part2)) return false;
        } else if (key === "gemTabs") {
          if (!isEach(member, checkGemTab)) return false;
        } else if (key === "stackSize" || key === "itemLevel" || key === "unidentifiedTier") {
          if (!Number.isSafeInteger(member)) return false;
        } else if (key === "desecratedMods") {
          if (!isStrings(member)) return false;
        } else if (
          key === "notableProperties" ||
          key === "weaponRequirements" ||
          key === "additionalProperties" ||
          key === "nextLevelRequirements" ||
          key === "supportGemRequirements"
        ) {
          if (!isEach(member, checkItemProperty)) return false;
        }
    }
  }
  return required === 9;
}
