/**
 * The status of followed streams, derived from a few facts whenever it is requested.
 *
 * A part (`store`, `lease`, `source`, `commit`, an indexer, a consumer) has its last attempt, success
 * and failure, which only `track` writes. No code announces a status, so a part that hangs or dies
 * cannot leave an old one behind. Times are milliseconds since 1970.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Metrics from "./Metrics.ts";
import { keyName, type StreamKey } from "./Model.ts";

/** The last failure of a part, such as `commit` or `source`. */
export interface PartFailure {
  /** The tag of the error, or `Defect`. */
  readonly tag: string;
  readonly reason?: string | undefined;
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly message: string;
  readonly at: number;
}

/** Recorded attempts, successes and failures of a part. */
export interface PartFacts {
  /** Start of the attempt that is under way. */
  readonly busySince?: number | undefined;
  readonly succeededAt?: number | undefined;
  /** Failures since the last success. */
  readonly failures: number;
  readonly failure?: PartFailure | undefined;
  /** Time of the next attempt after a failure. */
  readonly nextAttemptAt?: number | undefined;
  /** Number of the last page that a reader of the log has applied. */
  readonly seq?: bigint | undefined;
}

/** Recorded facts about a stream, from which its status is derived. */
export interface StreamFacts {
  readonly startedAt: number;
  /** Whether this process or another one holds the lease, and until when. */
  readonly holder?: { readonly who: "us" | "another"; readonly until: number } | undefined;
  /** Number of the last committed page. */
  readonly headSeq: bigint;
  /** Everything that was received until this time is committed. */
  readonly durableAt?: number | undefined;
  /** Time at which the end of the stream was reached; absent while pages follow. */
  readonly tailAt?: number | undefined;
  /** Set when the run has ended: by a failure, or because it was finished or stopped. */
  readonly ended?: { readonly message?: string | undefined } | undefined;
}

/** Facts about a stream and, by their names, about its parts. */
export interface StreamRecord {
  facts: StreamFacts;
  readonly parts: Map<string, PartFacts>;
}

/** The streams of a process, by `source/realm`. */
export class Streams extends Context.Reference<Map<string, StreamRecord>>(
  "@game-data/stream-follower/Streams",
  { defaultValue: () => new Map() },
) {}

const recordOf = Effect.fnUntraced(function* (key: StreamKey) {
  const streams = yield* Streams;
  const known = streams.get(keyName(key));
  if (known !== undefined) return known;
  const startedAt = yield* Clock.currentTimeMillis;
  const record: StreamRecord = { facts: { startedAt, headSeq: 0n }, parts: new Map() };
  streams.set(keyName(key), record);
  return record;
});

/** Updates the given facts about a stream. */
export const note = (key: StreamKey, facts: Partial<StreamFacts>): Effect.Effect<void> =>
  Effect.map(recordOf(key), (record) => {
    record.facts = { ...record.facts, ...facts };
  });

/** Records facts about a part, other than its attempts. */
export const notePart = (
  key: StreamKey,
  part: string,
  facts: Partial<PartFacts>,
): Effect.Effect<void> =>
  Effect.map(recordOf(key), ({ parts }) => {
    parts.set(part, { failures: 0, ...parts.get(part), ...facts });
  });

/** Records when a part is attempted again, and returns the wait until then. */
export const retryIn = Effect.fnUntraced(function* (key: StreamKey, part: string, millis: number) {
  const now = yield* Clock.currentTimeMillis;
  yield* notePart(key, part, { nextAttemptAt: Math.round(now + millis) });
  return Duration.millis(millis);
});

/**
 * Records an attempt of a part: that it is under way, and how it ended. Logs a failure if its cause
 * has changed, and the recovery.
 */
export const track =
  (key: StreamKey, part: string) =>
  <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const { parts } = yield* recordOf(key);
      const now = yield* Clock.currentTimeMillis;
      const busySince = parts.get(part)?.busySince ?? now;
      yield* notePart(key, part, { busySince, nextAttemptAt: undefined });
      return yield* Effect.onExit(attempt, (exit) => recordExit(key, part, exit));
    });

