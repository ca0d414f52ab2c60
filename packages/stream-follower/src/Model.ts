/**
 * The data that the follower, its stores and its readers share: stream keys, pages, rows and
 * checkpoints.
 *
 * Change ids are opaque strings for both streams and are compared by equality only. Pages are ordered
 * by `seq`, a number of this package: it grows by one for each page of the stash stream, and is the
 * hour for the exchange.
 */

/** The two histories of §4.2 that can be followed. */
export type StreamSource = "stashes" | "exchange";

/** Realms that have a public stash stream (§4.2). */
export type StashRealm = "pc" | "console_a" | "console_b";

/** Realms of the currency exchange. Game 2 has no stash stream. */
export type ExchangeRealm = StashRealm | "game2";

/** Identifies a stream, its checkpoint, its lease and its fence. */
export interface StreamKey {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
}

/** Returns `stashes/pc`, the form of a key in logs, metrics and file names. */
export const keyName = (key: StreamKey): string => `${key.source}/${key.realm}`;

/** Finds the first entry of a stream in a list. */
export const ofStream = <A extends { readonly key: StreamKey }>(
  entries: ReadonlyArray<A>,
  key: StreamKey,
): A | undefined => entries.find((entry) => keyName(entry.key) === keyName(key));

/** Largest number of ids in `Checkpoint.recentIds`. */
export const MAX_RECENT_IDS = 256;

/** Position of a stream, stored in the transaction of the rows up to it. */
export interface Checkpoint {
  /** The change id to request next. */
  readonly nextId: string;
  /** Number of the last page in the store. */
  readonly seq: bigint;
  /** The fence of the stream: the highest epoch that has claimed it. */
  readonly epoch: number;
  /**
   * Checksum of the last page (see `PageInfo`), so that a page that is served twice is applied
   * once.
   */
  readonly checksum: string;
  /**
   * Arrival time of the last page, in milliseconds since 1970 by this machine's clock. For display,
   * never for ordering.
   */
  readonly receivedAt: number;
  /**
   * The last requested ids, oldest first, at most `MAX_RECENT_IDS`. The stream must not lead back
   * to them. Absent if the sink keeps no pages.
   */
  readonly recentIds?: ReadonlyArray<string>;
}

/** A page, or one row of a page, that could not be applied. */
export interface QuarantineRecord {
  /** Index of the row in its page; absent for a whole page. */
  readonly place?: number | undefined;
  readonly errorTag: string;
  readonly message: string;
  /** The bytes of the row or page as the service sent them, inflated. */
  readonly bytes: Uint8Array;
}

/** A part of the history that was not read. */
export interface GapRecord {
  /** Hours left out by the service, or a restart or jump that an option or an operator chose. */
  readonly kind: "skipped" | "restarted" | "jumped";
  /** The id that was expected or refused. */
  readonly from: string;
  /** The id at which reading continued; empty for the beginning of the stash stream. */
  readonly to: string;
}

/** One stash or market of a page, with the result of its check. */
export interface Row {
  readonly bytes: Uint8Array;
  /** `bytes`, decoded as UTF-8. */
  readonly json: string;
  /** The parsed text. Throws if the text is not JSON. */
  readonly value: unknown;
  /** Why the row is neither a stash nor a market; `undefined` for a valid row. */
  readonly error: string | undefined;
  readonly stash: StashChange | undefined;
  readonly market: MarketColumns | undefined;
}

/** The members of a market that stores keep in columns of their own. */
export interface MarketColumns {
  readonly league: string;
  readonly marketId: string;
}

/** One stash of a page, as it is after a change. */
export interface StashChange {
  /** 64 hexadecimal digits; a later appearance replaces the earlier one (§4.2 rule 2). */
  readonly id: string;
  /** `false` if the stash is unlisted. Delete the stash then, and keep a tombstone. */
  readonly isPublic: boolean;
  /** `accountName`, or `null` if it is absent. */
  readonly account: string | null;
  /** `stash`, the tab's name. */
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  /** Number of items in the stash. 0 for an unlisted stash. */
  readonly itemCount: number;
  /** The change as JSON text, as the service sent it. */
  readonly json: string;
  /** The change as the service sent it, parsed on first use. */
  readonly value: unknown;
  /** The items; none for an unlisted stash. Parsed on first use. */
  readonly items: ReadonlyArray<unknown>;
}

