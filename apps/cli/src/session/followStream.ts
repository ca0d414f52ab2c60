/**
 * Follows a stream into a store, with progress on stderr. Ctrl-C finishes the open transaction, so
 * that rows and checkpoint agree.
 *
 * A service that follows for weeks uses `Follower` of `stream-follower` with logs, metrics and
 * health instead.
 */
import {
  Follower,
  Indexer,
  type IndexerFailed,
  IndexerThread,
  Parts,
  type RunError,
  type StreamKey,
  Supervisor,
} from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { HealthServer } from "@game-data/stream-follower/health";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { failure } from "@game-data/terminal/Failure";
import { printError, progress } from "@game-data/terminal/Output";
import { Deferred, Effect, Exit, Fiber } from "effect";
import { isSea } from "node:sea";
import type { FollowOptions } from "../commands/Stream.ts";
import type { Settings } from "../config/Settings.ts";
import { countsText, progressLine, stoppedLine } from "../output/followLine.ts";
import { connect } from "./connect.ts";

/** The stream, the store, and the flags that are given. */
export interface FollowRequest extends FollowOptions {
  readonly key: StreamKey;
  /** `sqlite:FILE`, `postgres://user:password@host/database` or `nats://…`. */
  readonly store: string;
  /** Whether to end at the end of the stream instead of waiting for more. */
  readonly untilCaughtUp: boolean;
}

const DAY_MILLIS = 86_400_000;

/** Follows until caught up or interrupted, and reports progress on stderr. */
export const follow = Effect.fnUntraced(function* (from: Settings, request: FollowRequest) {
  const { key, store } = request;
  const address = yield* StoreUrl.parse(store);
  yield* checkRetention(request, address);
  // First, so that a store that is away is told and not a connection that is refused.
  yield* serveOps(request);
  const begin = yield* beginningOf(request, address);
  const totals = { pages: 0, rows: 0 };
  const bar = yield* progress;
  const status = Effect.map(Parts.report, ({ streams }) => streams[0]);
  const shown = Effect.map(status, (now) => bar.update(progressLine(totals, now)));
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("100 millis"), shown)));
  const scope = key.source === "stashes" ? "service:psapi" : "service:cxapi";
  const services = yield* connect(from, [scope]);
  yield* announce(address);
  const stores = yield* StoreUrl.open(key, address, retentionOf(request));
  const stop = yield* Deferred.make<void>();
  const ended: { summary?: Follower.RunSummary } = {};
  const following = Follower.run(
    optionsOf(key, {
      ...begin,
      until: request.untilCaughtUp ? "caughtUp" : "forever",
      stopWhen: Deferred.await(stop),
      onCommitted: (committed) => {
        totals.pages += committed.length;
        for (const page of committed) totals.rows += page.stashes.length + page.markets.length;
      },
    }),
  ).pipe(
    Effect.tap((summary) => Effect.sync(() => void (ended.summary = summary))),
    Effect.provide(GameApiSource.layer),
    Effect.provideContext(stores),
    Effect.provideContext(services),
  );
  const cell = yield* Parts.part(key, "follower");
  // On its own fiber, so that Ctrl-C asks it to stop instead of interrupting it.
  const run = yield* Supervisor.run<RunError | IndexerFailed, never>([
    { cell, run: () => following, onFailure: "halt" },
    ...(yield* indexersOf(request, address)),
  ]).pipe(Effect.forkDetach);
  const stopped = Effect.gen(function* () {
    const before = yield* status;
    yield* Deferred.succeed(stop, undefined);
    const exit = yield* Fiber.await(run);
    bar.done(
      Exit.isSuccess(exit)
        ? stoppedLine(totals, before, yield* status)
        : `${countsText(totals)} are in the store; later pages are not, and are fetched again`,
    );
  });
  yield* Effect.onInterrupt(Fiber.join(run), () => stopped);
  yield* StoreUrl.indexState(address, { key, until: "caughtUp" });
  bar.done(`${countsText(totals)}; caught up`);
  return { realm: key.realm, ...ended.summary };
});

