/**
 * The status of followed streams, computed from what their parts recorded and the time of asking.
 *
 * A part (a store, a lease, a source, a commit, an indexer, a consumer) keeps facts alone: when its
 * last attempt began, succeeded, failed and why. Nobody announces a status, so a part that hangs,
 * dies or is never reached cannot leave an old one behind. `Parts` keeps the records; `/health`,
 * `/metrics` and the lines of `gamedata stream` are views of the functions here.
 *
 * All times are milliseconds since 1970.
 */
import type { StreamSource } from "./Model.ts";

/** What a part does for its stream. `follower`: the loop that uses lease, source and commit. */
export type PartKind =
  | "store"
  | "lease"
  | "source"
  | "commit"
  | "follower"
  | "indexer"
  | "consumer";

/** A failed attempt. */
export interface PartError {
  /** The tag of the error; `Defect` for anything that was thrown. */
  readonly tag: string;
  /** The error's `kind`, where it has one. */
  readonly kind?: string | undefined;
  /** The HTTP status, where there was one. */
  readonly status?: number | undefined;
  /** What happened, for people. */
  readonly message: string;
  /** When the attempt failed. */
  readonly at: number;
}

/** The facts of one part. */
export interface PartRecord {
  readonly kind: PartKind;
  readonly name: string;
  /** An attempt may be under way, and a thread silent, for so long. */
  readonly limitMillis: number;
  readonly attempts: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly startedAt: number;
  readonly inFlightSince?: number | undefined;
  readonly lastSuccessAt?: number | undefined;
  readonly lastError?: PartError | undefined;
  /** When a failed attempt is made again; absent while one is under way. */
  readonly nextAttemptAt?: number | undefined;
  /** Last message of a part on another thread. */
  readonly heardAt?: number | undefined;
  /** Set when the part's program has ended; clean: it was told to, or had nothing left to do. */
  readonly ended?: { readonly at: number; readonly isClean: boolean } | undefined;
  /** Position in the log. */
  readonly seq?: bigint | undefined;
}

/** What the lease's store last said about who follows a stream. Void after the lease's life. */
export interface Holder {
  readonly who: "us" | "another";
  readonly heardAt: number;
  /** Life of the lease; `Infinity` where there is none to lose. */
  readonly ttlMillis: number;
}

/** The facts of one stream. */
export interface StreamRecord {
  /** `source/realm`. */
  readonly stream: string;
  readonly startedAt: number;
  readonly holder?: Holder | undefined;
  /** Pages that were received and are not durable. */
  readonly pendingPages: number;
  /** Last time at which every received page was durable. */
  readonly durableAt?: number | undefined;
  /** Time at which the end of the stream was reached; absent while pages follow. */
  readonly tailAt?: number | undefined;
  /** Number of the last durable page; another process's as the store was last asked. */
  readonly headSeq: bigint;
  /** Records in the store's quarantine when it was last asked. */
  readonly quarantined?: number | undefined;
  readonly parts: ReadonlyArray<PartRecord>;
}

/** State of a part. */
export type PartState = "waiting" | "ok" | "retrying" | "stuck" | "halted" | "stopped";

/** State of a stream: `following` reads history, `caughtUp` polls at its end. */
export type StreamState = Exclude<PartState, "ok"> | "standby" | "following" | "caughtUp";

/** A part as reported. */
export interface PartStatus extends PartRecord {
  readonly state: PartState;
}

/** The status of one stream. */
export interface StreamStatus {
  /** `source/realm`. */
  readonly stream: string;
  readonly state: StreamState;
  /** No part has halted, and no store, lease or commit hangs beyond its deadline. */
  readonly isLive: boolean;
  /** Live, the store accepts work, and the lease is ours or, by a recent answer, another's. */
  readonly isReady: boolean;
  /** Everything that the service has is durable, and each indexer has applied it. */
  readonly isCaughtUp: boolean;
  /** Seconds since everything received was durable; absent on standby. */
  readonly lagSeconds?: number | undefined;
  /** The first part that is not well, as a sentence; absent where all are. */
  readonly reason?: string | undefined;
  readonly pendingPages: number;
  readonly headSeq: bigint;
  readonly parts: ReadonlyArray<PartStatus>;
}

