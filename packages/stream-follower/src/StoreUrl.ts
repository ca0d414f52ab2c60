/**
 * A store by its address: `sqlite:FILE`, `postgres://user:password@host/database` (and
 * `?schema=NAME` for another schema than `public`), or `nats://user:password@host/PREFIX?replicas=3`
 * (or `?passwordFile=FILE` for the password).
 *
 * Use where an operator names the store: in a setting, an option of a command, an environment
 * variable. `layer` is everything that a run needs besides a page source; `statusOf` looks where a
 * stream stands and writes nothing, not even the file. A program that knows its store at build time
 * provides the sink's own layer instead.
 *
 * The driver of a store is loaded when its address comes up, so naming a file does not cost the
 * start of a PostgreSQL client.
 *
 * ```ts
 * import { Effect } from "effect";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 *
 * const url = await Effect.runPromise(StoreUrl.parse("postgres://me:secret@db.example/pages"));
 * if (StoreUrl.format(url) !== "postgres://db.example/pages") throw new Error("no password");
 * ```
 */
import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import {
  DriverMissing,
  type Fenced,
  HistoryExpired,
  InvalidStoreUrl,
  type SinkError,
  StreamNotFound,
} from "./Errors.ts";
import * as Indexer from "./Indexer.ts";
import type { IndexOptions } from "./Indexer.ts";
import { PageLog, type PageLogService } from "./PageLog.ts";
import { part } from "./Parts.ts";
import { ConnectTries, untilAvailable } from "./core/attempt.ts";
import type { Lease, LeaseOptions } from "./Lease.ts";
import { keyName, type StreamKey, ofStream } from "./Model.ts";
import type { Sink, Store, StoreStatus } from "./Sink.ts";

/** Which store, and where. */
export type StoreUrl =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
  | { readonly kind: "nats"; readonly url: Redacted.Redacted };

/** Options of a store that an address does not carry. */
export interface StoreOptions {
  /** Bytes of pages that the log keeps per stream: 100 MB at least. Default 20 GB. */
  readonly keepBytes?: number;
  /** Age of pages that the log keeps, in milliseconds. Default: any age. */
  readonly keepMillis?: number;
  /** Options of the lease. */
  readonly lease?: LeaseOptions;
}

/** Position of a stream, and its lag. */
export interface StreamStatus extends StoreStatus {
  /**
   * Seconds since the service was last heard: a page that arrived, or a poll at the end of the
   * stream.
   */
  readonly lagSeconds: number;
}

/** Reads an address. */
export const parse = (text: string): Effect.Effect<StoreUrl, InvalidStoreUrl> => {
  const path = /^sqlite:(.+)$/su.exec(text)?.[1];
  if (path !== undefined) return Effect.succeed({ kind: "sqlite", path });
  const [place = "", ...query] = text.split("?");
  if (/^(?:nats|tls):\/\/[^/\s]/iu.test(place) && isBrokerQuery(query.join("?"))) {
    return Effect.succeed({ kind: "nats", url: Redacted.make(text) });
  }
  return /^postgres(ql)?:\/\/./iu.test(text) && URL.canParse(text)
    ? Effect.succeed({ kind: "postgres", url: Redacted.make(text) })
    : Effect.fail(new InvalidStoreUrl());
};

/** A setting that is not known, or not valid, is refused: its default would say nothing. */
const isBrokerQuery = (query: string): boolean =>
  [...new URLSearchParams(query)].every(([name, value]) =>
    name === "replicas" ? /^[1-5]$/u.test(value) : name === "passwordFile" && value !== "",
  );

/**
 * An address for people: where the store is, without the password and without the
 * query.
 */
export const format = (address: StoreUrl): string => {
  if (address.kind === "sqlite") return `sqlite:${address.path}`;
  if (address.kind === "nats") {
    // Several hosts are no URL: the login ends at the last @ before the path.
    return Redacted.value(address.url)
      .replace(/\/\/[^/?]*@/u, "//")
      .split("?")[0]!;
  }
  const { protocol, host, pathname } = new URL(Redacted.value(address.url));
  return `${protocol}//${host}${pathname}`;
};

