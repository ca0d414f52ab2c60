/**
 * Live, ready, caught up: the health of every stream in this process.
 *
 * *Live* means the process runs its streams (none has halted); *ready* means each has its lease or
 * is on standby for it and its sink responds; *caught up* means each was at the end of its stream
 * at its last poll.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { StateName } from "./core/StateMachine.ts";
import { keyName, type StreamKey } from "./Model.ts";

/** One stream's health, as last known. */
export interface StreamHealth {
  /** `source/realm`. */
  readonly stream: string;
  /** State of the machine, or `standby` while another process holds the lease. */
  readonly state: StateName | "standby";
  /** Whether the last poll reached the end of the stream, and all pages before it are durable. */
  readonly caughtUp: boolean;
  /** Pages that were received and are not durable yet. */
  readonly pendingPages: number;
  /** Whether the sink fails and is retried. */
  readonly degraded: boolean;
  /** Time of the last commit, in milliseconds since 1970. */
  readonly lastCommitAt: number | undefined;
  /** Time at which the end of the stream was last reached, in milliseconds since 1970. */
  readonly lastTailAt: number | undefined;
  /**
   * Last time at which every received page was durable, in milliseconds since 1970: at a commit, or
   * at a poll of the end with nothing pending. A run begins with the time of its claim.
   */
  readonly lastDurableAt: number | undefined;
}

/** The report of a process. */
export interface HealthReport {
  /** No stream has halted. */
  readonly live: boolean;
  /** Live, at least one stream is running, and no sink is failing. */
  readonly ready: boolean;
  /** Every stream of this process is at its end. */
  readonly caughtUp: boolean;
  /** The streams. */
  readonly streams: ReadonlyArray<StreamHealth>;
}

/**
 * Registry in which streams record their health. One per process unless a program provides its own.
 */
export class HealthRegistry extends Context.Reference<Map<string, StreamHealth>>(
  "@game-data/stream-follower/HealthRegistry",
  { defaultValue: () => new Map() },
) {}

/** Notes what changed about a stream. */
export const updateHealth = (
  key: StreamKey,
  change: Partial<Omit<StreamHealth, "stream">>,
): Effect.Effect<void> =>
  Effect.map(HealthRegistry, (board) => {
    const stream = keyName(key);
    const before = board.get(stream) ?? { ...UNKNOWN, stream };
    const after = { ...before, ...change };
    board.set(stream, { ...after, caughtUp: after.caughtUp && after.pendingPages === 0 });
  });

const UNKNOWN = {
  state: "requesting",
  caughtUp: false,
  degraded: false,
  pendingPages: 0,
  lastCommitAt: undefined,
  lastTailAt: undefined,
  lastDurableAt: undefined,
} as const;

/** The report as of now. */
export const report: Effect.Effect<HealthReport> = Effect.gen(function* () {
  const streams = [...(yield* HealthRegistry).values()];
  const live = streams.every((stream) => stream.state !== "halted");
  const held = streams.filter((stream) => stream.state !== "standby");
  return {
    live,
    ready: live && streams.length > 0 && streams.every((stream) => !stream.degraded),
    caughtUp: held.length > 0 && held.every((stream) => stream.caughtUp),
    streams,
  };
});

/**
 * Seconds since the stream was durable up to where it had been read; `undefined` before a run has
 * claimed it. It grows while a sink fails, whatever the service answers.
 */
export const lagSeconds = (health: StreamHealth): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    health.lastDurableAt === undefined
      ? undefined
      : Math.max(0, (now - health.lastDurableAt) / 1000),
  );
