/**
 * Reads the facts of an item that the index keeps. Strangers write the stream, so texts and lists
 * have limits, and a member of the wrong type counts as absent.
 */
import { type Item, modText } from "@game-data/schemas";
import { type Price, readPrice } from "@game-data/schemas/price";
import { RARITIES } from "./rarities.ts";

/** The facts of an item that filters and results use. */
export interface Facts {
  /** The unique name. Empty for magic and rare items, whose names are random. */
  readonly name: string;
  readonly base: string;
  /** Index into `RARITIES`, or the number of a frame without a word. */
  readonly rarity: number;
  readonly ilvl: number;
  readonly sockets: number;
  /** Sockets of the largest linked group. */
  readonly links: number;
  readonly isCorrupted: boolean;
  readonly price: Price | undefined;
  /** Name and base as the game shows them, for results. */
  readonly title: string;
  /** The lines of its mods, without the markup of the service. */
  readonly lines: ReadonlyArray<string>;
  /** The value of each mod, by the template of its line. */
  readonly mods: ReadonlyMap<string, number>;
}

const MOD_LISTS = [
  "implicitMods",
  "explicitMods",
  "craftedMods",
  "fracturedMods",
  "enchantMods",
  "runeMods",
  "scourgeMods",
  "utilityMods",
  "desecratedMods",
] as const satisfies ReadonlyArray<keyof Item>;

export const MAX_TEXT_LENGTH = 500;
export const MAX_MODS = 12;
const MAX_LIST_LENGTH = 100;
/** Larger numbers count as 0, because a filter refuses numbers with an exponent. */
const MAX_ROLL = 1e12;

/** Reads an item. The name of its tab may hold a price for all items in it. */
export const itemFacts = (item: Partial<Item>, tabName?: string | null): Facts => {
  const word = RARITIES.findIndex((each) => each === text(item.rarity).toLowerCase());
  const rarity = typeof item.frameType === "number" ? whole(item.frameType, 99) : Math.max(0, word);
  const hasRandomName = rarity === 1 || rarity === 2;
  const sockets = list(item.sockets) as ReadonlyArray<{ readonly group?: unknown } | null>;
  const groups = [...Map.groupBy(sockets, (socket) => socket?.group).values()];
  const lines = modLines(item);
  return {
    name: hasRandomName ? "" : text(item.name),
    base: text(item.baseType) || text(item.typeLine),
    rarity,
    ilvl: whole(item.ilvl, 1000),
    sockets: sockets.length,
    links: Math.max(0, ...groups.map(({ length }) => length)),
    isCorrupted: item.corrupted === true,
    price: readPrice(item.note) ?? readPrice(tabName),
    title: [text(item.name), text(item.typeLine)].filter(Boolean).join(", "),
    lines,
    mods: sumMods(lines),
  };
};

/** Returns a text without control characters, cut to 500 characters; `""` for other values. */
export const text = (value: unknown): string =>
  typeof value === "string"
    ? value
        .slice(0, MAX_TEXT_LENGTH)
        .replaceAll(/\p{Cc}/gu, " ")
        .toWellFormed()
    : "";

const list = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value.slice(0, MAX_LIST_LENGTH) : [];

const whole = (value: unknown, most: number): number =>
  typeof value === "number" && value > 0 ? Math.min(most, Math.floor(value)) : 0;

const modLines = (item: Partial<Item>): ReadonlyArray<string> =>
  MOD_LISTS.flatMap((name) => list(item[name]))
    .map((mod) => text(typeof mod === "object" && mod !== null ? modText(mod as never) : mod))
    .map((line) => line.replaceAll(MARKUP, (_, name?: string, word?: string) => name ?? word ?? ""))
    .filter((line) => line !== "");

/** Markup of the service in texts: `<unique>{Name}` and `[Tag|Word]`. */
const MARKUP = /<[^<>{}]*>\{([^{}]*)\}|\[(?:[^[\]|]*\|)?([^[\]|]*)\]/gu;
const NUMBER = /\d+(?:\.\d+)?/gu;

/**
 * Splits the line of a mod into template and value, so that filters can compare values: "+12% to
 * Ember Resistance" is "+#% to Ember Resistance" with 12. Several numbers become their mean. A line
 * without a number has the value 1.
 */
export const splitMod = (line: string): readonly [template: string, value: number] => {
  const numbers = (line.match(NUMBER) ?? []).map(Number);
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const template = line.replaceAll(NUMBER, "#").replaceAll(/\s+/gu, " ").trim().slice(0, 200);
  const value = numbers.length === 0 ? 1 : Math.round(mean * 100) / 100;
  return [template.toWellFormed(), value < MAX_ROLL ? value : 0];
};

/** Adds up the values of equal templates, because two sources of a mod act as one larger mod. */
const sumMods = (lines: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const [template, value] of lines.map(splitMod)) {
    const sum = (sums.get(template) ?? 0) + value;
    if (template !== "") sums.set(template, Math.round(sum * 100) / 100);
  }
  return sums;
};
