/**
 * From a body to rows, as deep as the caller wants: `envelope` (rows unchecked), `items` (each
 * change's own members checked, its items left as JSON), `full` (each change validated with its
 * items against the schemas).
 *
 * Every level works row by row: one bad stash of a good page is set rejected, never the page.
 */
import * as Effect from "effect/Effect";
import { MalformedPage } from "./Errors.ts";
import type { MarketHour, Page, QuarantineRecord, StashChange, StreamSource } from "./Model.ts";
import { marketError, stashError } from "./core/validateRows.ts";
import { parsePage } from "./core/parsePage.ts";
import { checkedOf, remoteMarket, type RejectedRow } from "./workers/transferPage.ts";
import { StashRow, changesOf, columnsOf, type WireStash } from "./core/stashRows.ts";

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
  /** Set rejected, with the reason. */
  readonly bad: ReadonlyArray<QuarantineRecord>;
}

/** Parses a body's JSON text and looks at its envelope. */
export const envelope = (
  raw: Uint8Array,
  source: StreamSource,
): Effect.Effect<Envelope, MalformedPage> =>
  Effect.suspend(() => {
    const read = parsePage(raw, source);
    return read instanceof MalformedPage ? Effect.fail(read) : Effect.succeed(read);
  });

/** The stashes of a page, checked at `level`. */
export const stashes = (page: Page, level: DecodeLevel = "items"): Checked<StashChange> => {
  const checked = checkedOf(page.rows, level);
  if (checked !== undefined)
    return { good: checked.stashes, bad: recordsOf(page, checked.rejected) };
  const good: Array<StashChange> = [];
  const bad: Array<RejectedRow> = [];
  const known = changesOf(page.rows);
  for (let index = 0; index < page.rows.length; index += 1) {
    const change = known?.[index];
    if (change !== undefined && level !== "full") {
      good.push(change);
      continue;
    }
    const value = page.rows[index];
    const message = stashError(value, level);
    if (message !== undefined) bad.push({ index, message, json: JSON.stringify(value) });
    else good.push(change ?? new StashRow(columnsOf(value as WireStash), { value }));
  }
  return { good, bad: recordsOf(page, bad) };
};

/** The markets of an exchange page, checked at `level`. */
export const markets = (page: Page, level: DecodeLevel = "items"): Checked<MarketHour> => {
  const hour = hourOf(page);
  const checked = checkedOf(page.rows, level);
  if (checked !== undefined) {
    const good = checked.markets.map((market) => remoteMarket(hour, market));
    return { good, bad: recordsOf(page, checked.rejected) };
  }
  const good: Array<MarketHour> = [];
  const bad: Array<RejectedRow> = [];
  for (const [index, value] of page.rows.entries()) {
    const message = marketError(value, level);
    if (message !== undefined) bad.push({ index, message, json: JSON.stringify(value) });
    else {
      const { league, market_id: marketId } = value as { league: string; market_id: string };
      good.push({ hour, league, marketId, value });
    }
  }
  return { good, bad: recordsOf(page, bad) };
};

/**
 * The hour that an exchange page tells of: the one that was asked for. Only the first page of the
 * history is asked for without naming it (§4.2 "the first hour of history is assumed"); there it is
 * the hour before the next one.
 */
export const hourOf = (page: Pick<Page, "requestedId" | "nextId">): number =>
  page.requestedId === undefined ? Number(page.nextId) - HOUR_SECONDS : Number(page.requestedId);

const HOUR_SECONDS = 3600;

const recordsOf = (
  page: Page,
  rejected: ReadonlyArray<RejectedRow>,
): ReadonlyArray<QuarantineRecord> =>
  rejected.map(({ message, json }) => ({
    kind: "row",
    requestedId: page.requestedId,
    nextId: page.nextId,
    errorTag: "MalformedRow",
    message,
    bytes: Buffer.from(json),
    tries: 1,
  }));
