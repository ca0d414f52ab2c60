/**
 * Opens a store by its address: `sqlite:FILE`, or `postgres://user:password@host/database` with
 * `?schema=NAME` for another schema than `public`. The password may also come from the file that
 * `?passwordFile=FILE` names, or from the environment variable `PGPASSWORD`.
 *
 * `layer` provides all services of a run except a page source. `statusOf` reads the status of a
 * stream and changes nothing in the store.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import { untilAvailable } from "./attempt.ts";
import type { ChangesError } from "./Changes.ts";
import {
  type DriverMissing,
  HistoryExpired,
  type IndexerFailed,
  InvalidStoreUrl,
  type SinkError,
  StreamNotFound,
} from "./Errors.ts";
import { fromStore, Lease, type LeaseOptions } from "./Lease.ts";
import { keyName, ofStream, type StreamKey } from "./Model.ts";
import { PageLog } from "./PageLog.ts";
import { Sink } from "./Sink.ts";
import { loadOptional, type StoreUrl } from "./sql/Database.ts";
import * as Indexer from "./sql/Indexer.ts";
import { makePageLog } from "./sql/Log.ts";
import * as Schema from "./sql/Schema.ts";
import * as StashState from "./sql/StashState.ts";
import { makeLeaseStore, makeSink } from "./sql/Store.ts";
import { type IndexerStatus, readStatus, type StoreStatus } from "./sql/StoreStatus.ts";

export { type IndexerStatus, loadOptional, type StoreStatus, type StoreUrl };

/** Options of a store that are not part of its address. */
export interface StoreOptions {
  /** Bytes of pages that the log keeps per stream, at least 100 MB. Default 20 GB. */
  readonly keepBytes?: number;
  /** Age of pages that the log keeps, in milliseconds. Default: any age. */
  readonly keepMillis?: number;
  /**
   * When a commit of SQLite reaches the disk. With `normal` a power loss may drop the last commits,
   * each of them whole, and consumers may then be ahead of the log; `full` waits for the disk at every
   * commit. PostgreSQL has its own setting. Default `normal`.
   */
  readonly synchronous?: "normal" | "full";
  readonly lease?: LeaseOptions;
}

/** Parses the address of a store: `sqlite:FILE` or `postgres://…`. */
export const parse = (text: string): Effect.Effect<StoreUrl, InvalidStoreUrl> => {
  const path = /^sqlite:(.+)$/su.exec(text)?.[1];
  if (path !== undefined) return Effect.succeed({ kind: "sqlite", path });
  if (!/^postgres(ql)?:\/\/./iu.test(text) || !URL.canParse(text)) {
    return Effect.fail(new InvalidStoreUrl({}));
  }
  const { searchParams } = new URL(text);
  if (searchParams.get("passwordFile") === "") {
    return Effect.fail(new InvalidStoreUrl({ detail: "passwordFile is empty" }));
  }
  // The error omits the name, because a part of a password may look like a parameter.
  if (![...searchParams.keys()].every((name) => PARAMETERS.includes(name))) {
    const detail = `it has an unknown parameter; known are ${PARAMETERS.join(", ")}`;
    return Effect.fail(new InvalidStoreUrl({ detail }));
  }
  return Effect.succeed({ kind: "postgres", url: Redacted.make(text) });
};

/** Parameters of this package, of the driver, and of addresses that hosted databases hand out. */
const PARAMETERS =
  "passwordFile schema application_name channel_binding connect_timeout dbname host options password port sslmode user".split(
    " ",
  );

/** Returns an address for logs and messages, without the user, the password and the query. */
export const format = (address: StoreUrl): string => {
  if (address.kind === "sqlite") return `sqlite:${address.path}`;
  const { host, pathname, protocol } = new URL(Redacted.value(address.url));
  return `${protocol}//${host}${pathname}`;
};

type Services = Sink | PageLog | Lease;

/** Provides sink, page log and lease of a store. Waits half a minute for a server that starts. */
export const layer = (
  url: StoreUrl,
  options: StoreOptions = {},
): Layer.Layer<Services, SinkError | DriverMissing> =>
  Layer.effectContext(Effect.retry(make(url, options), WHILE_STARTING));

const WHILE_STARTING = {
  while: (error: SinkError | DriverMissing) => error.isRetryable,
  schedule: Schedule.spaced("500 millis"),
  times: 60,
};

