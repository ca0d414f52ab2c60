/**
 * Turns an item into filters: from JSON as the API has it, or from the text that games put on the
 * clipboard. Mods come with a range around the item's own roll.
 */
import { Item } from "@game-data/schemas";
import { type ItemFacts, itemFacts, RARITIES } from "../indexer/itemFacts.ts";
import { splitMod } from "../indexer/modText.ts";
import { InvalidParameter, type Reader } from "./Reader.ts";
import type { ItemFilters } from "./records.ts";

/** The filters of an item's facts. */
export const toFilters = (reader: Reader, facts: ItemFacts): ItemFilters => {
  const { base, ilvl, isCorrupted, links, mods, name, rarity, sockets } = facts;
  return {
    name,
    base,
    ilvl,
    sockets,
    links,
    isCorrupted,
    rarity: RARITIES[rarity] ?? "normal",
    mods: [...mods].map(([template, value]) => ({
      template,
      value,
      min: Math.floor(value * 0.9 * 100) / 100,
      isKnown: reader.get("SELECT 1 FROM mod WHERE template = ?", template) !== undefined,
    })),
  };
};

/** Reads an item from JSON or from clipboard text. */
export const parseItem = (reader: Reader, input: string): ItemFacts => {
  const text = input.trim();
  return text.startsWith("{") ? fromJson(text) : fromText(reader, text);
};

const fromJson = (text: string): ItemFacts => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidParameter("item", `is not JSON: ${(cause as Error).message}`);
  }
  const result = Item["~standard"].validate(value) as {
    readonly issues?: ReadonlyArray<{
      readonly message: string;
      readonly path?: ReadonlyArray<unknown>;
    }>;
  };
  const [issue] = result.issues ?? [];
  if (issue !== undefined)
    throw new InvalidParameter(
      "item",
      `${(issue.path ?? []).join(".") || "the item"}: ${issue.message}`,
    );
  return itemFacts(value as Item);
};

const SECTION = /\r?\n-{4,}\r?\n/u;
/** The origin of a mod, at the end of its line. */
const ORIGIN = /\((?:implicit|crafted|fractured|enchant)\)$/u;
/** Bounds of a text that is an item. */
const MOST_LINES = 300;
const LONGEST_LINE = 500;
const FIELD = /^([A-Za-z ]{2,30}):(.*)$/u;

/**
 * Sections are divided by lines of hyphens. The first has `Rarity:`, name and base; fields are
 * `Name: value`; any other line is a mod if a listing has its template, or if it has a number.
 */
const fromText = (reader: Reader, text: string): ItemFacts => {
  const all = text.split(/\r?\n/u);
  if (all.length > MOST_LINES)
    throw new InvalidParameter("item", `has ${all.length} lines; ${MOST_LINES} are the most`);
  const long = all.findIndex((line) => line.length > LONGEST_LINE);
  if (long >= 0)
    throw new InvalidParameter("item", `line ${long + 1} has more than ${LONGEST_LINE} characters`);
  const [head = "", ...sections] = text.split(SECTION);
  const lines = head.split(/\r?\n/u).map((line) => line.trim());
  const rarityLine = lines.findIndex((line) => line.startsWith("Rarity:"));
  if (rarityLine < 0)
    throw new InvalidParameter(
      "item",
      "is neither JSON nor text that begins with a “Rarity:” section",
    );
  const rarity = lines[rarityLine]!.slice("Rarity:".length).trim();
  const names = lines.slice(rarityLine + 1).filter((line) => line !== "");
  if (names.length === 0) throw new InvalidParameter("item", "has no name below “Rarity:”");
  const fields = new Map<string, string>();
  const mods: Array<string> = [];
  const isMod = (line: string) =>
    /\d/u.test(line) ||
    reader.get("SELECT 1 FROM mod WHERE template = ?", splitMod(line).template) !== undefined;
  for (const line of sections
    .join("\n")
    .split(/\r?\n/u)
    .map((each) => each.trim())) {
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    if (name !== undefined) fields.set(name.toLowerCase(), value.trim());
    else if (/^corrupted$/iu.test(line)) fields.set("corrupted", "yes");
    else if (line !== "" && isMod(line)) mods.push(line.replace(ORIGIN, "").trimEnd());
  }
  const base = names.at(-1)!;
  const sockets = (fields.get("sockets") ?? "").split(/\s+/u).filter(Boolean);
  return itemFacts({
    rarity,
    frameType: Math.max(0, (RARITIES as ReadonlyArray<string>).indexOf(rarity.toLowerCase())),
    name: names.length > 1 ? names[0]! : "",
    typeLine: base,
    baseType: knownBase(reader, base),
    ilvl: Number.parseInt(fields.get("item level") ?? "0", 10) || 0,
    corrupted: fields.get("corrupted") === "yes",
    sockets: sockets.flatMap((linked, group) => linked.split("-").map(() => ({ group }))),
    explicitMods: mods,
  } as Partial<Item>);
};

/** A magic item's text has affixes around its base: the longest known base that it holds. */
const knownBase = (reader: Reader, typeLine: string): string => {
  const words = typeLine.split(" ").slice(0, 12);
  for (let length = words.length; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const candidate = words.slice(from, from + length).join(" ");
      if (reader.get("SELECT 1 FROM term WHERE base = ?", candidate) !== undefined)
        return candidate;
    }
  return typeLine;
};
