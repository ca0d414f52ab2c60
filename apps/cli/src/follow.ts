/**
 * Follows a stream into a store, with progress on stderr. On Ctrl-C the follower finishes its
 * transaction within a second and releases the lease.
 */
import { Follower, Status } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as Health from "@game-data/stream-follower/health";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, Schedule } from "effect";
import { given } from "./command.ts";
import type { FollowRequest } from "./commands/stream.ts";
import { connect } from "./connect.ts";
import { usage } from "./failures.ts";
import { makeProgress, printMessage } from "./print.ts";

/** Follows a stream until it has caught up or is interrupted. Returns a summary. */
export const follow = Effect.fn("follow")(function* (request: FollowRequest) {
  const { keepBytes, keepDays, key, onPoison, onRejected, synchronous, url } = request;
  // Starts before the store is opened, so that health reports a store that is unavailable.
  yield* serveHealth(request);
  const from = yield* beginning(request);
  const totals = { pages: 0, rows: 0 };
  const counts = () => `${totals.pages} pages, ${totals.rows} rows`;
  const progress = yield* makeProgress;
  const status = Effect.map(Status.report, ({ streams }) => streams[0]);
  yield* status.pipe(
    Effect.flatMap((now) => progress(`${counts()} (${describe(now)})`)),
    Effect.delay("100 millis"),
    Effect.forever,
    Effect.forkScoped,
  );
  const services = yield* connect([key.source === "stashes" ? "service:psapi" : "service:cxapi"]);
  const keepMillis = keepDays && keepDays * 86_400_000;
  const stores = yield* StoreUrl.open(key, url, given({ keepBytes, keepMillis, synchronous }));
  const following = Follower.run({
    // The command has refused the realm `game2`, which has no stash stream.
    ...(key as Pick<Follower.StashRun, "source" | "realm">),
    ...from,
    onIdRejected: onRejected === "restart" ? "restartFromStart" : "halt",
    until: request.untilCaughtUp ? "caughtUp" : "forever",
    onCommitted: (committed) => {
      totals.pages += committed.length;
      for (const { page } of committed) totals.rows += page.rowCount;
    },
  }).pipe(
    Effect.provide(GameApiSource.layer),
    Effect.provideContext(stores),
    Effect.provideContext(services),
  );
  // Derives the current stashes without an end. A page that cannot be applied stops the follower
  // too. Any other failure is retried, because the follower stores the pages meanwhile.
  const indexing = StoreUrl.indexState(url, { key, ...(onPoison && { onPoison }) }).pipe(
    Effect.retry({
      while: ({ _tag }) => _tag !== "IndexerFailed",
      schedule: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")]),
    }),
    Effect.andThen(Effect.never),
  );
  const summary = yield* Effect.raceFirst(following, indexing).pipe(
    Effect.onInterrupt(() => printMessage(`${counts()}; stopped, all of it is in the store`)),
  );
  yield* StoreUrl.indexState(url, { key, until: "caughtUp" });
  yield* printMessage(`${counts()}; caught up`);
  return { realm: key.realm, ...summary };
});

/** Serves health and metrics if `--ops-port` is set. */
const serveHealth = Effect.fnUntraced(function* ({ opsHost, opsPort }: FollowRequest) {
  if (opsPort !== undefined) {
    const served = yield* Health.serve({ port: opsPort, ...(opsHost && { host: opsHost }) });
    return yield* printMessage(`Metrics and health: ${served}`);
  }
  if (opsHost !== undefined) return yield* usage("--ops-host needs a port.", "add --ops-port PORT");
});

/** Returns the starting point of `--from`. With pages in the store, `--from` would skip history. */
const beginning = Effect.fnUntraced(function* ({ from, status: read }: FollowRequest) {
  if (from === undefined) return {};
  if (from === "") return yield* usage("A change id is not empty.", "use start, or a change id");
  const known = yield* Effect.catchTag(read, "StreamNotFound", () => Effect.succeed(undefined));
  if (known === undefined) return { from: from === "start" ? from : { id: from } } as const;
  return yield* usage(
    `The store already continues from ${known.nextId}.`,
    "leave --from out to go on from there, or skip history with: gamedata stream checkpoint set",
  );
});

const describe = (status: Status.StreamStatus | undefined): string => {
  if (status === undefined) return "starting";
  const { reason, state } = status;
  if (reason !== undefined) return state === "standby" ? `standby: ${reason}` : reason;
  return state === "caughtUp" ? "at the end, waiting for more" : "reading";
};
