/**
 * Following a stream into a store at a prompt: the store by its address, progress on stderr, and an
 * end on Ctrl-C that leaves rows and checkpoint in step.
 *
 * A service that follows for weeks uses `Follower` and `HealthServer` of `stream-follower`, with logs
 * and metrics instead of a line of progress.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Follower, Health, Sink, type StreamKey } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Deferred, Effect, Fiber, Layer } from "effect";
import { connect } from "@game-data/terminal/Connection";
import { note, progress } from "@game-data/terminal/Output";
import type { Settings } from "@game-data/terminal/Settings";

/** What to follow, and into what. */
export interface FollowRequest {
  readonly key: StreamKey;
  /** `sqlite:FILE`, `postgres://user:password@host/database`, or `jsonl:FOLDER`. */
  readonly store: string;
  /** Ends at the end of the stream; otherwise it goes on until it is interrupted. */
  readonly untilCaughtUp: boolean;
}

/**
 * Follows until caught up, or until interrupted; tells on stderr how far it is and how it ended.
 */
export const follow = Effect.fnUntraced(function* (
  from: Settings,
  { key, store, untilCaughtUp }: FollowRequest,
) {
  const address = yield* StoreUrl.parse(store);
  const scope = key.source === "stashes" ? "service:psapi" : "service:cxapi";
  // Pages are large and come packed: undici hands them out as they are.
  const services = yield* connect(from, [scope], NodeHttpClient.layerUndici);
  yield* announce(address);
  const stores = yield* Layer.build(StoreUrl.layer(address));
  const totals = { pages: 0, rows: 0 };
  const bar = progress();
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(Effect.sleep("100 millis"), () =>
        Effect.map(Health.report, ({ streams }) =>
          bar.show(`${told(totals)} (${STATES[streams[0]?.state ?? "requesting"]})`),
        ),
      ),
    ),
  );
  // Pages come first; the current stashes are derived from them meanwhile.
  const indexing = yield* Effect.forkScoped(StoreUrl.indexState(address, { key }));
  const stop = yield* Deferred.make<void>();
  // On a fiber of its own, so that Ctrl-C asks it to end instead of cutting it short.
  const run = yield* Follower.run(
    optionsOf(key, untilCaughtUp ? "caughtUp" : "forever", Deferred.await(stop)),
  ).pipe(
    Effect.provide(GameApiSource.layer),
    Effect.updateService(Sink.Sink, (sink) => counted(sink, totals)),
    Effect.provideContext(stores),
    Effect.provideContext(services),
    Effect.forkDetach,
  );
  const summary = yield* Fiber.join(run).pipe(
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        yield* Deferred.succeed(stop, undefined);
        yield* Fiber.await(run);
        bar.done(`${told(totals)}; stopped, and all of it is in the store`);
      }),
    ),
  );
  yield* Fiber.interrupt(indexing);
  yield* StoreUrl.indexState(address, { key, until: "caughtUp" });
  bar.done(`${told(totals)}; caught up`);
  return { realm: key.realm, ...summary };
});

const optionsOf = (
  { realm, source }: StreamKey,
  until: "caughtUp" | "forever",
  stopWhen: Effect.Effect<void>,
) =>
  source === "stashes"
    ? { until, stopWhen, source, realm: realm as "pc" }
    : { until, stopWhen, source, realm };

/** The follower's states, for people. */
const STATES: Readonly<Record<Health.StreamHealth["state"], string>> = {
  requesting: "reading",
  delivering: "reading",
  tail: "at the end, waiting for more",
  backingOff: "a fault on the way, trying again",
  retryingBadPage: "an odd answer, trying again",
  paused: "the service broke its rules, waiting",
  halted: "halted",
  stopped: "stopped",
  standby: "another process follows this stream, standing by",
};

const told = ({ pages, rows }: { pages: number; rows: number }) => `${pages} pages, ${rows} rows`;

/** A sink that keeps count of what is durable. */
const counted = (
  sink: Sink.SinkService,
  totals: { pages: number; rows: number },
): Sink.SinkService => ({
  ...sink,
  commit: (batch, epoch) =>
    Effect.tap(sink.commit(batch, epoch), () =>
      Effect.sync(() => {
        totals.pages += batch.pages.length;
        for (const page of batch.pages) totals.rows += page.stashes.length + page.markets.length;
      }),
    ),
});

/** A database that does not answer is tried for half a minute. */
const announce = ({ kind }: StoreUrl.StoreUrl) =>
  kind === "postgres" ? note("Opening the database …") : Effect.void;

/** Where a stream stands in a store, as scripts read it. Nothing is made by looking. */
export const statusOf = Effect.fnUntraced(function* (key: StreamKey, store: string) {
  const address = yield* StoreUrl.parse(store);
  yield* announce(address);
  const status = yield* StoreUrl.statusOf(key, address);
  return {
    realm: key.realm,
    nextChangeId: status.nextId,
    pages: status.pages,
    [key.source === "stashes" ? "stashes" : "markets"]: status.rows,
    items: status.items,
    lagSeconds: status.lagSeconds,
    quarantined: status.quarantined,
    gaps: status.gaps,
    epoch: status.epoch,
    receivedAt: new Date(status.receivedAt).toISOString(),
    polledAt: status.polledAt === undefined ? null : new Date(status.polledAt).toISOString(),
  };
});
