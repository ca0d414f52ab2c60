/**
 * Options of a follower and their defaults.
 *
 * Every number here is a bound or a policy; none is a rate limit of the service, which are learned
 * from its answers (§8).
 */
import * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Decode from "./Decode.ts";
import type { ExchangeRealm, PageCommit, StashRealm } from "./Model.ts";

/**
 * Starting point of a run. `checkpoint`: the position of the sink, or the beginning of the history
 * if the sink is empty. Any other starting point is used once: a run that lost its lease after a
 * commit continues from that commit.
 */
export type From = "checkpoint" | "start" | { readonly id: string };

/** Reaction to an id that the service refuses for good. The two jumps leave a gap record. */
export type IdRejectedPolicy = "halt" | "restartFromStart" | { readonly jumpTo: string };

/** Options that both streams have. */
export interface FollowOptions {
  /** Default `checkpoint`. */
  readonly from?: From;
  /** `caughtUp` ends the stream at the first answer that says so; default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /**
   * `early`: ask for the next page as soon as its id is visible; `afterBody`: when the body is
   * whole; `none`: when the consumer comes back. Default `early`.
   */
  readonly prefetch?: "early" | "afterBody" | "none";
  /** Pages in flight or waiting at most, the current one included. Default 3. */
  readonly window?: number;
  /**
   * Bytes waiting at most, as they came over the wire; the page whose turn it is may exceed it.
   * Default 128 MiB.
   */
  readonly maxBufferedBytes?: number;
  /** Largest page, on the wire and inflated. Default 64 MiB. */
  readonly maxPageBytes?: number;
  /** Wait for the status line at most. Default 30 seconds. */
  readonly responseTimeout?: Duration.Input;
  /** Wait between two pieces of a body at most. Default 15 seconds. */
  readonly stallTimeout?: Duration.Input;
  /** Reading one body at most. Default 5 minutes. */
  readonly totalTimeout?: Duration.Input;
  /** Waits between polls at the end of the stash stream. Default 1 second, doubling to 4. */
  readonly pollInterval?: { readonly min: Duration.Input; readonly max: Duration.Input };
  /**
   * Waits between retries of transport faults: full jitter under a doubling ceiling. Default 500
   * ms, cap 32 seconds.
   */
  readonly backoff?: { readonly base: Duration.Input; readonly cap: Duration.Input };
  /**
   * Retries of one page after transport faults before its error ends the stream. Default: without
   * end.
   */
  readonly maxRetries?: number;
  /**
   * Waits between tries of an answer that may be bad for good (refused id, malformed page, rows with
   * damaged bytes, which are set aside after the last one). Default 2, 8, 30 seconds.
   */
  readonly badPageRetryDelays?: ReadonlyArray<Duration.Input>;
  /** Default `halt`. */
  readonly onIdRejected?: IdRejectedPolicy;
  /**
   * An id that leads backwards or in a circle. `pause` asks again every minute. Default
   * `pause`.
   */
  readonly onCycle?: "pause" | "accept" | "halt";
  /**
   * A page that no retry and no other policy helps: malformed without the next id, too large, its id
   * refused, a scope missing, or `StuckStream`. `pause` asks again every minute. Default
   * `halt`.
   */
  readonly onMalformedPage?: "halt" | "pause";
  /**
   * A page over `maxPageBytes`. `skip` quarantines its head, where that shows the next id. Default
   * `halt`.
   */
  readonly onPageTooLarge?: "halt" | "skip";
  /** Hours that the service left out. Default `continue`, with a gap record. */
  readonly onGap?: "continue" | "halt";
}

const millis = (value: Duration.Input | undefined, fallback: number): number =>
  value === undefined ? fallback : Duration.toMillis(value);

/** Options with every default filled in. */
export type Settings = ReturnType<typeof resolve>;

/** Fills in the defaults. */
export const resolve = (options: FollowOptions & Pick<ExchangeRun, "hourJitter">) =>
  ({
    until: options.until ?? "forever",
    prefetch: options.prefetch ?? "early",
    window: options.window ?? 3,
    maxBufferedBytes: options.maxBufferedBytes ?? 128 * MEBIBYTE,
    maxPageBytes: options.maxPageBytes ?? 64 * MEBIBYTE,
    responseTimeoutMillis: millis(options.responseTimeout, 30_000),
    stallMillis: millis(options.stallTimeout, 15_000),
    totalMillis: millis(options.totalTimeout, 300_000),
    pollMinMillis: millis(options.pollInterval?.min, 1000),
    pollMaxMillis: millis(options.pollInterval?.max, 4000),
    backoffBaseMillis: millis(options.backoff?.base, 500),
    backoffCapMillis: millis(options.backoff?.cap, 32_000),
    maxRetries: options.maxRetries ?? Infinity,
    badPageRetryMillis: (options.badPageRetryDelays ?? [2000, 8000, 30_000]).map((wait) =>
      millis(wait, 0),
    ),
    onIdRejected: options.onIdRejected ?? "halt",
    onCycle: options.onCycle ?? "pause",
    onMalformedPage: options.onMalformedPage ?? "halt",
    onPageTooLarge: options.onPageTooLarge ?? "halt",
    onGap: options.onGap ?? "continue",
    hourJitterMillis: millis(options.hourJitter, 30_000),
  }) as const;

const MEBIBYTE = 1024 * 1024;

/** Options of a run besides those of its stream. */
export interface RunBehaviour {
  /**
   * Level at which rows are checked before they are committed. Rejected rows are quarantined.
   * Default: the sink's `level`, or `items` if the sink has none.
   */
  readonly decode?: Decode.DecodeLevel;
  /**
   * Pages per transaction at most; a batch takes what is there and waits for nothing. Default 4.
   */
  readonly batchPages?: number;
  /** Ends the run gracefully when it completes: `signals()` for SIGTERM and SIGINT. */
  readonly stopWhen?: Effect.Effect<unknown>;
  /**
   * Time that a commit may take before it is given up and looked for; each MiB of its pages adds a
   * second. A sink that needs longer is retried for ever. Default 10 seconds.
   */
  readonly commitTimeout?: Duration.Input;
  /**
   * Time that a transaction gets to finish after `stopWhen`. One that does not is rolled back, and its
   * pages are fetched again by the next run. Default 1 second.
   */
  readonly shutdownTimeout?: Duration.Input;
  /** Reaction to a lost lease, or to a newer owner that fences us. Default `standby`. */
  readonly onLeaseLost?: "standby" | "fail";
  /**
   * Called after every commit with the pages that are durable since. Their bytes are valid until it
   * returns. What it throws is a defect.
   */
  readonly onCommitted?: (pages: ReadonlyArray<PageCommit>) => void;
}

/** A run over the stash stream of one realm. */
export interface StashRun extends FollowOptions, RunBehaviour {
  readonly source: "stashes";
  /** Default `pc`. */
  readonly realm?: StashRealm;
}

/** A run over the exchange history of one realm. */
export interface ExchangeRun extends FollowOptions, RunBehaviour {
  readonly source: "exchange";
  /** Default `pc`. */
  readonly realm?: ExchangeRealm;
  /**
   * Spread of the first call after an hour boundary, so that followers do not all call at once.
   * Default 30 seconds.
   */
  readonly hourJitter?: Duration.Input;
}
