/** Turns an item into a search for similar items: its JSON, or the text that games copy. */
import { Item } from "@game-data/schemas";
import { type Facts, itemFacts, splitMod } from "../index/facts.ts";
import { RARITIES } from "../index/rarities.ts";
import type { ItemFilters } from "../web/records.ts";
import { InvalidParameter, type Reader, sql } from "./Reader.ts";

/** Reads an item. Each mod is returned with a range from a tenth below the item's own roll. */
export const readItem = (reader: Reader, { item }: { readonly item: string }): ItemFilters => {
  const text = item.trim();
  const facts = text.startsWith("{") ? fromJson(text) : fromText(reader, text);
  const { lines: _lines, mods, price: _price, rarity, title: _title, ...filters } = facts;
  return {
    ...filters,
    rarity: RARITIES[rarity] ?? "normal",
    mods: Array.from(mods, ([template, value]) => ({
      template,
      value,
      min: Math.floor(value * 90) / 100,
      isKnown: isKnownMod(reader, template),
    })),
  };
};

const isKnownMod = (reader: Reader, template: string): boolean =>
  reader.get(sql`SELECT 1 FROM mod WHERE template = ${template}`) !== undefined;

const fromJson = (text: string): Facts => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidParameter("item", `is not JSON: ${(cause as Error).message}`);
  }
  const result = Item["~standard"].validate(value);
  const issue = "issues" in result ? result.issues?.[0] : undefined;
  if (issue === undefined) return itemFacts(value as Item);
  const path = (issue.path ?? []).join(".") || "the item";
  throw new InvalidParameter("item", `${path}: ${issue.message}`);
};

const MAX_LINES = 300;
const MAX_LINE_LENGTH = 500;
const FIELD = /^[A-Za-z ]{2,30}:/u;
/** The origin of a mod, at the end of its line. */
const ORIGIN = /\((?:implicit|crafted|fractured|enchant)\)$/u;

/**
 * Sections are separated by lines of hyphens. The first section has `Rarity:`, name and base. The others
 * have fields, `Name: value`, and mods. A line is a mod if it contains a number, or if a listing has
 * its template.
 */
const fromText = (reader: Reader, text: string): Facts => {
  const lines = text.split(/\r?\n/u).map((line) => line.trim());
  if (lines.length > MAX_LINES || lines.some(({ length }) => length > MAX_LINE_LENGTH))
    throw new InvalidParameter(
      "item",
      `is longer than ${MAX_LINES} lines of ${MAX_LINE_LENGTH} characters`,
    );
  const start = lines.findIndex((line) => line.startsWith("Rarity:"));
  const [head, ...sections] = lines
    .slice(start)
    .join("\n")
    .split(/\n-{4,}(?:\n|$)/u);
  const names = head!.split("\n").slice(1).filter(Boolean);
  if (start < 0 || names.length === 0)
    throw new InvalidParameter("item", "is neither JSON nor text with a name below “Rarity:”");
  const body = sections.join("\n").split("\n");
  const field = (name: string) =>
    body.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? "";
  return itemFacts({
    rarity: lines[start]!.slice("Rarity:".length).trim(),
    name: names.length > 1 ? names[0]! : "",
    typeLine: names.at(-1)!,
    baseType: knownBase(reader, names.at(-1)!),
    ilvl: Number(field("Item Level")),
    corrupted: body.includes("Corrupted"),
    sockets: (field("Sockets").match(/\S+/gu) ?? []).flatMap((linked, group) =>
      linked.split("-").map(() => ({ group })),
    ),
    explicitMods: body
      .filter((line) => !FIELD.test(line))
      .map((line) => line.replace(ORIGIN, "").trimEnd())
      .filter((line) => /\d/u.test(line) || isKnownMod(reader, splitMod(line)[0])),
  } as Partial<Item>);
};

/** A magic item has affixes around its base, so this is the longest known base in its name. */
const knownBase = (reader: Reader, typeLine: string): string => {
  const words = typeLine.split(" ").slice(0, 12);
  for (let length = words.length; length > 0; length -= 1)
    for (let from = 0; from + length <= words.length; from += 1) {
      const base = words.slice(from, from + length).join(" ");
      if (reader.get(sql`SELECT 1 FROM term WHERE base = ${base}`) !== undefined) return base;
    }
  return typeLine;
};