/** Serves health and metrics where a port is named. */
const serveOps = Effect.fnUntraced(function* ({ opsHost, opsPort }: FollowRequest) {
  if (opsPort === undefined) {
    return opsHost === undefined
      ? undefined
      : yield* failure("usage", "--ops-host needs a port.", { next: "add --ops-port PORT" });
  }
  const options = { port: opsPort, ...(opsHost === undefined ? {} : { host: opsHost }) };
  const served = yield* HealthServer.serve(options).pipe(
    Effect.catch(({ message }) =>
      failure("setting-invalid", message, { next: "choose another --ops-port or --ops-host" }),
    ),
  );
  return yield* printError(`Metrics and health: ${served}`);
});

const retentionOf = ({ keepBytes, keepDays }: FollowRequest) => ({
  ...(keepBytes === undefined ? {} : { keepBytes }),
  ...(keepDays === undefined ? {} : { keepMillis: keepDays * DAY_MILLIS }),
});

/**
 * The indexer of the current stashes, where the store has one: on a thread of its own, which a
 * single executable has no file for.
 */
const indexersOf = Effect.fnUntraced(function* (
  { key, onPoison, store }: FollowRequest,
  address: StoreUrl.StoreUrl,
) {
  if (address.kind === "nats") return [];
  const cell = yield* Parts.part(key, "indexer", { name: "state" });
  return [
    Indexer.supervised(
      cell,
      (options) =>
        isSea()
          ? StoreUrl.indexState(address, { key, ...options, batchPages: 1 })
          : IndexerThread.start(IndexerThread.STATE_THREAD, { store, key, ...options }),
      onPoison,
    ),
  ];
});

/** A limit that the store does not know would silently keep everything. */
const checkRetention = Effect.fnUntraced(function* (
  { keepDays }: FollowRequest,
  { kind }: StoreUrl.StoreUrl,
) {
  if (kind === "nats" && keepDays !== undefined)
    return yield* failure("usage", "A stream of NATS has no limit by age.", {
      next: "limit it by --keep-bytes",
    });
});

/** Resolves where a run begins, and where it goes on after an id that the service rejects. */
const beginningOf = Effect.fnUntraced(function* (
  { from, jump, key, onRejected = "halt" }: FollowRequest,
  address: StoreUrl.StoreUrl,
) {
  const to = /^jump:(.+)$/su.exec(onRejected)?.[1];
  if (to === undefined && onRejected !== "halt" && onRejected !== "restart")
    return yield* failure("usage", `Invalid --on-rejected: ${onRejected}.`, {
      next: "use halt, restart or jump:ID",
    });
  const onIdRejected =
    to !== undefined ? { jumpTo: to } : onRejected === "restart" ? "restartFromStart" : "halt";
  if (from !== undefined && jump === undefined) {
    const known = yield* StoreUrl.statuses(address);
    const stands = known.find(
      (each) => each.key.source === key.source && each.key.realm === key.realm,
    );
    if (stands !== undefined)
      return yield* failure("usage", `The store already stands at ${stands.nextId}.`, {
        next: "leave --from out to go on from there, or use --jump ID --yes to leave history out",
      });
  }
  const first = jump ?? from;
  if (first === "")
    return yield* failure("usage", "A change id is not empty.", {
      next: "use start, or a change id",
    });
  return {
    onIdRejected,
    ...(first === undefined
      ? {}
      : { from: first === "start" ? ("start" as const) : { id: first } }),
  } as const;
});

const optionsOf = (
  { realm, source }: StreamKey,
  options: Omit<Follower.StashRun, "source" | "realm">,
): Follower.StashRun | Follower.ExchangeRun =>
  source === "stashes"
    ? { ...options, source, realm: realm as "pc" }
    : { ...options, source, realm };

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
    // A broker has no tables to count, and keeps no time of a poll.
    ...(status.indexers === undefined ? {} : rowsOf(status)),
    lagSeconds: status.lagSeconds,
    quarantined: status.quarantined,
    gaps: status.gaps,
    logBytes: status.logBytes,
    oldestSeq: status.oldestSeq === undefined ? undefined : Number(status.oldestSeq),
    indexers: status.indexers?.map((each) => ({ ...each, seq: Number(each.seq) })),
    epoch: status.epoch,
    receivedAt: new Date(status.receivedAt).toISOString(),
  };
});

const rowsOf = ({ items, key, polledAt, rows }: StoreUrl.StreamStatus) => ({
  ...(key.source === "stashes" ? { stashes: rows, items } : { markets: rows }),
  polledAt: polledAt === undefined ? null : new Date(polledAt).toISOString(),
});