/** The report of a process. */
export interface Report {
  /** Every stream is live. A process that is not helps nobody until it is started again. */
  readonly live: boolean;
  /** At least one stream, and each of them ready. */
  readonly ready: boolean;
  /** Every stream that this process holds is caught up, and it holds one. */
  readonly caughtUp: boolean;
  /** Why the process is not ready, or what else is not well. */
  readonly reason?: string | undefined;
  readonly streams: ReadonlyArray<StreamStatus>;
}

/** State of a part at `now`. */
export const partState = (part: PartRecord, now: number): PartState => {
  if (part.ended !== undefined) return part.ended.isClean ? "stopped" : "halted";
  if (overdueSince(part, now) !== undefined) return "stuck";
  if (part.failures > 0) return "retrying";
  return part.lastSuccessAt === undefined ? "waiting" : "ok";
};

/** Since when an attempt is under way, or a thread silent, for longer than it may. */
const overdueSince = (part: PartRecord, now: number): number | undefined =>
  [part.inFlightSince, part.heardAt].find(
    (since) => since !== undefined && now - since > part.limitMillis,
  );

/** Parts without which nothing is durable: they decide about live and ready. */
const CRITICAL = new Set<PartKind>(["store", "lease", "commit", "follower"]);

/** The status of a stream at `now`. */
export const deriveStream = (record: StreamRecord, now: number): StreamStatus => {
  const parts = record.parts.map((part) => ({ ...part, state: partState(part, now) }));
  const critical = parts.filter(({ kind }) => CRITICAL.has(kind));
  const isHalted = parts.some(({ state }) => state === "halted");
  const isLive = !isHalted && critical.every(({ state }) => state !== "stuck");
  const holder = heldBy(record, now);
  const isRetrying = critical.some(({ state }) => state === "retrying");
  const isAtTail = isTail(record, parts) && holder === "us" && isLive && !isRetrying;
  const isCaughtUp = isAtTail && parts.every((part) => hasApplied(part, record.headSeq));
  const lag = isAtTail ? 0 : Math.max(0, now - (record.durableAt ?? record.startedAt)) / 1000;
  const state = streamState({ parts, holder, isAtTail, isRetrying });
  return {
    stream: record.stream,
    state,
    isLive,
    isReady: isLive && !isRetrying && holder !== undefined && state !== "stopped",
    isCaughtUp,
    ...(state === "standby" ? {} : { lagSeconds: lag }),
    ...reasonOf(parts, { state, holder }, now),
    pendingPages: record.pendingPages,
    // The log reaches as far as an indexer has read, also before the store is asked again.
    headSeq: parts.reduce((head, { seq = 0n }) => (seq > head ? seq : head), record.headSeq),
    parts,
  };
};

/** Who holds the stream, by an answer that is younger than the lease's life. */
export const heldBy = ({ holder }: StreamRecord, now: number): Holder["who"] | undefined =>
  holder !== undefined && now - holder.heardAt <= holder.ttlMillis ? holder.who : undefined;

/** Nothing is pending, the service answers, and its last answer was the end of the stream. */
const isTail = (record: StreamRecord, parts: ReadonlyArray<PartStatus>): boolean =>
  record.tailAt !== undefined &&
  record.pendingPages === 0 &&
  parts.every(({ kind, state }) => kind !== "source" || state === "ok");

const hasApplied = ({ kind, seq = 0n, state }: PartStatus, headSeq: bigint): boolean =>
  kind !== "indexer" || state === "stopped" || (state === "ok" && seq >= headSeq);

interface StreamFacts {
  readonly parts: ReadonlyArray<PartStatus>;
  readonly holder: Holder["who"] | undefined;
  readonly isAtTail: boolean;
  readonly isRetrying: boolean;
}

