/**
 * Follows the public stash stream and the exchange history (§4.2) into a sink.
 *
 * `run` is the transactional loop: lease, claim, pages, commit; it stands by while another process
 * holds the lease, and takes over from the last commit.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import type { RunError } from "./Errors.ts";
import type { Lease } from "./Lease.ts";
import { keyName, type StreamKey, ofStream } from "./Model.ts";
import * as Parts from "./Parts.ts";
import type { ExchangeRun, RunBehaviour, StashRun } from "./Options.ts";
import type { PageSource } from "./PageSource.ts";
import { type Sink, Store } from "./Sink.ts";
import { unheeded } from "./core/attempt.ts";
import { checkRunOptions } from "./core/checkOptions.ts";
import { lead } from "./core/lead.ts";

export type { ExchangeRun, RunBehaviour, StashRun };

/** Result of a run. */
export interface RunSummary {
  /** Pages committed. */
  readonly pages: number;
  /** Stashes or markets committed. */
  readonly rows: number;
  /** Reason for the end of the run. */
  readonly ended: "caughtUp" | "stopped";
}

/** Follows a stream into the sink until it is caught up, stopped, or halted by a policy. */
export const run = Effect.fn("Follower.run")(function* (
  options: StashRun | ExchangeRun,
): Effect.fn.Return<RunSummary, RunError, PageSource | Sink | Lease> {
  checkRunOptions(options);
  const key: StreamKey = { source: options.source, realm: options.realm ?? "pc" };
  const totals = { pages: 0, rows: 0 };
  const stop = options.stopWhen ?? Effect.never;
  const leader: Effect.Effect<RunSummary["ended"], RunError, PageSource | Sink | Lease> =
    Effect.scoped(lead(key, options, totals)).pipe(
      Effect.as("caughtUp" as const),
      Effect.raceFirst(Effect.as(stop, "stopped" as const)),
    );
  const cell = yield* Parts.part(key, "follower");
  yield* Parts.ended(cell, undefined);
  const leading = leadAgain(key, leader, options.onLeaseLost ?? "standby");
  const ended = yield* Effect.scoped(Effect.andThen(Effect.forkScoped(look(key)), leading)).pipe(
    Effect.onExit((exit) =>
      Effect.andThen(
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          ? Parts.failed(cell, exit.cause)
          : Effect.void,
        Parts.ended(cell, Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)),
      ),
    ),
  );
  return { ...totals, ended };
});

/**
 * Asks the store for what only it knows: its quarantine, whichever thread or process has filled it,
 * and, while another process follows, its last page.
 */
const look = Effect.fnUntraced(function* (key: StreamKey) {
  const store = yield* Effect.serviceOption(Store);
  if (Option.isNone(store)) return;
  const once = Effect.gen(function* () {
    const found = ofStream(yield* store.value.status, key);
    const { holder } = (yield* Parts.stream(key)).facts;
    const head = found === undefined || holder?.who === "us" ? {} : { headSeq: found.seq };
    yield* Parts.note(key, { quarantined: found?.quarantined, ...head });
  });
  yield* Effect.forever(Effect.andThen(unheeded(once), Effect.sleep(LOOK_INTERVAL)));
});

const LOOK_INTERVAL = "30 seconds";

/** Leads, and again whenever the lease was lost or a newer owner fenced a commit. */
const leadAgain = <R>(
  key: StreamKey,
  leader: Effect.Effect<RunSummary["ended"], RunError, R>,
  onLeaseLost: "standby" | "fail",
): Effect.Effect<RunSummary["ended"], RunError, R> =>
  Effect.gen(function* () {
    while (true) {
      const result = yield* Effect.result(leader);
      if (Result.isSuccess(result)) return result.success;
      const error = result.failure;
      const isLost = error._tag === "LeaseLost" || error._tag === "Fenced";
      if (!isLost || onLeaseLost === "fail") return yield* Effect.fail(error);
      yield* Effect.logWarning(`${keyName(key)}: ${error.message} Asking for the lease again.`);
      yield* Effect.sleep(STANDBY_MILLIS);
    }
  });

/** A follower that was just fenced lets the newer owner work before it asks again. */
const STANDBY_MILLIS = 1000;
