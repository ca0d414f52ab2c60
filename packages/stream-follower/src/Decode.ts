/**
 * Checks the rows of a page.
 *
 * Levels: `envelope` (the change's own members, without parsing its items), `items` (the whole row
 * is valid JSON), `full` (the row matches its schema, items included). Every level works row by
 * row: a bad stash of a good page is quarantined, never the page.
 */
import * as Arr from "effect/Array";
import type {
  Batch,
  MarketHour,
  Page,
  PageCommit,
  PageRow,
  QuarantineRecord,
  StashChange,
} from "./Model.ts";
import { marketHour } from "./core/PageRow.ts";

export type { DecodeLevel } from "./Model.ts";

/** A page as a sink takes it: the rows that failed their check are set aside. */
export const commitOf = (page: Page): PageCommit => {
  const stashes: Array<StashChange> = [];
  const markets: Array<MarketHour> = [];
  const quarantine = [...page.quarantine];
  const isExchange = page.key.source === "exchange";
  for (const [place, row] of page.rows.entries()) {
    if (isExchange && row.market !== undefined)
      markets.push(marketHour(hourOf(page), row.market, row));
    else if (!isExchange && row.stash !== undefined) stashes.push(row.stash);
    else quarantine.push(recordOf(page, place, row));
  }
  return { page, stashes, markets, quarantine };
};

/** Pages that follow each other, as one commit takes them. */
export const batchOf = (...pages: Arr.NonEmptyReadonlyArray<PageCommit>): Batch => {
  const { key, previousSeq } = pages[0].page;
  const { checksum, nextId, receivedAt, seq } = Arr.lastNonEmpty(pages).page;
  return { key, previousSeq, pages, checkpoint: { nextId, seq, epoch: 0, checksum, receivedAt } };
};

/**
 * The hour of an exchange page: the requested one. Only the first page of the history is requested
 * without naming it (§4.2 "the first hour of history is assumed"); there it is the hour before the
 * next one.
 */
export const hourOf = (page: Pick<Page, "requestedId" | "nextId">): number =>
  page.requestedId === undefined ? Number(page.nextId) - HOUR_SECONDS : Number(page.requestedId);

const HOUR_SECONDS = 3600;

const recordOf = (page: Page, place: number, row: PageRow): QuarantineRecord => ({
  kind: "row",
  place,
  requestedId: page.requestedId,
  nextId: page.nextId,
  errorTag: "MalformedRow",
  message: row.error ?? "rejected",
  bytes: row.bytes,
  tries: page.tries,
});
