/**
 * Follows the public stash stream or the exchange history (§4.2) into a sink. Takes the lease,
 * claims the stream, then commits page after page, each with the position after it.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Schedule from "effect/Schedule";
import * as Stream from "effect/Stream";
import * as Struct from "effect/Struct";
import { untilAvailable, withDeadline } from "./attempt.ts";
import type { RunError } from "./Errors.ts";
import { Lease } from "./Lease.ts";
import * as Metrics from "./Metrics.ts";
import { keyName, makeCommit, type Page, type PageCommit, type StreamKey } from "./Model.ts";
import { type ExchangeRun, resolveOptions, type Settings, type StashRun } from "./Options.ts";
import { moveTo, pages, startAt } from "./pages.ts";
import { PageSource } from "./PageSource.ts";
import { readRows } from "./readPage.ts";
import { Sink, type SinkService } from "./Sink.ts";
import * as Status from "./Status.ts";

export type { ExchangeRun, StashRun };

/** Pages and rows that a run has committed, and why the run ended. */
export interface RunSummary {
  readonly pages: number;
  /** Number of stashes or markets in the committed pages. */
  readonly rows: number;
  readonly ended: "caughtUp" | "stopped";
}

/**
 * Follows a stream until it is caught up, stopped, or cannot go on.
 *
 * @example
 * ```ts no-run
 * import { Follower } from "@game-data/stream-follower";
 * import { GameApiSource } from "@game-data/stream-follower/api-client";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 * import { Effect } from "effect";
 *
 * // Needs a `GameApi`.
 * export const program = Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
 *   Effect.provide(GameApiSource.layer),
 *   Effect.provide(StoreUrl.layer({ kind: "sqlite", path: "pages.db" })),
 * );
 * ```
 */
export const run = Effect.fn("Follower.run")(function* (
  options: StashRun | ExchangeRun,
): Effect.fn.Return<RunSummary, RunError, PageSource | Sink | Lease> {
  const settings = resolveOptions(options);
  const key: StreamKey = { source: options.source, realm: options.realm ?? "pc" };
  const totals = { pages: 0, rows: 0 };
  const onCommitted = (commit: PageCommit) => {
    totals.pages += 1;
    totals.rows += commit.page.rowCount;
    options.onCommitted?.([commit]);
  };
  const lead = Effect.suspend(() =>
    // A run that lost its lease continues from its last commit, wherever the run began.
    followWithLease(
      key,
      totals.pages > 0 ? { ...settings, from: "checkpoint" } : settings,
      onCommitted,
    ),
  );
  const ended = yield* lead.pipe(
    Effect.scoped,
    Effect.tapError((error) =>
      isOvertaken(error) ? Effect.logWarning(`${keyName(key)}: ${error.message}`) : Effect.void,
    ),
    // Another process took over, so wait until the lease is free again.
    Effect.retry({
      while: (error) => settings.onLeaseLost === "standby" && isOvertaken(error),
      schedule: Schedule.spaced("1 second"),
    }),
    Effect.as("caughtUp" as const),
    Effect.raceFirst(Effect.as(options.stopWhen ?? Effect.never, "stopped" as const)),
    Effect.onExit((exit) => Status.note(key, { ended: endOf(exit) })),
  );
  return { ...totals, ended };
});

const isOvertaken = ({ _tag }: RunError): boolean => _tag === "LeaseLost" || _tag === "Fenced";

const endOf = (exit: Exit.Exit<unknown, RunError>): Status.StreamFacts["ended"] => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return {};
  const error = Cause.squash(exit.cause);
  return { message: error instanceof Error ? error.message : String(error) };
};

