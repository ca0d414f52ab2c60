/**
 * From a body to rows, as deep as the caller wants: `envelope` (rows unchecked), `items` (each change's own members checked,
 * its items left as JSON), `full` (each change validated with its items against the schemas).
 *
 * Every level works row by row: one bad stash of a good page is set aside, never the page.
 */
import { Effect, Exit, Schema } from "effect";
import { PublicStashChange } from "@game-data/schemas/PublicStashChange";
import { Market } from "@game-data/schemas/Market";
import { MalformedPage } from "./Errors.ts";
import type { MarketHour, Page, QuarantineRecord, StashChange, StreamSource } from "./Model.ts";
import { scanHead } from "./internal/headScanner.ts";
import { Change, changesOf, split, type WireStash } from "./internal/stashRows.ts";

/** How deep rows are checked before they are committed. */
export type DecodeLevel = "envelope" | "items" | "full";

/** What every page has, whatever its rows look like. */
export interface Envelope {
  /** `next_change_id`; the exchange's number as a decimal string. */
  readonly nextId: string;
  /** `stashes` or `markets`. */
  readonly rows: ReadonlyArray<unknown>;
}

/** Rows that passed, and rows that did not. */
export interface Checked<A> {
  /** In the page's order. */
  readonly good: ReadonlyArray<A>;
  /** Set aside, with the reason. */
  readonly bad: ReadonlyArray<QuarantineRecord>;
}

/** Parses a body's JSON text and looks at its envelope. */
export const envelope = (
  raw: Uint8Array,
  source: StreamSource,
): Effect.Effect<Envelope, MalformedPage> =>
  Effect.suspend(() => {
    const quick = source === "stashes" ? split(raw) : undefined;
    if (quick !== undefined) return Effect.succeed(quick);
    let value: unknown;
    try {
      value = JSON.parse(textOf(raw));
    } catch (cause) {
      return malformed(raw, cause instanceof Error ? cause.message : "not JSON");
    }
    if (!isObject(value)) return malformed(raw, "not an object");
    const rows = source === "stashes" ? value["stashes"] : value["markets"];
    if (!Array.isArray(rows)) return malformed(raw, "its list is missing");
    const nextId = idOf(value["next_change_id"], source);
    if (nextId === undefined) return malformed(raw, "next_change_id is missing");
    return Effect.succeed({ nextId, rows });
  });

const malformed = (raw: Uint8Array, detail: string): Effect.Effect<never, MalformedPage> => {
  const headId = scanHead(raw);
  return Effect.fail(
    new MalformedPage({ detail, raw, ...(headId === undefined ? {} : { headId }) }),
  );
};

/** A Buffer's own decoder is the fastest way to a string; a byte order mark would make JSON.parse fail, so it does. */
const textOf = (raw: Uint8Array): string =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");

const idOf = (value: unknown, source: StreamSource): string | undefined => {
  if (typeof value === "string" && value !== "" && source === "stashes") return value;
  if (source === "exchange" && Number.isSafeInteger(value) && (value as number) >= 0) {
    return String(value);
  }
  return undefined;
};

/** The stashes of a page, checked at `level`. */
export const stashes = (page: Page, level: DecodeLevel = "items"): Checked<StashChange> => {
  const good: Array<StashChange> = [];
  const bad: Array<QuarantineRecord> = [];
  const known = changesOf(page.rows);
  for (let index = 0; index < page.rows.length; index += 1) {
    const change = known?.[index];
    if (change !== undefined && level !== "full") {
      good.push(change);
      continue;
    }
    const value = page.rows[index];
    const problem = stashProblem(value, level);
    if (problem !== undefined) bad.push(rowRecord(page, value, problem));
    else good.push(change ?? new Change(value as WireStash, { value }));
  }
  return { good, bad };
};

/** The markets of an exchange page, checked at `level`. */
export const markets = (page: Page, level: DecodeLevel = "items"): Checked<MarketHour> => {
  const good: Array<MarketHour> = [];
  const bad: Array<QuarantineRecord> = [];
  const hour = hourOf(page);
  for (const value of page.rows) {
    const problem = marketProblem(value, level);
    if (problem === undefined) {
      const { league, market_id: marketId } = value as { league: string; market_id: string };
      good.push({ hour, league, marketId, value });
    } else bad.push(rowRecord(page, value, problem));
  }
  return { good, bad };
};

/**
 * The hour that an exchange page tells of: the one that was asked for. Only the first page of the history is asked for without
 * naming it (§4.2 "the first hour of history is assumed"); there it is the hour before the next one.
 */
export const hourOf = (page: Pick<Page, "requestedId" | "nextId">): number =>
  page.requestedId === undefined ? Number(page.nextId) - HOUR_SECONDS : Number(page.requestedId);

const HOUR_SECONDS = 3600;

const decodeStash = Schema.decodeUnknownExit(PublicStashChange);
const decodeMarket = Schema.decodeUnknownExit(Market);

/**
 * An unlisted stash may carry its other members as null, as empty lists or not at all: the table of §2 and the rule of §4.2
 * disagree, so `id` and `public` are all that is asked of it at any level.
 */
const stashProblem = (value: unknown, level: DecodeLevel): string | undefined => {
  if (!isObject(value)) return "a stash that is not an object";
  if (typeof value["id"] !== "string" || value["id"] === "") return "a stash without id";
  if (typeof value["public"] !== "boolean") return "a stash without public";
  if (!value["public"] || level === "envelope") return undefined;
  if (!Array.isArray(value["items"])) return "a listed stash without items";
  return level === "full" ? problemOf(decodeStash(value)) : undefined;
};

const marketProblem = (value: unknown, level: DecodeLevel): string | undefined => {
  if (!isObject(value)) return "a market that is not an object";
  if (typeof value["league"] !== "string") return "a market without league";
  if (typeof value["market_id"] !== "string") return "a market without market_id";
  return level === "full" ? problemOf(decodeMarket(value)) : undefined;
};

const problemOf = (exit: Exit.Exit<unknown, Schema.SchemaError>): string | undefined =>
  Exit.isSuccess(exit) ? undefined : String(exit.cause).slice(0, 500);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const rowRecord = (page: Page, value: unknown, message: string): QuarantineRecord => ({
  kind: "row",
  requestedId: page.requestedId,
  nextId: page.nextId,
  errorTag: "MalformedRow",
  message,
  bytes: Buffer.from(JSON.stringify(value) ?? "null"),
  tries: 1,
});
