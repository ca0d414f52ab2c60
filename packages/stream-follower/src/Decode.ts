/**
 * Checks the rows of a page.
 *
 * Levels: `envelope` (the change's own members, without parsing its items), `items` (the whole row
 * is valid JSON), `full` (the row matches its schema, items included). Every level works row by
 * row: a bad stash of a good page is quarantined, never the page.
 */
import { MalformedPage } from "./Errors.ts";
import type {
  DecodeLevel,
  MarketHour,
  Page,
  PageCommit,
  PageRow,
  QuarantineRecord,
  StashChange,
} from "./Model.ts";
import { marketHour } from "./core/PageRow.ts";
import { readPage } from "./core/readPage.ts";

export type { DecodeLevel } from "./Model.ts";

/** A page with its rows checked at `level`, as a sink takes it: what fails is set aside. */
export const commitOf = (page: Page, level: DecodeLevel = "items"): PageCommit => {
  const stashes: Array<StashChange> = [];
  const markets: Array<MarketHour> = [];
  const quarantine = [...page.quarantine];
  const isExchange = page.key.source === "exchange";
  for (const [place, row] of rowsAt(page, level).entries()) {
    if (isExchange && row.market !== undefined)
      markets.push(marketHour(hourOf(page), row.market, row));
    else if (!isExchange && row.stash !== undefined) stashes.push(row.stash);
    else quarantine.push(recordOf(page, place, row));
  }
  return { page, stashes, markets, quarantine };
};

/** The rows as they were checked, or read again where they were checked at another level. */
const rowsAt = (page: Page, level: DecodeLevel): ReadonlyArray<PageRow> => {
  if (page.rows.every((row) => row.level === level)) return page.rows;
  const read = readPage(page.raw, page.key.source, level);
  return read instanceof MalformedPage ? page.rows : read.rows;
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
