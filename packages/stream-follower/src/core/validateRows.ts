/** Requirements on a row at each decode level, and the reasons for which a row is rejected. Pure. */
import { Market } from "@game-data/schemas/Market";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { PublicStashChange } from "@game-data/schemas/PublicStashChange";
import type { DecodeLevel, MarketColumns, StreamSource } from "../Model.ts";
import type { Columns, RowResult } from "./PageRow.ts";

/** Checks a row whose arrays are there, and reads its columns. */
export const checkRow = (source: StreamSource, value: unknown, level: DecodeLevel): RowResult =>
  source === "stashes"
    ? checkStash(value, level, (items) => items.length)
    : checkMarket(value, level);

/**
 * The same of an envelope: each array of the row is replaced by one element, the number of objects
 * and arrays in it.
 */
export const checkEnvelope = (source: StreamSource, envelope: unknown): RowResult =>
  source === "stashes"
    ? checkStash(envelope, "envelope", ([count]) => count as number)
    : checkMarket(envelope, "envelope");

/** Checks a stash; `countOf` counts its items. */
export const checkStash = (
  value: unknown,
  level: DecodeLevel,
  countOf: (items: ReadonlyArray<unknown>) => number = (items) => items.length,
): { readonly error: string } | { readonly stash: Columns } => {
  const error = stashError(value, level);
  if (error !== undefined) return { error };
  const stash = value as WireStash;
  const items = stash.public && Array.isArray(stash.items) ? countOf(stash.items) : 0;
  return {
    stash: {
      id: stash.id,
      isPublic: stash.public,
      account: textOrNull(stash.accountName),
      name: textOrNull(stash.stash),
      type: textOrNull(stash.stashType),
      league: textOrNull(stash.league),
      itemCount: items,
    },
  };
};

/** The members of a stash that a store has columns for. */
interface WireStash {
  readonly id: string;
  readonly public: boolean;
  readonly accountName?: unknown;
  readonly stash?: unknown;
  readonly stashType?: unknown;
  readonly league?: unknown;
  readonly items?: unknown;
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/**
 * An unlisted stash may carry its other members as null, as empty lists or not at all: the table of
 * §2 and the rule of §4.2 disagree, so `id` and `public` are all that is required of it.
 */
const stashError = (value: unknown, level: DecodeLevel): string | undefined => {
  if (!isObject(value)) return "a stash that is not an object";
  if (typeof value["id"] !== "string" || value["id"] === "") return "a stash without id";
  if (typeof value["public"] !== "boolean") return "a stash without public";
  if (!value["public"]) return undefined;
  if (!Array.isArray(value["items"])) return "a listed stash without items";
  return level === "full" ? recordError(PublicStashChange, value) : undefined;
};

/** Checks a market. */
export const checkMarket = (
  value: unknown,
  level: DecodeLevel,
): { readonly error: string } | { readonly market: MarketColumns } => {
  if (!isObject(value)) return { error: "a market that is not an object" };
  const { league, market_id: marketId } = value;
  if (typeof league !== "string") return { error: "a market without league" };
  if (typeof marketId !== "string") return { error: "a market without market_id" };
  const error = level === "full" ? recordError(Market, value) : undefined;
  return error === undefined ? { market: { league, marketId } } : { error };
};

const recordError = (record: PlainRecord<unknown>, value: unknown): string | undefined => {
  const result = record.safeDecode(value, { issues: 1 });
  return result.ok ? undefined : result.error.message.slice(0, 500);
};

/**
 * Returns why a row of this depth is rejected, or `undefined`. A deeper row would exhaust the stack
 * of recursive code in its readers.
 */
export const tooDeep = (depth: number): string | undefined =>
  depth > MAX_ROW_DEPTH ? `nested ${depth} levels deep, more than ${MAX_ROW_DEPTH}` : undefined;

/** Real rows nest some eight levels. */
const MAX_ROW_DEPTH = 256;

/** A JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
