/** Converts an item, as JSON or as text copied from the game, into filters for similar items. */
import { Item } from "@game-data/schemas";
import { type Facts, itemFacts, MAX_MODS } from "../index/facts.ts";
import { RARITIES } from "../index/rarities.ts";
import type { Filters } from "./Filters.ts";
import { InvalidParameter, type Reader, sql } from "./Reader.ts";

/** Returns filters for similar items. Known mods must have at least 90 % of the item's value. */
export const readItem = (reader: Reader, { item }: { readonly item: string }): Filters => {
  const text = item.trim();
  const facts = text.startsWith("{") ? fromJson(text) : fromText(reader, text);
  const { base, links, name } = facts;
  const rarity = RARITIES[facts.rarity];
  const mods = [...facts.mods].filter(
    ([template]) => reader.get(sql`SELECT 1 FROM mod WHERE template = ${template}`) !== undefined,
  );
  return {
    ...(base !== "" && { base }),
    ...(name !== "" && { name }),
    ...(rarity !== undefined && rarity !== "foil" && { rarity }),
    ...(links >= MIN_LINKS && { linksMin: links }),
    mod: mods.slice(0, MAX_MODS).map(([template, value]) => {
      return { template, min: Math.floor(value * 90) / 100, max: undefined };
    }),
  };
};

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

/** Fewer linked sockets do not change the price, so they are not required. */
const MIN_LINKS = 5;
const MAX_LINES = 300;
const MAX_LINE_LENGTH = 500;
/** Matches a line with a field, or the origin of a mod at the end of a line. */
const FIELD_OR_ORIGIN = /^[A-Za-z ]{2,30}:.*|\((?:implicit|crafted|fractured|enchant)\)$/u;

/**
 * Reads the text that the game copies. Lines of hyphens separate sections. The first section has
 * `Rarity:`, name and base. Other sections have fields, `Name: value`, and mods. Fields are not
 * used as mods, because a stranger may list an item whose mod looks like a field.
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
    explicitMods: body.map((line) => line.replace(FIELD_OR_ORIGIN, "").trimEnd()),
  } as Partial<Item>);
};

/** Returns the longest known base in a name, because a magic item has affixes around its base. */
const knownBase = (reader: Reader, typeLine: string): string =>
  reader.get<{ readonly base: string }>(sql`SELECT base FROM term
    WHERE instr(${` ${typeLine} `}, ' ' || base || ' ') > 0
    ORDER BY length(base) DESC LIMIT 1`)?.base ?? typeLine;
