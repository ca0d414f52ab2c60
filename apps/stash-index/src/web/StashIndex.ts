/**
 * The search index as the web server sees it: queries, the state of the indexers, and a signal
 * whenever they have applied a page.
 */
import { Context, Effect, Layer, Option, SubscriptionRef } from "effect";
import { HttpServerRequest } from "effect/http";
import { BadParameter, Busy } from "./Api.ts";
import type { Filters } from "./Parameters.ts";
import type { Queries } from "./queries.ts";
import { type Answer, type Late, QueryPool } from "./QueryPool.ts";
import { Reader } from "./Reader.ts";
import { addressOf, MOST_STREAMS } from "./guards.ts";
import type { Place, PlacedEvent } from "./watch.ts";

/** Options of the service. */
export interface StashIndexOptions {
  /** The file of the index. */
  readonly path: string;
  readonly realm: string;
  /** Number of the last page of the log. */
  readonly logSeq: Effect.Effect<number>;
  /** The time that a query may take. Default: 500. */
  readonly queryMillis?: number | undefined;
}

/** The index for reading. */
export class StashIndex extends Context.Service<
  StashIndex,
  Effect.Success<ReturnType<typeof make>>
>()("stash-index/StashIndex") {
  static readonly layer = (options: StashIndexOptions) => Layer.effect(StashIndex, make(options));
}

const POLL = "250 millis";

/** Threads for queries, and requests that wait for one: of all addresses, and of one. */
const QUERY_THREADS = 2;
const MOST_WAITING = 512;
const MOST_WAITING_OF_ONE = 32;

const make = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { logSeq, path, realm } = options;
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
    };
  });
  const pools = yield* openPools(options);
  /** The position of the item indexer: now, and after each page. */
  const positions = SubscriptionRef.changes(seq);
  return { ...pools, status, positions };
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
    /** Runs a query on a thread. */
    run: <Name extends keyof Queries>(name: Name, input: Parameters<Queries[Name]>[1]) =>
      Effect.flatMap(askerOf, (asker) =>
        ask<ReturnType<Queries[Name]>>(
          () => queries.run({ kind: "query", name, input }, asker),
          asker,
        ),
      ),
    /** Begins to watch a search, now or after an earlier place. */
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

/** What a thread answers; a parameter that it refuses is a 400, and an answer too late a 503. */
const ask = <A>(run: () => Promise<Answer>, asker = ""): Effect.Effect<A, BadParameter | Busy> =>
  Effect.flatMap(Effect.promise(run), (answer): Effect.Effect<A, BadParameter | Busy> => {
    switch (answer.kind) {
      case "value":
        return Effect.succeed(answer.value as A);
      case "refused":
        return Effect.fail(new BadParameter(answer));
      case "late":
        return Effect.fail(new Busy({ detail: LATE[answer.why](asker) }));
      case "failed":
        return Effect.die(new Error(answer.detail));
    }
  });

const LATE: Readonly<Record<Late, (asker: string) => string>> = {
  deadline: () => "The query took too long; narrow the search, or repeat it after Retry-After.",
  ownBound: (asker) =>
    `${MOST_WAITING_OF_ONE} queries from ${asker} wait already, which is the most of one address; await their answers, or repeat this one after Retry-After.`,
  bound: () => "Too many queries of all addresses wait already; repeat this one after Retry-After.",
};

const readPosition = (reader: Reader, realm: string) =>
  reader.get<{ readonly seq: number; readonly listed: number; readonly items: number }>(
    "SELECT seq, listed, items FROM indexer WHERE name = 'items' AND source = 'stashes' AND realm = ?",
    realm,
  );
