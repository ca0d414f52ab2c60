/**
 * The tables of an export, whatever the store: their columns, and the rows that a store's records
 * become.
 */
import type { StreamKey } from "../Model.ts";
import { storedText } from "./inflate.ts";

/** The records that can be exported. */
export type ExportKind = "stashes" | "items" | "markets";

/** Selects rows. */
export interface ExportFilter {
  readonly realm: StreamKey["realm"];
  readonly league?: string | undefined;
  /** Rows that changed after this page. */
  readonly since?: bigint | undefined;
}

/** A number that a JavaScript number would change, as it came: `1e400`, `1.0`. */
export class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
  toString(): string {
    return this.source;
  }
  /** The same number in JSON. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(this.source);
  }
}

/** One row of an export; every value fits a CSV cell. */
export type ExportRow = Readonly<Record<string, string | number | boolean | Digits | null>>;

/** The columns of each kind, in order. */
export const COLUMNS: Readonly<Record<ExportKind, ReadonlyArray<string>>> = {
  stashes: "id realm seq account name type league items firstSeen lastSeen".split(" "),
  items: "id stash account league name typeLine baseType rarity ilvl frameType note seq".split(" "),
  markets: ["realm", "hour", "league", "market", "json"],
};

/** Columns of an item that are its own members. */
const OF_ITEM = "id name typeLine baseType rarity ilvl frameType note".split(" ");

/** A stash as the stores keep it. */
export interface ExportStash {
  readonly id: string;
  readonly realm: string;
  readonly seq: number;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly items: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** The stash as JSON text, compressed with zstd. */
  readonly doc: Uint8Array;
}

/** The rows that a stash becomes: itself, or its items. */
export const rowsOfStash = (
  kind: "stashes" | "items",
  stash: ExportStash,
): ReadonlyArray<ExportRow> => {
  if (kind === "items") return itemRows(stash);
  const { doc: _, ...row } = stash;
  return [row];
};

const itemRows = ({ account, doc, id, league, seq }: ExportStash): ReadonlyArray<ExportRow> => {
  const text = storedText(doc);
  const { items } = JSON.parse(text, keepDigits) as { readonly items?: unknown };
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown) => {
    const own = Object.fromEntries(
      OF_ITEM.map((name) => [name, cell((item as Record<string, unknown> | null)?.[name])]),
    );
    return { ...own, stash: id, account, league, seq };
  });
};

const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? new Digits(context.source)
    : value;

const cell = (value: unknown): ExportRow[string] =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  value instanceof Digits
    ? value
    : null;
