/** Makes pages from rows, as the follower passes them to a sink. */
import * as Effect from "effect/Effect";
import { gzipSync } from "node:zlib";
import { checksum } from "../fetchPage.ts";
import { makeCommit, type PageCommit, type StreamKey } from "../Model.ts";
import { readRows } from "../readPage.ts";

export interface PageOptions {
  /** The stream of the page. Default: the stashes of `pc`. */
  readonly key?: StreamKey;
  readonly seq: bigint;
  /** Number of the page before. Default: `seq - 1n`. */
  readonly previousSeq?: bigint;
  /** Change id of the request. Default: `seq - 1n` as text, and `undefined` for page 1. */
  readonly requestedId?: string | undefined;
  /** Change id that follows the page. Default: `seq` as text. */
  readonly nextId?: string;
  /** Stashes or markets, as the service sends them. */
  readonly rows?: ReadonlyArray<unknown>;
  /** The page's JSON text, instead of `rows`. */
  readonly text?: string;
  /** Arrival time in milliseconds since 1970. Default: 1000. */
  readonly receivedAt?: number;
  /** Checksum of the page. Default: the checksum of the JSON text. */
  readonly checksum?: string;
}

/** Makes a page with its rows. Throws `MalformedPage` if `text` is not a page. */
export const makePage = (options: PageOptions): PageCommit => {
  const { key = { source: "stashes", realm: "pc" }, seq } = options;
  const nextId = options.nextId ?? String(seq);
  const raw = Buffer.from(options.text ?? pageText(key, nextId, options.rows ?? []));
  const rows = Effect.runSync(readRows(raw, key.source));
  const page = {
    key,
    seq,
    nextId,
    raw,
    rawBytes: raw.length,
    wire: gzipSync(raw),
    encoding: "gzip",
    requestedId:
      "requestedId" in options ? options.requestedId : seq === 1n ? undefined : String(seq - 1n),
    previousSeq: options.previousSeq ?? seq - 1n,
    receivedAt: options.receivedAt ?? 1000,
    checksum: options.checksum ?? checksum(raw),
    rowCount: rows.length,
    tries: 1,
    quarantine: [],
    gaps: [],
  };
  return makeCommit(page, rows);
};

const pageText = (key: StreamKey, nextId: string, rows: ReadonlyArray<unknown>): string =>
  JSON.stringify(
    key.source === "stashes"
      ? { next_change_id: nextId, stashes: rows }
      : { next_change_id: Number(nextId), markets: rows },
  );
