/**
 * Checks the rows of a page.
 *
 * Levels: `envelope` (the change's own members, without parsing its items), `items` (the whole row
 * is valid JSON), `full` (the row matches its schema, items included). Every level works row by
 * row: a bad stash of a good page is quarantined, never the page.
 */
import * as Effect from "effect/Effect";
import { MalformedPage } from "./Errors.ts";
import type {
  DecodeLevel,
  MarketHour,
  Page,
  PageRow,
  QuarantineRecord,
  StashChange,
  StreamSource,
} from "./Model.ts";
import { CheckedRow } from "./core/PageRow.ts";
import { type ParsedPage, parsePage } from "./core/parsePage.ts";
import { checkMarket, checkStash } from "./core/validateRows.ts";

export type { DecodeLevel } from "./Model.ts";

/** Fields of every page, regardless of the content of its rows. */
export type Envelope = Pick<ParsedPage, "nextId" | "rows">;

/** Rows that passed, and rows that did not. */
export interface Checked<A> {
  /** In the page's order. */
  readonly good: ReadonlyArray<A>;
  /** Rejected rows with the reason. */
  readonly bad: ReadonlyArray<QuarantineRecord>;
}

/** Parses a body's JSON text and checks its rows at `level`. */
export const envelope = (
  raw: Uint8Array,
  source: StreamSource,
  level: DecodeLevel = "items",
): Effect.Effect<Envelope, MalformedPage> =>
  Effect.suspend(() => {
    const parsed = parsePage(raw, source, level);
    return parsed instanceof MalformedPage ? Effect.fail(parsed) : Effect.succeed(parsed);
  });

/** The stashes of a page, checked at `level`. */
export const stashes = (page: Page, level: DecodeLevel = "items"): Checked<StashChange> => {
  const good: Array<StashChange> = [];
  const bad: Array<QuarantineRecord> = [];
  for (const [place, row] of page.rows.entries()) {
    const checked = atLevel(row, level, (value) =>
      CheckedRow.stash({ value }, level, checkStash(value, level)),
    );
    if (checked.stash === undefined) bad.push(recordOf(page, place, row, checked.error));
    // The row's own stash keeps the text that the service sent.
    else good.push(row.stash ?? checked.stash);
  }
  return { good, bad };
};

/** The markets of an exchange page, checked at `level`. */
export const markets = (page: Page, level: DecodeLevel = "items"): Checked<MarketHour> => {
  const hour = hourOf(page);
  const good: Array<MarketHour> = [];
  const bad: Array<QuarantineRecord> = [];
  for (const [place, row] of page.rows.entries()) {
    const checked = atLevel(row, level, (value) =>
      CheckedRow.market({ value }, level, checkMarket(value, level)),
    );
    if (checked.market === undefined) bad.push(recordOf(page, place, row, checked.error));
    else good.push(new Market(hour, checked.market.league, checked.market.marketId, row));
  }
  return { good, bad };
};

/** The row as it was checked, or checked again where it was checked at another level. */
const atLevel = (row: PageRow, level: DecodeLevel, check: (value: unknown) => PageRow): PageRow => {
  if (row.level === level) return row;
  try {
    return check(row.value);
  } catch (cause) {
    return CheckedRow.stash({ text: "" }, level, {
      error: `not JSON: ${(cause as Error).message}`,
    });
  }
};

/** The markets of rows that passed their check. */
export const marketsOf = (rows: ReadonlyArray<PageRow>, hour: number): ReadonlyArray<MarketHour> =>
  rows.flatMap((row) =>
    row.market === undefined ? [] : [new Market(hour, row.market.league, row.market.marketId, row)],
  );

class Market implements MarketHour {
  readonly hour: number;
  readonly league: string;
  readonly marketId: string;
  readonly #row: PageRow;
  constructor(hour: number, league: string, marketId: string, row: PageRow) {
    this.hour = hour;
    this.league = league;
    this.marketId = marketId;
    this.#row = row;
  }
  get json(): string {
    return this.#row.json;
  }
  get value(): unknown {
    return this.#row.value;
  }
}

/**
 * The hour of an exchange page: the requested one. Only the first page of the history is requested
 * without naming it (§4.2 "the first hour of history is assumed"); there it is the hour before the
 * next one.
 */
export const hourOf = (page: Pick<Page, "requestedId" | "nextId">): number =>
  page.requestedId === undefined ? Number(page.nextId) - HOUR_SECONDS : Number(page.requestedId);

const HOUR_SECONDS = 3600;

const recordOf = (
  page: Page,
  place: number,
  row: PageRow,
  error: string | undefined,
): QuarantineRecord => ({
  kind: "row",
  place,
  requestedId: page.requestedId,
  nextId: page.nextId,
  errorTag: "MalformedRow",
  message: error ?? "rejected",
  bytes: Buffer.from(textOf(row)),
  tries: 1,
});

/** A row that nests too deep to be written anew has no text. */
const textOf = (row: PageRow): string => {
  try {
    return row.json;
  } catch {
    return "";
  }
};
