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

/** Rows that passed, and rows that did not. */
export interface Checked<A> {
  /** In the page's order. */
  readonly good: ReadonlyArray<A>;
  /** Rejected rows with the reason. */
  readonly bad: ReadonlyArray<QuarantineRecord>;
}

/** The stashes of a page, checked at `level`. */
export const stashes = (page: Page, level: DecodeLevel = "items"): Checked<StashChange> =>
  sorted(page, level, ({ stash }) => stash);

/** The markets of an exchange page, checked at `level`. */
export const markets = (page: Page, level: DecodeLevel = "items"): Checked<MarketHour> => {
  const hour = hourOf(page);
  return sorted(page, level, (row) =>
    row.market === undefined ? undefined : marketHour(hour, row.market, row),
  );
};

/** A page with its rows checked at `level`, as a sink takes it: what fails is set aside. */
export const commitOf = (page: Page, level: DecodeLevel = "items"): PageCommit => {
  const none = { good: [], bad: [] };
  const found = page.key.source === "stashes" ? stashes(page, level) : none;
  const hours = page.key.source === "exchange" ? markets(page, level) : none;
  return {
    page,
    stashes: found.good,
    markets: hours.good,
    quarantine: [...page.quarantine, ...found.bad, ...hours.bad],
  };
};

/** The rows that passed, as `of` gives them, and a record of each that did not. */
const sorted = <A>(
  page: Page,
  level: DecodeLevel,
  of: (row: PageRow) => A | undefined,
): Checked<A> => {
  const good: Array<A> = [];
  const bad: Array<QuarantineRecord> = [];
  for (const [place, row] of rowsAt(page, level).entries()) {
    const found = of(row);
    if (found === undefined) bad.push(recordOf(page, place, row));
    else good.push(found);
  }
  return { good, bad };
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