/** What the driver of a store offers. */
interface Driver {
  readonly store: (
    keep: Pick<StoreOptions, "keepBytes" | "keepMillis">,
  ) => Layer.Layer<Sink | Store | PageLog, SinkError>;
  readonly lease: (options: LeaseOptions) => Layer.Layer<Lease, SinkError>;
  readonly statuses: Effect.Effect<ReadonlyArray<StoreStatus>, SinkError>;
  /** The state indexer and its log; absent in a broker, which keeps no tables. */
  readonly state?: Effect.Effect<
    readonly [Indexer.Indexer & { readonly reset: Effect.Effect<void, SinkError> }, PageLogService],
    SinkError,
    Scope.Scope
  >;
}

/** Loads the driver of a store. */
const driverOf = Effect.fnUntraced(function* (
  url: StoreUrl,
): Effect.fn.Return<Driver, DriverMissing> {
  if (url.kind === "postgres") {
    const { LeasePostgres, PostgresState, SinkPostgres } = yield* loadPostgres;
    const at = { url: url.url };
    const few = { ...at, maxConnections: 2 };
    return {
      store: (keep) => SinkPostgres.layer({ ...at, ...keep }),
      lease: (lease) => LeasePostgres.layer({ ...lease, ...at }),
      statuses: SinkPostgres.readStatus(at),
      state: Effect.all([PostgresState.make(few), SinkPostgres.make(few)]),
    };
  }
  if (url.kind === "nats") {
    const { LeaseNats, SinkNats } = yield* loadNats;
    const at = { url: url.url };
    return {
      // Its log has no limit by age, and passes over one.
      store: (keep) => SinkNats.layer({ ...at, ...keep }),
      lease: (lease) => LeaseNats.layer({ ...lease, ...at }),
      statuses: SinkNats.readStatus(at),
    };
  }
  const { LeaseSqlite, SinkSqlite, SqliteState } = yield* Effect.promise(
    () => import("./sqlite/index.ts"),
  );
  const at = { path: url.path };
  return {
    store: (keep) => SinkSqlite.layer({ ...at, ...keep }),
    lease: (lease) => LeaseSqlite.layer({ ...lease, ...at }),
    statuses: SinkSqlite.readStatus(at),
    state: Effect.all([SqliteState.make(at), SinkSqlite.make(at)]),
  };
});

/** Sink, store, page log and lease of a URL. */
export const layer = (
  url: StoreUrl,
  options: StoreOptions = {},
): Layer.Layer<Sink | Store | PageLog | Lease, SinkError | DriverMissing> => {
  const { lease = {}, ...keep } = options;
  return Layer.unwrap(
    Effect.map(driverOf(url), (driver) => Layer.merge(driver.store(keep), driver.lease(lease))),
  );
};

/**
 * Opens a store for a stream, as its part `store`: tried again for as long as the store is away,
 * which the stream's status tells. Closed with the scope.
 */
export const open = (
  key: StreamKey,
  url: StoreUrl,
  options: StoreOptions = {},
): Effect.Effect<Context.Context<Sink | Store | Lease>, SinkError | DriverMissing, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope;
    const opened = Effect.gen(function* () {
      const own = yield* Scope.make();
      return yield* Layer.buildWithScope(layer(url, options), own).pipe(
        Effect.onExit((exit) =>
          Exit.isSuccess(exit)
            ? Scope.addFinalizerExit(scope, (end) => Scope.close(own, end))
            : Scope.close(own, exit),
        ),
      );
    });
    const bounds = { operation: "open", deadlineMillis: OPEN_MILLIS };
    const reachable = Effect.provideService(opened, ConnectTries, OPEN_TRIES);
    return yield* untilAvailable(yield* part(key, "store"), bounds, reachable);
  });

/** Each attempt to open a store, and the driver's own tries in it. */
const OPEN_MILLIS = 30_000;
const OPEN_TRIES = 4;

