/**
 * Follows a stream into a store, with progress on stderr. Ctrl-C finishes the open transaction, so
 * that rows and checkpoint agree.
 *
 * A service that follows for weeks uses `Follower` of `stream-follower` with logs, metrics and
 * health instead.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Follower, Health, Sink, type StreamKey } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Deferred, Effect, Fiber, Layer } from "effect";
import { connect } from "./connect.ts";
import { printError, progress } from "@game-data/terminal/Output";
import type { Settings } from "../config/Settings.ts";

/** The stream and the store. */
export interface FollowRequest {
  readonly key: StreamKey;
  /** `sqlite:FILE`, `postgres://user:password@host/database`, or `jsonl:FOLDER`. */
  readonly store: string;
  /** Whether to end at the end of the stream instead of waiting for more. */
  readonly untilCaughtUp: boolean;
}

/** Follows until caught up or interrupted, and reports progress on stderr. */
export const follow = Effect.fnUntraced(function* (
  from: Settings,
  { key, store, untilCaughtUp }: FollowRequest,
) {
  const address = yield* StoreUrl.parse(store);
  const scope = key.source === "stashes" ? "service:psapi" : "service:cxapi";
  // Pages are large and compressed; undici returns them without decompressing.
  const services = yield* connect(from, [scope], NodeHttpClient.layerUndici);
  yield* announce(address);
  const stores = yield* Layer.build(StoreUrl.layer(address));
  const totals = { pages: 0, rows: 0 };
  const bar = yield* progress;
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(Effect.sleep("100 millis"), () =>
        Effect.map(Health.report, ({ streams }) =>
          bar.update(`${countsText(totals)} (${STATES[streams[0]?.state ?? "requesting"]})`),
        ),
      ),
    ),
  );
  // Pages are stored first; the current stashes are derived from them at the same time.
  const indexing = yield* Effect.forkScoped(StoreUrl.indexState(address, { key }));
  const stop = yield* Deferred.make<void>();
  // On its own fiber, so that Ctrl-C asks it to stop instead of interrupting it.
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
        bar.done(`${countsText(totals)}; stopped, all of it is in the store`);
      }),
    ),
  );
  yield* Fiber.interrupt(indexing);
  yield* StoreUrl.indexState(address, { key, until: "caughtUp" });
  bar.done(`${countsText(totals)}; caught up`);
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

/** The follower's states in words. */
const STATES: Readonly<Record<Health.StreamHealth["state"], string>> = {
  requesting: "reading",
  delivering: "reading",
  tail: "at the end, waiting for more",
  backingOff: "failed, retrying",
  retryingBadPage: "unexpected response, retrying",
  paused: "protocol violation, waiting",
  halted: "halted",
  stopped: "stopped",
  standby: "standby: another process follows this stream",
};

const countsText = ({ pages, rows }: { pages: number; rows: number }) =>
  `${pages} pages, ${rows} rows`;

/** Counts what is committed. */
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

/** Opening a database may take half a minute. */
const announce = ({ kind }: StoreUrl.StoreUrl) =>
  kind === "postgres" ? printError("Opening the database …") : Effect.void;

/** Returns the status of a stream in a store, as scripts read it. Read-only. */
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
