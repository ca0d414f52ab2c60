/**
 * The search index as the web server sees it: queries, the state of the indexers, and a signal
 * whenever they have applied a page.
 */
import { Context, Data, Effect, Layer, Option, type Stream, SubscriptionRef } from "effect";
import { HttpServerRequest } from "effect/http";
import { InvalidParameter } from "./InvalidParameter.ts";
import type { Filters } from "./Parameters.ts";
import type { Queries } from "./queries.ts";
import { type Answer, type Late, QueryPool } from "./QueryPool.ts";
import { Reader } from "./Reader.ts";
import type { Status } from "./records.ts";
import { addressOf, MOST_STREAMS } from "./guards.ts";
import type { Place, PlacedEvent } from "./watch.ts";

/** Options of the service. */
export interface StashIndexOptions {
  /** The file of the index. */
  readonly path: string;
  readonly realm: string;
  /** Number of the last page of the log. */
  readonly logSeq: Effect.Effect<number>;
  readonly canSignIn: boolean;
  /** The time that a query may take. Default: 500. */
  readonly queryMillis?: number | undefined;
}

/** A query had no answer within its deadline, or too many others were waiting. */
export class QueryLate extends Data.TaggedError("QueryLate")<{
  readonly why: Late;
  readonly asker: string;
}> {
  override get message(): string {
    switch (this.why) {
      case "deadline":
        return "The query took too long; narrow the search, or repeat it after Retry-After.";
      case "ownBound":
        return `${MOST_WAITING_OF_ONE} queries from ${this.asker} wait already, which is the most of one address; await their answers, or repeat this one after Retry-After.`;
      case "bound":
        return "Too many queries of all addresses wait already; repeat this one after Retry-After.";
    }
  }
}

/** A watch that a thread keeps. */
export interface OpenWatch {
  readonly place: Place;
  /** The events since the last call. */
  readonly step: Effect.Effect<ReadonlyArray<PlacedEvent>, QueryLate | InvalidParameter>;
  readonly close: Effect.Effect<void>;
}

/** The index for reading. */
export class StashIndex extends Context.Service<
  StashIndex,
  {
    /** Runs a query on a thread. */
    readonly run: <Name extends keyof Queries>(
      name: Name,
      input: Parameters<Queries[Name]>[1],
    ) => Effect.Effect<ReturnType<Queries[Name]>, QueryLate | InvalidParameter>;
    /** Begins to watch a search, now or after an earlier place. */
    readonly watch: (
      filters: Filters,
      after: Place | undefined,
    ) => Effect.Effect<OpenWatch, QueryLate | InvalidParameter>;
    readonly status: Effect.Effect<Status>;
    /** The position of the item indexer: now, and after each page. */
    readonly positions: Stream.Stream<number>;
  }
>()("stash-index/StashIndex") {
  static readonly layer = (options: StashIndexOptions): Layer.Layer<StashIndex> =>
    Layer.effect(StashIndex, make(options));
}

const POLL = "250 millis";

/** Threads for queries, and requests that wait for one: of all addresses, and of one. */
const QUERY_THREADS = 2;
const MOST_WAITING = 512;
const MOST_WAITING_OF_ONE = 32;

const make = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { canSignIn, logSeq, path, realm } = options;
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => new Reader(path)),
    (open) => Effect.sync(() => open.close()),
  );
  const position = Effect.sync(() => readPosition(reader, realm));
  const seq = yield* SubscriptionRef.make((yield* position)?.seq ?? 0);
  // Polled, because the indexers may run in another process.
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(POLL);
        const found = (yield* position)?.seq ?? 0;
        if (found !== (yield* SubscriptionRef.get(seq))) yield* SubscriptionRef.set(seq, found);
      }),
    ),
  );
  const status = Effect.gen(function* () {
    const found = yield* position;
    const logged = yield* logSeq;
    return {
      seq: found?.seq ?? 0,
      behind: Math.max(0, logged - (found?.seq ?? 0)),
      receivedAt:
        reader.get<{ at: number }>("SELECT seen_at AS at FROM tab ORDER BY seq DESC LIMIT 1")?.at ??
        null,
      tabs: found?.listed ?? 0,
      items: found?.items ?? 0,
      leagues: reader.all<{ name: string; listed: number }>(
        "SELECT name, listed FROM league WHERE name <> '' AND listed > 0 ORDER BY listed DESC, name",
      ),
      canSignIn,
    };
  });
  const pools = yield* openPools(options);
  return { ...pools, status, positions: SubscriptionRef.changes(seq) };
});

/** Watches stay on one thread, which is not that of the queries: each keeps what it has seen. */
const openPools = Effect.fnUntraced(function* ({ path, queryMillis = 500 }: StashIndexOptions) {
  const open = (threads: number, mostWaiting: number, mostWaitingOfOne = mostWaiting) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const pool = new QueryPool({
          path,
          threads,
          mostWaiting,
          mostWaitingOfOne,
          deadlineMillis: queryMillis,
        });
        await pool.ready();
        return pool;
      }),
      (pool) => Effect.promise(() => pool.close()),
    );
  const queries = yield* open(QUERY_THREADS, MOST_WAITING, MOST_WAITING_OF_ONE);
  const watches = yield* open(1, MOST_STREAMS * 2);
  let lastId = 0;
  return {
    run: <Name extends keyof Queries>(name: Name, input: Parameters<Queries[Name]>[1]) =>
      Effect.flatMap(askerOf, (asker) =>
        ask<ReturnType<Queries[Name]>>(
          () => queries.run({ kind: "query", name, input }, asker),
          asker,
        ),
      ),
    watch: (filters: Filters, after: Place | undefined) =>
      Effect.suspend(() => {
        const id = (lastId += 1);
        const place = ask<Place>(() => watches.run({ kind: "openWatch", id, filters, after }));
        return Effect.map(place, (begins) => ({
          place: begins,
          step: ask<ReadonlyArray<PlacedEvent>>(() => watches.run({ kind: "stepWatch", id })),
          close: Effect.promise(async () => void (await watches.run({ kind: "closeWatch", id }))),
        }));
      }),
  };
});

/** Whose request it is; queries outside of a request share a name. */
const askerOf = Effect.map(
  Effect.serviceOption(HttpServerRequest.HttpServerRequest),
  Option.match({ onNone: () => "", onSome: addressOf }),
);

const ask = <A>(
  run: () => Promise<Answer>,
  asker = "",
): Effect.Effect<A, QueryLate | InvalidParameter> =>
  Effect.flatMap(Effect.promise(run), (answer): Effect.Effect<A, QueryLate | InvalidParameter> => {
    switch (answer.kind) {
      case "value":
        return Effect.succeed(answer.value as A);
      case "refused":
        return Effect.fail(new InvalidParameter(answer.parameter, answer.detail));
      case "late":
        return Effect.fail(new QueryLate({ why: answer.why, asker }));
      case "failed":
        return Effect.die(new Error(answer.detail));
    }
  });

const readPosition = (reader: Reader, realm: string) =>
  reader.get<{ readonly seq: number; readonly listed: number; readonly items: number }>(
    "SELECT seq, listed, items FROM indexer WHERE name = 'items' AND source = 'stashes' AND realm = ?",
    realm,
  );