/** Loads a driver whose optional peer dependency may not be installed. */
export const loadOptional = <A>(
  peer: string,
  driver: () => Promise<A>,
): Effect.Effect<A, DriverMissing> =>
  Effect.tryPromise({ try: driver, catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      isMissing(cause, peer)
        ? Effect.fail(new DriverMissing({ package: peer, install: `npm install ${peer}`, cause }))
        : Effect.die(cause),
    ),
  );

/** The second one comes from a single executable, which has modules of its own only. */
const NOT_INSTALLED = new Set<unknown>(["ERR_MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE"]);

const isMissing = (cause: unknown, peer: string): boolean =>
  NOT_INSTALLED.has((cause as { code?: unknown } | null)?.code) &&
  cause instanceof Error &&
  cause.message.includes(peer);

const loadPostgres = loadOptional("@effect/sql-pg", () => import("./postgres/index.ts"));
const loadNats = loadOptional("@nats-io/transport-node", () => import("./nats/index.ts"));

/** The page log of a store, for `Changes`. */
export const logLayer = (url: StoreUrl): Layer.Layer<PageLog, SinkError | DriverMissing> =>
  Layer.unwrap(Effect.map(driverOf(url), (driver) => driver.store({})));

/**
 * Derives the current stashes, or markets, of a stream from its log; see `Indexer.run`. A broker
 * keeps no tables: there it ends at once.
 */
export const indexState = (
  url: StoreUrl,
  options: IndexOptions,
): Effect.Effect<void, SinkError | Fenced | HistoryExpired | DriverMissing> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { state } = yield* driverOf(url);
      if (state === undefined) return;
      const [indexer, log] = yield* state;
      yield* Effect.provideService(Indexer.run(indexer, options), PageLog, log);
    }),
  );

/**
 * Empties the derived tables and writes them anew from the log, all streams of the store. Fails with
 * `HistoryExpired` where the log no longer reaches back to the first page of a stash stream: the
 * stashes before it would be lost. Stores without derived rows have nothing to rebuild:
 * `InvalidStoreUrl`.
 */
export const rebuild = (
  url: StoreUrl,
  key: StreamKey,
): Effect.Effect<
  void,
  SinkError | Fenced | HistoryExpired | StreamNotFound | DriverMissing | InvalidStoreUrl
> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { state } = yield* driverOf(url);
      if (state === undefined) return yield* new InvalidStoreUrl();
      // The tables are made anew for all streams of the store.
      yield* statusOf(key, url);
      const found = yield* statuses(url);
      for (const each of found) {
        const first = each.oldestSeq ?? each.seq + 1n;
        if (each.key.source === "stashes" && first > 1n) {
          const stream = keyName(each.key);
          return yield* new HistoryExpired({ stream, position: 0n, first });
        }
      }
      yield* (yield* state)[0].reset;
      for (const each of found) {
        yield* indexState(url, { key: each.key, until: "caughtUp" });
      }
    }),
  );

/**
 * Status of every stream of a store. Read-only; a store that does not exist has no streams.
 */
export const statuses = (
  url: StoreUrl,
): Effect.Effect<ReadonlyArray<StreamStatus>, SinkError | DriverMissing> =>
  Effect.gen(function* () {
    const found = yield* (yield* driverOf(url)).statuses;
    const now = yield* Clock.currentTimeMillis;
    return found.map((status) => ({ ...status, lagSeconds: lagOf(status, now) }));
  });

const lagOf = ({ receivedAt, polledAt = 0 }: StoreStatus, now: number): number =>
  Math.max(0, (now - Math.max(receivedAt, polledAt)) / 1000);

/** Reads the status of one stream of a store. Writes nothing. */
export const statusOf = (
  key: StreamKey,
  address: StoreUrl,
): Effect.Effect<StreamStatus, SinkError | StreamNotFound | DriverMissing> =>
  Effect.flatMap(statuses(address), (found) => {
    const status = ofStream(found, key);
    if (status !== undefined) return Effect.succeed(status);
    const missing = found.length === 0 ? ("store" as const) : ("stream" as const);
    return Effect.fail(
      new StreamNotFound({ stream: keyName(key), store: format(address), missing }),
    );
  });
