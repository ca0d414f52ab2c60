/**
 * The status of followed streams: a view of a few facts.
 *
 * A part (`store`, `lease`, `source`, `commit`, an indexer) has its last attempt, its last success
 * and its last failure; `track` alone writes them. Nobody announces a status, so a part that hangs
 * or dies cannot leave an old one behind. Times are milliseconds since 1970.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { keyName, type StreamKey } from "./Model.ts";

/** The facts of a part. */
interface PartFacts {
  readonly busySince?: number | undefined;
  readonly succeededAt?: number | undefined;
  /** Failures since the last success, and the last of them. */
  readonly failures: number;
  readonly failure?:
    | { readonly tag: string; readonly message: string; readonly at: number }
    | undefined;
}

/** The facts of a stream. */
interface StreamFacts {
  readonly startedAt: number;
  /** What the store last said about who follows, and until when that holds. */
  readonly holder?: { readonly who: "us" | "another"; readonly until: number } | undefined;
  readonly headSeq: bigint;
  /** Last time at which everything received was durable. */
  readonly durableAt?: number | undefined;
  /** When the end of the stream was seen; absent while pages follow. */
  readonly tailAt?: number | undefined;
  /** Set when the run has ended by a failure, or as it was told to. */
  readonly ended?: "halted" | "stopped" | undefined;
}

interface StreamCell {
  facts: StreamFacts;
  readonly parts: Map<string, PartFacts>;
}

/** The streams of a process. */
export class Streams extends Context.Reference<Map<string, StreamCell>>(
  "@game-data/stream-follower/Streams",
  { defaultValue: () => new Map() },
) {}

const cellOf = (key: StreamKey) =>
  Effect.gen(function* () {
    const streams = yield* Streams;
    const known = streams.get(keyName(key));
    if (known !== undefined) return known;
    const startedAt = yield* Clock.currentTimeMillis;
    const cell: StreamCell = { facts: { startedAt, headSeq: 0n }, parts: new Map() };
    streams.set(keyName(key), cell);
    return cell;
  });

/** Notes facts of a stream. */
export const note = (key: StreamKey, facts: Partial<StreamFacts>): Effect.Effect<void> =>
  Effect.map(cellOf(key), (cell) => {
    cell.facts = { ...cell.facts, ...facts };
  });

/** Records an attempt of a part: that it is under way, and how it ended. */
export const track =
  (key: StreamKey, part: string) =>
  <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const { parts } = yield* cellOf(key);
      const before = parts.get(part) ?? { failures: 0 };
      const busySince = before.busySince ?? (yield* Clock.currentTimeMillis);
      parts.set(part, { ...before, busySince });
      const exit = yield* Effect.exit(attempt);
      const at = yield* Clock.currentTimeMillis;
      const { failures, succeededAt } = parts.get(part) ?? before;
      if (Exit.isSuccess(exit)) parts.set(part, { failures: 0, succeededAt: at });
      else if (!Cause.hasInterruptsOnly(exit.cause)) {
        const error = Cause.squash(exit.cause) as Partial<Error & { readonly _tag: string }>;
        const failure = { tag: error._tag ?? "Defect", message: String(error.message), at };
        parts.set(part, { failures: failures + 1, succeededAt, failure });
        if (failures === 0)
          yield* Effect.logWarning(`${keyName(key)}: ${part}: ${failure.message}`);
      }
      return yield* exit;
    });