const recordExit = Effect.fnUntraced(function* (
  key: StreamKey,
  part: string,
  exit: Exit.Exit<unknown, unknown>,
) {
  const at = yield* Clock.currentTimeMillis;
  const { failure: last, failures = 0 } = (yield* recordOf(key)).parts.get(part) ?? {};
  const idle = { busySince: undefined };
  const name = `${keyName(key)}: ${part}`;
  if (Exit.isSuccess(exit)) {
    yield* notePart(key, part, { ...idle, failures: 0, failure: undefined, succeededAt: at });
    const recovery = `${name} works again after ${failures} failed attempts`;
    return yield* failures > 0 ? Effect.logInfo(recovery) : Effect.void;
  }
  // An interrupted attempt says nothing about its part.
  if (Cause.hasInterruptsOnly(exit.cause)) return yield* notePart(key, part, idle);
  const failure = describe(Cause.squash(exit.cause), at);
  yield* notePart(key, part, { ...idle, failures: failures + 1, failure });
  const { message, reason, status, tag } = failure;
  const labels = { part, error: tag, reason: reason ?? "", status: String(status ?? "") };
  yield* Metrics.count("retries", key, 1, labels);
  const isKnown = tag === last?.tag && reason === last.reason && status === last.status;
  if (!isKnown) yield* Effect.logWarning(`${name}: ${message}`);
});

const MAX_MESSAGE_LENGTH = 400;

const describe = (error: unknown, at: number): PartFailure => {
  const { _tag, message, reason, status } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const text = error instanceof Error ? String(message ?? "") : String(error);
  return {
    tag: typeof _tag === "string" ? _tag : "Defect",
    reason: typeof reason === "string" ? reason : undefined,
    status: typeof status === "number" ? status : undefined,
    message: (text || "no description").replaceAll(/\s+/gu, " ").slice(0, MAX_MESSAGE_LENGTH),
    at,
  };
};

/** State of a part, which is `waiting` until it first succeeds. */
export type PartState = "waiting" | "ok" | "retrying" | "stuck";

/** State of a stream. `following` reads its history, `caughtUp` polls at its end. */
export type StreamState = Exclude<PartState, "ok"> | RunState;
type RunState = "standby" | "following" | "caughtUp" | "halted" | "stopped";

/** Status of a part at one instant, derived from its facts. */
export interface PartStatus extends PartFacts {
  readonly name: string;
  readonly state: PartState;
}

/** Status of a stream at one instant, derived from its facts. */
export interface StreamStatus {
  /** `source/realm`. */
  readonly stream: string;
  readonly state: StreamState;
  /** False if starting the process again would help. */
  readonly isLive: boolean;
  /** Whether the store accepts work, the holder of the lease is known, and the run goes on. */
  readonly isReady: boolean;
  /** Whether everything that the service has is committed, and applied by each indexer. */
  readonly isCaughtUp: boolean;
  /** Which process holds the lease, if that is known. */
  readonly holder?: "us" | "another" | undefined;
  /** Seconds since the arrival of the last page; 0 at the end, absent on standby. */
  readonly lagSeconds?: number | undefined;
  /** The problem as a sentence. Absent if there is none. */
  readonly reason?: string | undefined;
  /** Time of the next attempt of the failing part. */
  readonly nextAttemptAt?: number | undefined;
  readonly headSeq: bigint;
  readonly parts: ReadonlyArray<PartStatus>;
}

/** Status of a process, and of each stream that it follows or waits to follow. */
export interface Report {
  readonly live: boolean;
  /** Whether there is a stream, and every stream is ready. */
  readonly ready: boolean;
  /** Whether this process holds a stream, and each stream that it holds is caught up. */
  readonly caughtUp: boolean;
  readonly reason?: string | undefined;
  readonly streams: ReadonlyArray<StreamStatus>;
}

/** A longer attempt is reported as `retrying`. */
const SLOW_MILLIS = 10_000;
/** A longer attempt hangs in spite of its deadline, and is reported as `stuck`. */
const STUCK_MILLIS = 60_000;

const partState = ({ busySince, failures, succeededAt }: PartFacts, now: number): PartState => {
  const busyMillis = busySince === undefined ? 0 : now - busySince;
  if (busyMillis > STUCK_MILLIS) return "stuck";
  if (failures > 0 || busyMillis > SLOW_MILLIS) return "retrying";
  return succeededAt === undefined ? "waiting" : "ok";
};

/** Parts without which nothing is committed. */
const CRITICAL = new Set(["store", "lease", "commit"]);