/** Takes the lease, and follows the stream until this process loses it. */
const followWithLease = Effect.fnUntraced(function* (
  key: StreamKey,
  settings: Settings,
  onCommitted: (commit: PageCommit) => void,
) {
  yield* Status.note(key, { ended: undefined, tailAt: undefined });
  // Forgets the failures of this process at the end, because another process may take over.
  const forget = Effect.forEach(["commit", "source"], (part) =>
    Status.notePart(key, part, { failures: 0, nextAttemptAt: undefined }),
  );
  yield* Effect.addFinalizer(() => forget);
  const { epoch, keep } = yield* (yield* Lease).hold(key);
  const sink = yield* Sink;
  const source = yield* PageSource;
  const checkpoint = yield* sink
    .claim(key, epoch)
    .pipe(untilAvailable(key, "commit", { operation: "claim", duration: "10 seconds" }));
  yield* Status.note(key, { headSeq: checkpoint?.seq ?? 0n });
  const isPageLog = sink.isPageLog === true;
  const { from } = settings;
  const current = startAt(checkpoint);
  const start =
    from === "checkpoint" ? current : moveTo(current, from === "start" ? undefined : from.id);
  const follow = pages({ key, source, settings, isPageLog }, start).pipe(
    // Fetches the next page while a page is committed.
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach((event) =>
      "page" in event
        ? commitPage(sink, event.page, epoch, onCommitted)
        : caughtUp(sink, key, event.tailAt),
    ),
  );
  return yield* Effect.raceFirst(follow, keep);
});

/** Commits a page. A page for a page log has no `raw`, because readers read its rows. */
const commitPage = Effect.fnUntraced(function* (
  sink: SinkService,
  page: Page,
  epoch: number,
  onCommitted: (commit: PageCommit) => void,
) {
  const rows = page.raw.length > 0 ? yield* readRows(page.raw, page.key.source) : [];
  const commit = makeCommit(page, rows);
  yield* commitOnce(sink, commit, epoch, () => onCommitted(commit));
  yield* Status.note(page.key, {
    durableAt: page.receivedAt,
    headSeq: page.seq,
    tailAt: undefined,
  });
  yield* countCommit(commit);
});

/**
 * Commits a page, retrying while the store is unavailable. A failed attempt may have succeeded, for
 * example if the connection broke during COMMIT, so the next attempt compares the checkpoint first.
 */
const commitOnce = (
  sink: SinkService,
  commit: PageCommit,
  epoch: number,
  onCommitted: () => void,
) => {
  const { checksum, key, seq, wire } = commit.page;
  let isRepeated = false;
  let isCounted = false;
  return Effect.gen(function* () {
    const current = isRepeated ? yield* sink.claim(key, epoch) : undefined;
    isRepeated = true;
    const isDone = current?.seq === seq && current.checksum === checksum;
    if (!isDone) yield* sink.commit(commit, epoch);
    // An attempt that missed its deadline may still succeed, even after the next attempt.
    if (!isCounted) onCommitted();
    isCounted = true;
  }).pipe(
    untilAvailable(key, "commit", {
      operation: "commit",
      // Adds a second for each megabyte.
      duration: 20_000 + wire.length / 1000,
      grace: "1 second",
    }),
  );
};

/**
 * Records that all pages up to the end of the stream are committed. If the store is unavailable,
 * the status reports it and the next poll tries again.
 */
const caughtUp = Effect.fnUntraced(function* (sink: SinkService, key: StreamKey, tailAt: number) {
  yield* Status.note(key, { tailAt, durableAt: tailAt });
  if (sink.polled === undefined) return;
  yield* sink.polled(key, tailAt).pipe(
    withDeadline({ operation: "polled", duration: "10 seconds" }),
    Status.track(key, "commit"),
    Effect.catch((error) => (error.isRetryable ? Effect.void : Effect.fail(error))),
  );
});

const countCommit = Effect.fnUntraced(function* ({ page, quarantine }: PageCommit) {
  const { gaps, key, rawBytes: bytes, rowCount: rows, wire } = page;
  const counts = { pages: 1, rows, bytes, wire_bytes: wire.length, gaps: gaps.length };
  for (const name of Struct.keys(counts)) yield* Metrics.count(name, key, counts[name]);
  for (const { errorTag: error } of quarantine) {
    yield* Metrics.count("quarantined", key, 1, { error });
  }
});
