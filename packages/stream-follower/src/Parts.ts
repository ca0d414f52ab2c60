/**
 * The records of every part of every stream in this process. `track` is the only writer of a part's
 * attempts.
 *
 * Use `track` around each attempt of a program's own part, such as a consumer; the follower's parts
 * are tracked already. A retry's cause is logged once for each change of tag, kind or status, and
 * so is the recovery.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Metrics from "./Metrics.ts";
import { keyName, type StreamKey } from "./Model.ts";
import * as Status from "./Status.ts";
import { metricsText as gaugesText } from "./core/gauges.ts";

/** The record of a part, replaced by each fact. */
export interface Cell {
  readonly key: StreamKey;
  now: Status.PartRecord;
}

/** The records of a stream. */
export interface StreamCell {
  readonly key: StreamKey;
  facts: Omit<Status.StreamRecord, "stream" | "parts">;
  readonly parts: Map<string, Cell>;
}

/** The streams of a process. One registry per process unless a program provides its own. */
export class Parts extends Context.Reference<Map<string, StreamCell>>(
  "@game-data/stream-follower/Parts",
  { defaultValue: () => new Map() },
) {}

/** The records of a stream, made when they are first asked for. */
export const stream = (key: StreamKey): Effect.Effect<StreamCell> =>
  Effect.gen(function* () {
    const streams = yield* Parts;
    const known = streams.get(keyName(key));
    if (known !== undefined) return known;
    const startedAt = yield* Clock.currentTimeMillis;
    const cell = {
      key,
      facts: { startedAt, pendingPages: 0, headSeq: 0n },
      parts: new Map<string, Cell>(),
    };
    streams.set(keyName(key), cell);
    return cell;
  });

/** Notes facts of a stream. */
export const note = (key: StreamKey, facts: Partial<StreamCell["facts"]>): Effect.Effect<void> =>
  Effect.map(stream(key), (cell) => {
    cell.facts = { ...cell.facts, ...facts };
  });

/** An attempt may be under way for so long before its part counts as stuck. */
export const LIMIT_MILLIS = 15_000;

/** The record of a part, made when it is first asked for. */
export const part = (
  key: StreamKey,
  kind: Status.PartKind,
  options: { readonly name?: string; readonly limitMillis?: number } = {},
): Effect.Effect<Cell> =>
  Effect.gen(function* () {
    const { parts } = yield* stream(key);
    const { limitMillis = LIMIT_MILLIS, name = kind } = options;
    const known = parts.get(`${kind} ${name}`);
    if (known !== undefined) {
      known.now = { ...known.now, limitMillis };
      return known;
    }
    const startedAt = yield* Clock.currentTimeMillis;
    const cell: Cell = {
      key,
      now: { kind, name, limitMillis, attempts: 0, failures: 0, startedAt },
    };
    parts.set(`${kind} ${name}`, cell);
    return cell;
  });

/** Records an attempt: that it is under way, for `limitMillis` at most, and how it ended. */
export const track = <A, E, R>(
  cell: Cell,
  attempt: Effect.Effect<A, E, R>,
  limitMillis?: number,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const { attempts, inFlightSince = at, limitMillis: before } = cell.now;
    const limit = limitMillis ?? before;
    const begun = { attempts: attempts + 1, inFlightSince, limitMillis: limit };
    cell.now = { ...cell.now, ...begun, nextAttemptAt: undefined };
    return Effect.onExit(attempt, (exit) => {
      if (Exit.isSuccess(exit)) return succeeded(cell);
      if (!Cause.hasInterruptsOnly(exit.cause)) return failed(cell, exit.cause);
      cell.now = { ...cell.now, inFlightSince: undefined };
      return Effect.void;
    });
  });

/** Records that a failed attempt is made again after a wait. */
export const waits = (cell: Cell, millis: number): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    cell.now = { ...cell.now, nextAttemptAt: Math.round(now + millis) };
  });

/** Records a success, and tells of it where it ends a time of failures. */
export const succeeded = (cell: Cell): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const { failures } = cell.now;
    const rest = { ...cell.now, inFlightSince: undefined, failures: 0, lastSuccessAt: at };
    cell.now = rest;
    return failures === 0
      ? Effect.void
      : Effect.logInfo(`${titleOf(cell)} works again; failed attempts before: ${failures}`);
  });