const make = Effect.fnUntraced(function* (url: StoreUrl, options: StoreOptions) {
  const { keepBytes = 20e9, keepMillis = Infinity, lease, synchronous } = options;
  // A smaller log may delete its first pages before a new reader has registered.
  for (const [option, value, least] of [
    ["keepBytes", keepBytes, 100_000_000],
    ["keepMillis", keepMillis, 1],
  ] as const) {
    const reason = `must be a number of at least ${least}`;
    if (!(value >= least)) throw new ConfigurationInvalid({ option, reason });
  }
  const sql = yield* Schema.open(url, "log", { synchronous });
  return Context.make(Sink, makeSink(sql, { bytes: keepBytes, millis: keepMillis })).pipe(
    Context.add(PageLog, makePageLog(sql)),
    Context.add(Lease, fromStore(makeLeaseStore(sql), lease)),
  );
});

/**
 * Opens a store for a stream, and retries while the store is unavailable. The attempts are recorded
 * as the part `store` of the stream's status. The scope closes the store.
 */
export const open = (
  key: StreamKey,
  url: StoreUrl,
  options: StoreOptions = {},
): Effect.Effect<Context.Context<Services>, SinkError | DriverMissing, Scope.Scope> =>
  make(url, options).pipe(untilAvailable(key, "store", OPENING));

const OPENING = { operation: "open", duration: "15 seconds" } as const;

/**
 * Provides the page log of a store, for `Changes`. With `isReadOnly` the store has to exist, and
 * needs no permission to write; a reader then cannot acknowledge its position.
 */
export const logLayer = (
  url: StoreUrl,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Layer.Layer<PageLog, SinkError | DriverMissing> => {
  const opened = isReadOnly ? Schema.openExisting(url, "log") : Schema.open(url, "log");
  return Layer.effect(PageLog, Effect.map(Effect.retry(opened, WHILE_STARTING), makePageLog));
};

/**
 * Derives the current stashes, or markets, of a stream from its log; see `Indexer.run`. Waits while the
 * store is unavailable.
 */
export const indexState = (
  url: StoreUrl,
  options: Indexer.IndexOptions,
): Effect.Effect<void, ChangesError | IndexerFailed | DriverMissing> =>
  Effect.gen(function* () {
    const attempt = untilAvailable(options.key, `indexer ${StashState.definition.name}`, OPENING);
    const log = yield* attempt(Schema.open(url, "log"));
    const state = yield* attempt(Indexer.open(url, StashState.definition));
    yield* Effect.provideService(Indexer.run(state, options), PageLog, makePageLog(log));
  }).pipe(Effect.scoped);

/**
 * Empties the derived tables and derives them again from the log, for all streams of the store. Fails
 * with `HistoryExpired` if the log of a stash stream does not begin at its first page, because the
 * stashes before would be lost.
 */
export const rebuild = Effect.fn("StoreUrl.rebuild")(function* (
  url: StoreUrl,
  key: StreamKey,
): Effect.fn.Return<
  void,
  ChangesError | IndexerFailed | StreamNotFound | DriverMissing,
  Scope.Scope
> {
  yield* statusOf(key, url);
  const streams = yield* statuses(url);
  for (const { key: stream, oldestSeq, seq } of streams) {
    const first = oldestSeq ?? seq + 1n;
    if (stream.source === "stashes" && first > 1n) {
      return yield* new HistoryExpired({ stream: keyName(stream), position: 0n, first });
    }
  }
  yield* Indexer.reset(yield* Indexer.open(url, StashState.definition));
  for (const stream of streams) {
    yield* indexState(url, { key: stream.key, until: "caughtUp" });
  }
}, Effect.scoped);

/** Reads the status of every stream. Writes nothing; a store that does not exist has no streams. */
export const statuses = (
  url: StoreUrl,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError | DriverMissing> =>
  Effect.gen(function* () {
    const log = yield* Schema.openToRead(url, "log");
    return log === undefined ? [] : yield* readStatus(log, yield* Schema.openToRead(url, "index"));
  }).pipe(Effect.scoped);

/** Reads the status of one stream. Fails with `StreamNotFound` if the store has no such stream. */
export const statusOf = Effect.fn("StoreUrl.statusOf")(function* (
  key: StreamKey,
  address: StoreUrl,
): Effect.fn.Return<StoreStatus, SinkError | StreamNotFound | DriverMissing> {
  const streams = yield* statuses(address);
  const status = ofStream(streams, key);
  if (status !== undefined) return status;
  return yield* new StreamNotFound({
    stream: keyName(key),
    store: format(address),
    reason: streams.length === 0 ? "store" : "stream",
  });
});
