/** Pages as the follower gives them to a sink, made from rows. */
import {
  Decode,
  MalformedPage,
  type Page,
  type PageCommit,
  type StreamKey,
} from "../../src/index.ts";
import { checksum } from "../../src/core/checksum.ts";
import { readPage } from "../../src/core/readPage.ts";
import { gzipSync } from "node:zlib";

export interface PageOptions {
  readonly key?: StreamKey;
  readonly seq: bigint;
  readonly previousSeq?: bigint;
  readonly requestedId?: string | undefined;
  readonly nextId?: string;
  readonly rows?: ReadonlyArray<unknown>;
  /** The page's JSON text, instead of `rows`. */
  readonly text?: string;
  readonly receivedAt?: number;
  readonly level?: Decode.DecodeLevel;
  readonly checksum?: string;
}

/** A page. */
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
    ...{ key, seq, nextId, wire, raw, encoding: "gzip", wireBytes: wire.length },
    requestedId: "requestedId" in options ? options.requestedId : first,
    previousSeq: options.previousSeq ?? seq - 1n,
    receivedAt: options.receivedAt ?? 1000,
    checksum: options.checksum ?? checksum(raw),
    rows: parsed.rows,
    bounds: parsed.bounds,
    tries: 1,
    quarantine: [],
    gaps: [],
    caughtUp: false,
  };
};

/** A page with its rows checked, as a batch has it. */
export const commitOf = (page: Page, level: Decode.DecodeLevel = "items"): PageCommit => {
  const none = { good: [], bad: [] };
  const stashes = page.key.source === "stashes" ? Decode.stashes(page, level) : none;
  const markets = page.key.source === "exchange" ? Decode.markets(page, level) : none;
  return {
    page,
    stashes: stashes.good,
    markets: markets.good,
    quarantine: [...page.quarantine, ...stashes.bad, ...markets.bad],
  };
};