/** One market of the exchange in one hour. */
export interface MarketHour extends MarketColumns {
  /** Beginning of the hour, in Unix seconds. */
  readonly hour: number;
  /** The market as JSON text, as the service sent it. */
  readonly json: string;
  /** The market as the service sent it, parsed on first use. */
  readonly value: unknown;
}

/** A page's place in its stream, and the facts about its body. */
export interface PageInfo {
  readonly key: StreamKey;
  /** Number of the page, strictly growing per stream. */
  readonly seq: bigint;
  /** The change id of the page's request. The first page is requested without an id. */
  readonly requestedId: string | undefined;
  /** The change id that the page leads to (`next_change_id`, §4.2). */
  readonly nextId: string;
  /** Arrival time of the last byte, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The `Content-Encoding` of the body. */
  readonly encoding: string;
  /** Length of the JSON text in bytes. */
  readonly rawBytes: number;
  /** CRC-32 and length of the JSON text. */
  readonly checksum: string;
  /** Number of stashes or markets in the page. */
  readonly rowCount: number;
}

/** One whole response of the service, not yet committed. */
export interface Page extends PageInfo {
  /** Number of the page before. A sink whose checkpoint is another page refuses this page. */
  readonly previousSeq: bigint;
  /** The body as it arrived, before decompression. Empty for a page that was given up. */
  readonly wire: Uint8Array;
  /** The JSON text as bytes. Empty for a page that was given up, and for a sink that keeps a page log. */
  readonly raw: Uint8Array;
  /** Number of requests until the page was accepted. */
  readonly tries: number;
  /** The record of this page if its body was given up; otherwise empty. */
  readonly quarantine: ReadonlyArray<QuarantineRecord>;
  /** History between the page before and this page that was not read. */
  readonly gaps: ReadonlyArray<GapRecord>;
}

/** Body members of a page without a body, which records a jump or a page that was given up. */
export const NO_BODY = {
  wire: new Uint8Array(),
  raw: new Uint8Array(),
  encoding: "",
  rowCount: 0,
} as const;

/** The content of one commit: a page with its rows. */
export interface PageCommit {
  readonly page: Page;
  /** Stashes of the page. Empty for the exchange, and for a sink that keeps a page log. */
  readonly stashes: ReadonlyArray<StashChange>;
  /** Markets of the page. Empty for the stash stream, and for a sink that keeps a page log. */
  readonly markets: ReadonlyArray<MarketHour>;
  /** Rejected rows of the page, or the page itself if its body was given up. */
  readonly quarantine: ReadonlyArray<QuarantineRecord>;
}

/** Separates the valid rows of a page from the rejected rows. */
export const sortRows = (
  page: Pick<PageInfo, "key" | "requestedId" | "nextId">,
  rows: ReadonlyArray<Row>,
): Omit<PageCommit, "page"> => {
  const hour = page.key.source === "exchange" ? hourOf(page) : 0;
  return {
    stashes: rows.flatMap(({ stash }) => (stash === undefined ? [] : [stash])),
    markets: rows.flatMap((row) => (row.market === undefined ? [] : [marketHour(hour, row)])),
    quarantine: rows.flatMap(({ bytes, error: message }, place) =>
      message === undefined ? [] : [{ place, errorTag: "MalformedRow", message, bytes }],
    ),
  };
};

/** Makes the content of a commit from a page and its rows. */
export const makeCommit = (page: Page, rows: ReadonlyArray<Row>): PageCommit => {
  const { quarantine, ...valid } = sortRows(page, rows);
  return { page, ...valid, quarantine: [...page.quarantine, ...quarantine] };
};

const marketHour = (hour: number, row: Row): MarketHour => ({
  ...row.market!,
  hour,
  get json() {
    return row.json;
  },
  get value() {
    return row.value;
  },
});

/** The exchange has one page an hour, numbered by its Unix time in seconds. */
export const HOUR_SECONDS = 3600;

/**
 * Returns the hour of an exchange page, which is its requested id. Only the first page of the
 * history is requested without an id (§4.2 "the first hour of history is assumed"). Its hour is the
 * one before the next id.
 */
export const hourOf = (page: Pick<Page, "requestedId" | "nextId">): number =>
  page.requestedId === undefined ? Number(page.nextId) - HOUR_SECONDS : Number(page.requestedId);