/** Records a failure, and tells of its cause where that is news. */
export const failed = (cell: Cell, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const before = cell.now.failures === 0 ? undefined : cell.now.lastError;
    const lastError = errorOf(Cause.squash(cause), at);
    const failures = cell.now.failures + 1;
    cell.now = { ...cell.now, inFlightSince: undefined, failures, lastError };
    const { kind = "", status = "", tag } = lastError;
    const labels = { error: tag, kind, status: String(status), part: cell.now.kind };
    const count = Metrics.record(Metrics.retries, cell.key, 1, labels);
    return before !== undefined && isSameCause(before, lastError)
      ? count
      : Effect.andThen(count, Effect.logWarning(`${titleOf(cell)}: ${lastError.message}`));
  });

/**
 * Records that a leadership is over: what its commits and requests failed at is no longer ours, and
 * no success of our own would end it.
 */
export const left = (key: StreamKey): Effect.Effect<void> =>
  Effect.map(stream(key), ({ parts }) => {
    for (const cell of parts.values()) {
      if (cell.now.kind !== "commit" && cell.now.kind !== "source") continue;
      cell.now = { ...cell.now, failures: 0, inFlightSince: undefined, nextAttemptAt: undefined };
    }
  });

/** Records that a part's program has ended, or that it begins (`undefined`). */
export const ended = (cell: Cell, isClean: boolean | undefined): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (at) => {
    const end = isClean === undefined ? undefined : { at, isClean };
    cell.now = { ...cell.now, inFlightSince: undefined, heardAt: undefined, ended: end };
  });

/** Records the position of a part in the log. */
export const moved = (cell: Cell, seq: bigint): void => {
  cell.now = { ...cell.now, seq };
};

/** Takes over the record of a part that runs on another thread. */
export const heard = (cell: Cell, record: Status.PartRecord): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (heardAt) => {
    // A thread that has just been started knows nothing of those before it.
    const { ended: end, failures, lastError, seq } = cell.now;
    const isFresh = record.lastSuccessAt === undefined && record.failures === 0;
    cell.now = { lastError, seq, ...record, ended: end, heardAt };
    if (isFresh) cell.now = { ...cell.now, failures };
  });

const titleOf = ({ key, now: { kind, name } }: Cell): string =>
  `${keyName(key)}: ${kind === name ? kind : `${kind} ${name}`}`;

const isSameCause = (one: Status.PartError, other: Status.PartError): boolean =>
  one.tag === other.tag && one.kind === other.kind && one.status === other.status;

/** Characters of a message that are kept: it stands in a line of the log. */
const MESSAGE_LENGTH = 400;

/** An error as a record keeps it. */
const errorOf = (error: unknown, at: number): Status.PartError => {
  const { _tag, kind, status } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const text = error instanceof Error ? error.message : String(error);
  return {
    tag: typeof _tag === "string" ? _tag : "Defect",
    ...(typeof kind === "string" ? { kind } : {}),
    ...(typeof status === "number" ? { status } : {}),
    message: (text || "no description").replaceAll(/\s+/gu, " ").slice(0, MESSAGE_LENGTH),
    at,
  };
};

/** The records as of now, for the functions of `Status`. */
export const records: Effect.Effect<ReadonlyArray<Status.StreamRecord>> = Effect.map(
  Parts,
  (streams) =>
    [...streams].map(([name, { facts, parts }]) => ({
      stream: name,
      ...facts,
      parts: [...parts.values()].map(({ now }) => now),
    })),
);

/** The report of this process as of now. */
export const report: Effect.Effect<Status.Report> = Effect.flatMap(records, (all) =>
  Effect.map(Clock.currentTimeMillis, (now) => Status.derive(all, now)),
);

/** The gauges of this process as of now, in Prometheus' text format. */
export const metricsText: Effect.Effect<string> = Effect.flatMap(records, (all) =>
  Effect.map(Clock.currentTimeMillis, (now) => gaugesText(all, now)),
);
