/**
 * Follows a stream into a store, with progress on stderr. Ctrl-C finishes the open transaction, so
 * that rows and checkpoint agree.
 */
import { Follower, Status, type StreamKey } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as Health from "@game-data/stream-follower/health";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Deferred, Effect, Exit, Fiber, Schedule } from "effect";
import type { FollowOptions } from "./commands/stream.ts";
import { connect } from "./connect.ts";
import { Failure } from "./failures.ts";
import { makeProgress, printMessage } from "./print.ts";
import type { Stored } from "./store.ts";

/** The stream, the store, and the flags that are given. */
export interface FollowRequest extends Stored, FollowOptions {
  /** Whether to end at the end of the stream instead of waiting for more. */
  readonly untilCaughtUp: boolean;
}

const DAY_MILLIS = 86_400_000;

const usage = (message: string, next: string) => new Failure({ code: "Usage", message, next });

/** Follows until caught up or interrupted. */
export const follow = Effect.fn("follow")(function* (request: FollowRequest) {
  const { keepBytes, keepDays, key, store, untilCaughtUp } = request;
  const address = yield* StoreUrl.parse(store);
  // First, so that health reports a store that is unavailable.
  yield* serveHealth(request);
  const begin = yield* beginning(request, address);
  const totals = { pages: 0, rows: 0 };
  const counts = () => `${totals.pages} pages, ${totals.rows} rows`;
  const progress = yield* makeProgress;
  const status = Effect.map(Status.report, ({ streams }) => streams[0]);
  yield* status.pipe(
    Effect.flatMap((now) => progress(`${counts()} (${state(now)})`)),
    Effect.delay("100 millis"),
    Effect.forever,
    Effect.forkScoped,
  );
  const services = yield* connect([key.source === "stashes" ? "service:psapi" : "service:cxapi"]);
  const stores = yield* StoreUrl.open(key, address, {
    ...(keepBytes !== undefined && { keepBytes }),
    ...(keepDays !== undefined && { keepMillis: keepDays * DAY_MILLIS }),
  });
  const stop = yield* Deferred.make<void>();
  const ended: { summary?: Follower.RunSummary } = {};
  const following = Follower.run(
    options(key, {
      ...begin,
      until: untilCaughtUp ? "caughtUp" : "forever",
      stopWhen: Deferred.await(stop),
      onCommitted: (committed) => {
        totals.pages += committed.length;
        for (const { page } of committed) totals.rows += page.rowCount;
      },
    }),
  ).pipe(
    Effect.tap((summary) => Effect.sync(() => void (ended.summary = summary))),
    Effect.provide(GameApiSource.layer),
    Effect.provideContext(stores),
    Effect.provideContext(services),
  );
  // Detached, so that Ctrl-C requests a stop instead of interrupting the follower.
  const run = yield* Effect.forkDetach(Effect.raceFirst(following, indexing(request, address)));
  const stopped = Effect.gen(function* () {
    const before = yield* status;
    yield* Deferred.succeed(stop, undefined);
    const exit = yield* Fiber.await(run);
    yield* printMessage(
      Exit.isSuccess(exit)
        ? stoppedLine(counts(), before, yield* status)
        : `${counts()} are in the store; later pages are not, and are fetched again`,
    );
  });
  yield* Effect.onInterrupt(Fiber.join(run), () => stopped);
  yield* StoreUrl.indexState(address, { key, until: "caughtUp" });
  yield* printMessage(`${counts()}; caught up`);
  return { realm: key.realm, ...ended.summary };
});

/** Serves health and metrics if a port is named. */
const serveHealth = Effect.fnUntraced(function* ({ opsHost, opsPort }: FollowRequest) {
  if (opsPort === undefined)
    return opsHost === undefined
      ? undefined
      : yield* usage("--ops-host needs a port.", "add --ops-port PORT");
  const served = yield* Health.serve({
    port: opsPort,
    ...(opsHost !== undefined && { host: opsHost }),
  });
  return yield* printMessage(`Metrics and health: ${served}`);
});

/**
 * Derives the current stashes beside the follower, forever. A page that cannot be applied ends both; any
 * other failure is retried, because the follower stores the pages meanwhile.
 */
const indexing = ({ key, onPoison }: FollowRequest, address: StoreUrl.StoreUrl) =>
  StoreUrl.indexState(address, { key, ...(onPoison !== undefined && { onPoison }) }).pipe(
    Effect.retry({
      while: ({ _tag }) => _tag !== "IndexerFailed",
      schedule: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")]),
    }),
    Effect.andThen(Effect.never),
  );

/** Returns where a run begins, and where it continues after an id that the service rejects. */
const beginning = Effect.fnUntraced(function* (
  { from, jump, key, onRejected = "halt" }: FollowRequest,
  address: StoreUrl.StoreUrl,
) {
  const jumpTo = /^jump:(.+)$/su.exec(onRejected)?.[1];
  if (jumpTo === undefined && onRejected !== "halt" && onRejected !== "restart")
    return yield* usage(`Invalid --on-rejected: ${onRejected}.`, "use halt, restart or jump:ID");
  const onIdRejected =
    jumpTo !== undefined ? { jumpTo } : onRejected === "restart" ? "restartFromStart" : "halt";
  if (from !== undefined && jump === undefined) {
    const known = (yield* StoreUrl.statuses(address)).find(
      (each) => each.key.source === key.source && each.key.realm === key.realm,
    );
    if (known !== undefined)
      return yield* usage(
        `The store already continues from ${known.nextId}.`,
        "leave --from out to go on from there, or use --jump ID --yes to skip history",
      );
  }
  const first = jump ?? from;
  if (first === "") return yield* usage("A change id is not empty.", "use start, or a change id");
  return {
    onIdRejected,
    ...(first !== undefined && { from: first === "start" ? ("start" as const) : { id: first } }),
  } as const;
});

const options = (
  { realm, source }: StreamKey,
  common: Omit<Follower.StashRun, "source" | "realm">,
): Follower.StashRun | Follower.ExchangeRun =>
  source === "stashes" ? { ...common, source, realm: realm as "pc" } : { ...common, source, realm };

const state = (status: Status.StreamStatus | undefined): string => {
  if (status === undefined) return "starting";
  if (status.reason !== undefined)
    return status.state === "standby" ? `standby: ${status.reason}` : status.reason;
  return status.state === "caughtUp" ? "at the end, waiting for more" : "reading";
};

/** The last line of a follower that was stopped: what is stored, and what was wrong. */
const stoppedLine = (
  counts: string,
  before: Status.StreamStatus | undefined,
  after: Status.StreamStatus | undefined,
): string => {
  const begun = commit(before)?.busySince;
  const isUnanswered = begun !== undefined && (commit(after)?.succeededAt ?? 0) < begun;
  const hasFailed = before?.parts.some(({ failures }) => failures > 0) === true;
  return [
    `${counts}; stopped, all of it is in the store`,
    ...(isUnanswered
      ? ["the last commit was not answered: the next start looks for its pages"]
      : []),
    ...(hasFailed && before.reason !== undefined ? [before.reason] : []),
  ].join("; ");
};

const commit = (status: Status.StreamStatus | undefined) =>
  status?.parts.find(({ name }) => name === "commit");