/** Derives the status of a stream from recorded facts and the time. */
export const streamStatus = (
  stream: string,
  { facts, parts: known }: StreamRecord,
  now: number,
): StreamStatus => {
  const { ended, tailAt } = facts;
  const parts = [...known].map(([name, part]) => ({ ...part, name, state: partState(part, now) }));
  const source = parts.find(({ name }) => name === "source");
  const holder =
    facts.holder !== undefined && now <= facts.holder.until ? facts.holder.who : undefined;
  const critical = worstOf(parts.filter(({ name }) => CRITICAL.has(name)));
  const worst = critical ?? worstOf(parts);
  const isHeld = holder === "us" && ended === undefined;
  const isAtTail =
    isHeld && tailAt !== undefined && critical === undefined && source?.state === "ok";
  const [state, reason] = ((): readonly [StreamState, string?] => {
    if (ended !== undefined) {
      return ended.message === undefined ? ["stopped"] : ["halted", ended.message];
    }
    if (critical !== undefined) return [critical.state, sentence(critical, now)];
    if (holder === "another") return ["standby", "another process follows this stream"];
    if (worst !== undefined) return ["retrying", sentence(worst, now)];
    if (isAtTail) return ["caughtUp"];
    if (isHeld && source?.succeededAt !== undefined) return ["following"];
    const isExpired = facts.holder !== undefined && holder === undefined;
    return [
      "waiting",
      isExpired ? "the lease was not renewed in time" : "waiting for a first response",
    ];
  })();
  const lagMillis = isAtTail ? 0 : Math.max(0, now - (facts.durableAt ?? facts.startedAt));
  const headSeq = parts.reduce((head, { seq = 0n }) => (seq > head ? seq : head), facts.headSeq);
  const isWaiting = ended === undefined && state !== "standby";
  return {
    stream,
    state,
    isLive: state !== "halted" && critical?.state !== "stuck",
    isReady: critical === undefined && holder !== undefined && ended === undefined,
    isCaughtUp: isAtTail && parts.every((part) => hasApplied(part, headSeq)),
    holder,
    lagSeconds: state === "standby" ? undefined : lagMillis / 1000,
    reason,
    nextAttemptAt: isWaiting ? worst?.nextAttemptAt : undefined,
    headSeq,
    parts,
  };
};

type Unwell = PartStatus & { readonly state: "stuck" | "retrying" };

/** Returns a part that hangs, or else a part that fails. */
const worstOf = (parts: ReadonlyArray<PartStatus>): Unwell | undefined => {
  const inState = (state: Unwell["state"]) =>
    parts.find((part): part is Unwell => part.state === state);
  return inState("stuck") ?? inState("retrying");
};

const hasApplied = ({ seq, state }: PartStatus, headSeq: bigint): boolean =>
  seq === undefined || (state === "ok" && seq >= headSeq);

const sentence = ({ name, state, ...part }: PartStatus, now: number): string => {
  const { busySince, failure, failures, nextAttemptAt = now } = part;
  const slow = busySince !== undefined && now - busySince > SLOW_MILLIS;
  const notes = [
    ...(slow ? [`no response for ${seconds(now - busySince)} s`] : []),
    ...(failure === undefined ? [] : [failure.message]),
  ].join("; last failure: ");
  if (failures === 0) return `${name} ${state}: ${notes}`;
  const next = nextAttemptAt > now ? `, next attempt in ${seconds(nextAttemptAt - now)} s` : "";
  return `${name} ${state}: ${notes} (${failures} ${failures === 1 ? "failure" : "failures"}${next})`;
};

const seconds = (millis: number): number => Math.round(millis / 1000);

/** Derives the status of the process from the records of its streams. */
export const processReport = (streams: ReadonlyMap<string, StreamRecord>, now: number): Report => {
  const all = [...streams].map(([name, record]) => streamStatus(name, record, now));
  const held = all.filter(({ state }) => state !== "standby");
  const unwell = all.find(({ isReady }) => !isReady) ?? all.find(({ reason }) => reason);
  return {
    live: all.every(({ isLive }) => isLive),
    ready: all.length > 0 && all.every(({ isReady }) => isReady),
    caughtUp: held.length > 0 && held.every(({ isCaughtUp }) => isCaughtUp),
    reason: unwell?.reason && `${unwell.stream}: ${unwell.reason}`,
    streams: all,
  };
};

/** State of a follower that its lease publishes to other processes. */
export type HolderState = Pick<StreamStatus, "state" | "reason" | "nextAttemptAt">;

/** Returns the state of this process's follower, which its lease publishes. */
export const holderState = Effect.fnUntraced(function* (key: StreamKey) {
  const now = yield* Clock.currentTimeMillis;
  const { nextAttemptAt, reason, state } = streamStatus(keyName(key), yield* recordOf(key), now);
  return { state, reason, nextAttemptAt };
});

/** Reports the status of this process and its streams at this moment. */
export const report: Effect.Effect<Report> = Effect.gen(function* () {
  return processReport(yield* Streams, yield* Clock.currentTimeMillis);
});
