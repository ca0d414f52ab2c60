/** Pages as the follower gives them to a sink, made from rows. */
import { gzipSync } from "node:zlib";
import { checksum } from "../core/checksum.ts";
import { readPage } from "../core/readPage.ts";
import type { DecodeLevel } from "../Decode.ts";
import { MalformedPage } from "../Errors.ts";
import type { Page, StreamKey } from "../Model.ts";

/** What a page is made of; only `seq` is needed. */
export interface PageOptions {
  /** Default: the stashes of `pc`. */
  readonly key?: StreamKey;
  readonly seq: bigint;
  /** Default: one less. */
  readonly previousSeq?: bigint;
  /** Default: the number before as text, and `undefined` for page 1. */
  readonly requestedId?: string | undefined;
  /** Default: the number as text. */
  readonly nextId?: string;
  /** Stashes or markets, as the service sends them. */
  readonly rows?: ReadonlyArray<unknown>;
  /** The page's JSON text, instead of `rows`. */
  readonly text?: string;
  /** Milliseconds since 1970. Default: 1000. */
  readonly receivedAt?: number;
  /** Level that its rows are checked at. Default: `items`. */
  readonly level?: DecodeLevel;
  /** Default: that of its text. */
  readonly checksum?: string;
}

/** A page. Throws `MalformedPage` where `text` is none. */
export const makePage = (options: PageOptions): Page => {
  const { key = { source: "stashes", realm: "pc" }, level = "items", rows = [], seq } = options;
  const nextId = options.nextId ?? String(seq);
  const next = key.source === "stashes" ? nextId : Number(nextId);
  const member = key.source === "stashes" ? "stashes" : "markets";
  const raw = Buffer.from(options.text ?? JSON.stringify({ next_change_id: next, [member]: rows }));
  const parsed = readPage(raw, key.source, level);
  if (parsed instanceof MalformedPage) throw parsed;
  const wire = gzipSync(raw);
  const first = seq === 1n ? undefined : String(seq - 1n);
  return {
    key,
    seq,
    nextId,
    wire,
    raw,
    encoding: "gzip",
    requestedId: "requestedId" in options ? options.requestedId : first,
    previousSeq: options.previousSeq ?? seq - 1n,
    receivedAt: options.receivedAt ?? 1000,
    checksum: options.checksum ?? checksum(raw),
    rows: parsed.rows,
    bounds: parsed.bounds,
    tries: 1,
    quarantine: [],
    gaps: [],
  };
};
