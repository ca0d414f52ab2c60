/**
 * The words that the follower, its sinks and its programs share: stream keys, pages, changes,
 * checkpoints, batches.
 *
 * Change ids are opaque strings here for both streams: they are compared by equality only. What
 * orders pages is `seq`, our own number: it grows by one per page of the stash stream, and is the
 * hour for the exchange.
 */
import type * as Arr from "effect/Array";

/** The two histories of §4.2 that can be followed. */
export type StreamSource = "stashes" | "exchange";

/** Realms of the public stash stream. */
export type StashRealm = "pc" | "console_a" | "console_b";

/** Realms of the currency exchange. */
export type ExchangeRealm = StashRealm | "game2";

/**
 * Key of a checkpoint, a lease and a fencing token (`epoch`). Every key has both parts, so a realm
 * that is added later restarts no stream.
 */
export interface StreamKey {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
}

/** `stashes/pc`: how a key is written in logs, metrics and file names. */
export const keyName = (key: StreamKey): string => `${key.source}/${key.realm}`;

/** What a store or a log tells of one stream among all, if it does. */
export const ofStream = <A extends { readonly key: StreamKey }>(
  all: ReadonlyArray<A>,
  key: StreamKey,
): A | undefined => all.find((each) => keyName(each.key) === keyName(key));

/** Position of a stream, durable in a sink together with the rows up to it. */
export interface Checkpoint {
  /** The id to ask for next. */
  readonly nextId: string;
  /** Number of the last page that is in the sink. */
  readonly seq: bigint;
  /** The highest epoch that ever claimed the stream here: the fence. */
  readonly epoch: number;
  /**
   * CRC-32 and length of the last page's JSON text: a page that is served twice under one id is
   * applied once.
   */
  readonly checksum: string;
  /**
   * Arrival time of that page, in milliseconds since 1970, by this machine's clock. For display,
   * never for ordering.
   */
  readonly receivedAt: number;
}

/** Bytes that could not be applied, kept beside the rows that could. */
export interface QuarantineRecord {
  /**
   * A whole page, one stash or market of a page, or the first bytes of a page that is too large.
   */
  readonly kind: "page" | "row" | "head";
  /** Index of the row in its page; absent for a whole page or its head. */
  readonly place?: number | undefined;
  /** The id whose answer held the bytes; `undefined` for the beginning of the history. */
  readonly requestedId: string | undefined;
  /** The id that follows. */
  readonly nextId: string;
  /** The tag of the error. */
  readonly errorTag: string;
  /** Description of the fault, for people. */
  readonly message: string;
  /** The bytes as JSON text (uncompressed; sinks compress). */
  readonly bytes: Uint8Array;
  /** Number of requests before the follower gave up. */
  readonly tries: number;
}

/** A part of the history that was not read. */
export interface GapRecord {
  /** Hours left out by the service, or a restart or jump that a policy decided. */
  readonly kind: "skipped" | "restarted" | "jumped";
  /** The id that was expected or refused. */
  readonly from: string;
  /** The id at which reading continued. */
  readonly to: string;
}

/** Level at which rows are checked before they are committed. */
export type DecodeLevel = "envelope" | "items" | "full";

/** The columns of a market. */
export interface MarketColumns {
  readonly league: string;
  readonly marketId: string;
}

/** One row of a page: a stash change or a market, with the result of its check. */
export interface PageRow {
  /** Reason for a failed check. */
  readonly error: string | undefined;
  /** The stash, if it is one and passed. */
  readonly stash: StashChange | undefined;
  /** The market's columns, if it is one and passed. */
  readonly market: MarketColumns | undefined;
  /** Its bytes in the page, as they came. */
  readonly bytes: Uint8Array;
  /** The same as text, made on first use. */
  readonly json: string;
  /** The row as a JSON value, parsed on first use. Throws where the text is not JSON. */
  readonly value: unknown;
}

/** One whole answer of the service, decided upon but not yet durable. */
export interface Page {
  /** The stream it belongs to. */
  readonly key: StreamKey;
  /** The id that was asked for; `undefined` for the beginning of the history. */
  readonly requestedId: string | undefined;
  /** The id to continue with (`next_change_id`, §4.2). */
  readonly nextId: string;
  /** Our own number, strictly growing per stream. */
  readonly seq: bigint;
  /** The number of the page before it. A sink at another page refuses this one. */
  readonly previousSeq: bigint;
  /** Arrival time of the last byte, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The body as it came over the wire. Empty for a page that was quarantined. */
  readonly wire: Uint8Array;
  /** The `Content-Encoding` of `wire`. */
  readonly encoding: string;
  /** The JSON text as bytes, inflated. Empty for a page that was quarantined. */
  readonly raw: Uint8Array;
  /** CRC-32 and length of `raw`. */
  readonly checksum: string;
  /** `stashes` or `markets`. A row's value is parsed when it is asked for. */
  readonly rows: ReadonlyArray<PageRow>;
  /** Start and end of each row's text in `raw`, one after the other. */
  readonly bounds: ReadonlyArray<number>;
  /** Requests that it took until the page was accepted as it is. */
  readonly tries: number;
  /** Bytes given up on the way to this page. */
  readonly quarantine: ReadonlyArray<QuarantineRecord>;
  /** History that lies unread before this page. */
  readonly gaps: ReadonlyArray<GapRecord>;
}

/** One stash of a page, checked at the level that the run asks for. */
export interface StashChange {
  /** 64 hexadecimal digits; a later appearance replaces the earlier one (§4.2 rule 2). */
  readonly id: string;
  /** `false`: unlisted, drop the stash and keep a tombstone. */
  readonly isPublic: boolean;
  /** `accountName`, or `null` where it is absent. */
  readonly account: string | null;
  /** `stash`, the tab's name. */
  readonly name: string | null;
  /** `stashType`. */
  readonly type: string | null;
  /** `league`. */
  readonly league: string | null;
  /** Number of items in it; 0 for an unlisted stash. */
  readonly itemCount: number;
  /** The change as JSON text, as the service sent it. */
  readonly json: string;
  /** The items; none for an unlisted stash. Parsed when first asked for, like `value`. */
  readonly items: ReadonlyArray<unknown>;
  /** The change as the service sent it. */
  readonly value: unknown;
}

/** One market of one hour. */
export interface MarketHour {
  /** Unix time of the hour that the figures belong to. */
  readonly hour: number;
  /** The league's name. */
  readonly league: string;
  /** The two currency codes joined by a pipe. */
  readonly marketId: string;
  /** The market as JSON text, as the service sent it. */
  readonly json: string;
  /** The market as the service sent it. */
  readonly value: unknown;
}

/** A page ready for a sink: its rows are checked, rejected rows are quarantined. */
export interface PageCommit {
  /** The page. */
  readonly page: Page;
  /** Its stashes; empty for the exchange. */
  readonly stashes: ReadonlyArray<StashChange>;
  /** Its markets; empty for the stash stream. */
  readonly markets: ReadonlyArray<MarketHour>;
  /** Quarantined rows of this page, and pages given up before it. */
  readonly quarantine: ReadonlyArray<QuarantineRecord>;
}

/** Content of one commit transaction: one page, or several that follow each other. */
export interface Batch {
  /** The stream. */
  readonly key: StreamKey;
  /**
   * Required position of the sink. Any other position means another writer, and the sink fails with
   * `Fenced`.
   */
  readonly previousSeq: bigint;
  /** The pages, in order. */
  readonly pages: Arr.NonEmptyReadonlyArray<PageCommit>;
  /** Position of the sink after the commit. */
  readonly checkpoint: Checkpoint;
}
