/**
 * Runs the parts of a process beside each other: one that fails or dies is started again alone.
 *
 * A part is a follower, an indexer or a consumer. Its record (`Parts`) tells its failures and, once
 * it has halted, that it did; only the supervisor writes that. A failure of a part with the policy
 * `halt` ends the others in order and fails the whole.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { type Cell, ended, failed } from "./Parts.ts";
import { mayPass } from "./core/attempt.ts";
import { doubled } from "./core/backoff.ts";

/** Failures before this start of a part. */
export interface History {
  /**
   * Failures in a row at the position where the part stands (`seq` of its record), without those
   * that waiting may mend.
   */
  readonly failuresHere: number;
}

/** A part and its policy. */
export interface Supervised<E, R = never> {
  readonly cell: Cell;
  /** The part's program; it ends when its work is done. */
  readonly run: (history: History) => Effect.Effect<unknown, E, R>;
  /** What follows a failure. A function decides by its cause. */
  readonly onFailure: OnFailure | ((cause: Cause.Cause<unknown>) => OnFailure);
  /** Ends with the others, and is not waited for. Default `false`. */
  readonly isDaemon?: boolean;
}

/** `restart`: after 1, 2, 4 … 60 seconds. `halt`: the whole ends with the failure. */
export type OnFailure = "restart" | "halt";

/** Runs until every part that is no daemon has ended; fails with the first part that halts. */
export const run = <E, R>(parts: ReadonlyArray<Supervised<E, R>>): Effect.Effect<void, E, R> => {
  const all = (isDaemon: boolean) =>
    Effect.all(parts.filter((part) => (part.isDaemon ?? false) === isDaemon).map(supervise), {
      concurrency: "unbounded",
      discard: true,
    });
  return Effect.raceFirst(all(false), Effect.andThen(all(true), Effect.never));
};

const LONGEST_WAIT_MILLIS = 60_000;

const supervise = <E, R>({ cell, onFailure, run: start }: Supervised<E, R>) =>
  Effect.gen(function* () {
    let history = { failuresHere: 0 };
    let streak = 0;
    let seq = cell.now.seq;
    while (true) {
      const begun = yield* Clock.currentTimeMillis;
      const { failures } = cell.now;
      yield* ended(cell, undefined);
      const exit = yield* Effect.exit(Effect.suspend(() => start(history)));
      if (Exit.isSuccess(exit)) return;
      // An attempt within the part may have recorded the same failure already.
      if (cell.now.failures === failures) yield* failed(cell, exit.cause);
      const policy = typeof onFailure === "function" ? onFailure(exit.cause) : onFailure;
      if (policy === "halt" || Cause.hasInterruptsOnly(exit.cause)) {
        return yield* Effect.failCause(exit.cause);
      }
      yield* ended(cell, undefined);
      const now = yield* Clock.currentTimeMillis;
      const position = cell.now.seq;
      const hasMoved = position !== seq;
      seq = position;
      // What waiting may mend says nothing about the position.
      const counted = mayPass(exit.cause) ? 0 : 1;
      history = { failuresHere: (hasMoved ? 0 : history.failuresHere) + counted };
      streak = hasMoved || now - begun > LONGEST_WAIT_MILLIS ? 1 : streak + 1;
      yield* Effect.sleep(doubled(1000, LONGEST_WAIT_MILLIS, streak - 1));
    }
  }).pipe(
    Effect.onExit((exit) =>
      ended(cell, Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)),
    ),
  );