const streamState = ({ parts, holder, isAtTail, isRetrying }: StreamFacts): StreamState => {
  const has = (wanted: PartState, kinds: (kind: PartKind) => boolean = () => true) =>
    parts.some(({ kind, state }) => state === wanted && kinds(kind));
  if (has("halted")) return "halted";
  if (has("stopped", (kind) => kind === "follower")) return "stopped";
  if (has("stuck", (kind) => CRITICAL.has(kind))) return "stuck";
  if (isRetrying) return "retrying";
  if (holder === "another") return "standby";
  if (has("stuck")) return "stuck";
  if (has("retrying")) return "retrying";
  if (isAtTail) return "caughtUp";
  return holder === "us" && has("ok", (kind) => kind === "source") ? "following" : "waiting";
};

/** The worst part, as a sentence; of several, one without which nothing is durable. */
const reasonOf = (
  parts: ReadonlyArray<PartStatus>,
  { holder, state }: Pick<StreamStatus, "state"> & Pick<StreamFacts, "holder">,
  now: number,
): { readonly reason?: string } => {
  const critical = parts.filter(({ kind }) => CRITICAL.has(kind));
  const find = (among: ReadonlyArray<PartStatus>, ...states: ReadonlyArray<PartState>) =>
    states.map((one) => among.find((part) => part.state === one)).find((part) => part);
  const worst =
    find(parts, "halted") ??
    find(critical, "stuck", "retrying") ??
    find(parts, "stuck", "retrying");
  if (worst !== undefined) return { reason: sentenceOf(worst, now) };
  if (state === "standby") return { reason: "another process follows this stream" };
  if (state !== "waiting") return {};
  const waiting = parts.find((part) => part.state === "waiting");
  if (waiting !== undefined) return { reason: `${nameOf(waiting)} waiting for its first answer` };
  return holder === undefined ? { reason: "the lease was not renewed in time" } : {};
};

const nameOf = ({ kind, name }: PartRecord): string => (kind === name ? kind : `${kind} ${name}`);

const sentenceOf = (part: PartStatus, now: number): string => {
  const about = `${nameOf(part)} ${part.state}`;
  const detail = part.lastError === undefined ? "" : `: ${part.lastError.message}`;
  if (part.state === "stuck") {
    return `${about}: no answer for ${seconds(now - (overdueSince(part, now) ?? now))} s`;
  }
  if (part.state === "halted")
    return about + (detail === "" ? ": it ended without a word" : detail);
  const left = seconds((part.nextAttemptAt ?? now) - now);
  const next = left > 0 ? `, next attempt in ${left} s` : "";
  return `${about}${detail} (${part.failures} ${part.failures === 1 ? "failure" : "failures"}${next})`;
};

const seconds = (millis: number): number => Math.round(millis / 1000);

/** The report over all streams at `now`. */
export const derive = (records: ReadonlyArray<StreamRecord>, now: number): Report => {
  const streams = records.map((record) => deriveStream(record, now));
  const held = streams.filter(({ state }) => state !== "standby");
  const unwell = streams.find(({ isReady }) => !isReady) ?? streams.find(({ reason }) => reason);
  return {
    live: streams.every(({ isLive }) => isLive),
    ready: streams.length > 0 && streams.every(({ isReady }) => isReady),
    caughtUp: held.length > 0 && held.every(({ isCaughtUp }) => isCaughtUp),
    ...(unwell?.reason === undefined ? {} : { reason: `${unwell.stream}: ${unwell.reason}` }),
    streams,
  };
};

/** A report as JSON: positions are numbers, and times stay milliseconds since 1970. */
export const toJson = (report: Report): string =>
  JSON.stringify(report, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );

const HOUR_SECONDS = 3600n;

/** Distance of an indexer to the log's head: pages, or hours of the exchange. */
export const behind = (headSeq: bigint, seq: bigint, source: StreamSource): number => {
  const distance = headSeq > seq ? headSeq - seq : 0n;
  // Hours before the first one that was indexed are not behind it: the log began there.
  return Number(source === "exchange" ? (seq === 0n ? 0n : distance / HOUR_SECONDS) : distance);
};
