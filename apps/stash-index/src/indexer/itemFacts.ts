/**
 * Derives the searchable facts of an item: its term (name, base, rarity), level, sockets, price and
 * mods. Used for items of the stream, of a signed-in user, and for pasted ones.
 */
import { type Item, modText } from "@game-data/schemas";
import { type Price, readPrice } from "@game-data/schemas/price";
import { hash } from "node:crypto";
import { sumMods } from "./modText.ts";

/** The words of rarity, by the wire's `frameType`. */
export const RARITIES = [
  "normal",
  "magic",
  "rare",
  "unique",
  "gem",
  "currency",
  "card",
  "quest",
  "prophecy",
  "foil",
] as const;

/** An item as the index knows it. */
export interface ItemFacts {
  /** The name; empty for magic and rare items, whose names are invented. */
  readonly name: string;
  readonly base: string;
  /** Index into `RARITIES`, or a frame that has no word yet. */
  readonly rarity: number;
  readonly ilvl: number;
  readonly sockets: number;
  /** Sockets of the largest linked group. */
  readonly links: number;
  readonly isCorrupted: boolean;
  readonly price: Price | undefined;
  /** Name and base as the game shows them. */
  readonly title: string;
  readonly note: string | null;
  /** The lines of all mods that count. */
  readonly lines: ReadonlyArray<string>;
  /** Template of each mod and its value. */
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

/** Bounds on what strangers write: characters of a text, mods of a list and sockets of an item. */
const LONGEST = 500;
const MOST_LINES = 100;
const MOST_SOCKETS = 100;

/**
 * A text as the index keeps it. Live services have sent texts and numbers where the specification
 * has others.
 */
export const shortText = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, LONGEST).toWellFormed() : "";

const whole = (value: unknown, most: number): number =>
  typeof value === "number" && value > 0 ? Math.min(most, Math.floor(value)) : 0;

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []);

const modLines = (item: Partial<Item>): ReadonlyArray<string> =>
  MOD_LISTS.flatMap((name) =>
    list(item[name])
      .slice(0, MOST_LINES)
      .flatMap((mod) => {
        const line: unknown =
          typeof mod === "string" || typeof mod === "object" ? modText((mod ?? "") as string) : "";
        return typeof line === "string" ? [line.slice(0, LONGEST)] : [];
      }),
  );

/** The facts of an item; `tabName` may hold the price of a whole tab. */
export const itemFacts = (item: Partial<Item>, tabName?: string | null): ItemFacts => {
  const words = RARITIES as ReadonlyArray<string>;
  const named = words.indexOf(shortText(item.rarity).toLowerCase());
  const rarity =
    typeof item.frameType === "number" ? whole(item.frameType, 99) : Math.max(0, named);
  const isInvented = rarity === 1 || rarity === 2;
  const typeLine = shortText(item.typeLine);
  const lines = modLines(item);
  const groups = new Map<unknown, number>();
  const sockets = list(item.sockets).slice(0, MOST_SOCKETS);
  for (const socket of sockets) {
    const group = (socket as { readonly group?: unknown } | null)?.group;
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return {
    name: isInvented ? "" : shortText(item.name),
    base: shortText(item.baseType) || typeLine,
    rarity,
    ilvl: whole(item.ilvl, 1000),
    sockets: sockets.length,
    links: Math.max(0, ...groups.values()),
    isCorrupted: item.corrupted === true,
    price: readPrice(item.note) ?? readPrice(tabName),
    title: [shortText(item.name), typeLine].filter(Boolean).join(", "),
    note: shortText(item.note) || null,
    lines,
    mods: sumMods(lines),
  };
};

/**
 * The key of an item within its tab: the first 48 bits of its id. It tells new, changed and gone
 * items of one tab apart, and nothing else.
 */
export const itemKey = (item: Partial<Item>, place: number): number => {
  const id = shortText(item.id);
  return /^[0-9a-f]{12}/u.test(id)
    ? Number.parseInt(id.slice(0, 12), 16)
    : firstBits(id || `${place}/${shortText(item.typeLine)}`);
};

const firstBits = (input: string): number =>
  Number.parseInt(hash("sha1", input, "hex").slice(0, 12), 16);

/** The key of a tab: the 32 bytes of its id, or a digest of an id of another form. */
export const tabKey = (id: string): Buffer =>
  /^[0-9a-f]{64}$/u.test(id)
    ? Buffer.from(id, "hex")
    : hash("sha256", Buffer.from(id, "utf16le"), "buffer");
