/**
 * What the limiter knows about one policy: plain data, so that it can live in memory or in a store
 * shared by processes.
 *
 * All times are milliseconds of the store's clock.
 */

/**
 * A request of ours (or, with `window`, one of somebody else's that the server's count revealed).
 */
export interface Hit {
  readonly id: string;
  /** When it was let go. */
  readonly at: number;
  /**
   * When its answer was here: it was counted somewhere between `at` and this. Absent while in
   * flight.
   */
  readonly settled?: number;
  /** After this a request that nobody settled is taken for lost: its process may have died. */
  readonly lease: number;
  /** No answer came, so it may or may not have been counted. */
  readonly uncertain?: boolean;
  /** Counted in this one window only: a request of somebody else on the same account. */
  readonly window?: string;
  /** How many requests it stands for, when there were too many to note each. */
  readonly weight?: number;
}

/** How many requests a note stands for. */
export const weightOf = (hit: Hit): number => hit.weight ?? 1;

/** The server's own count at one of our requests. */
interface Sample {
  readonly count: number;
  readonly sentAt: number;
  readonly self: string;
}

/** One window of one rule with what was found out about it. */
export interface WindowState {
  readonly key: string;
  readonly rule: string;
  readonly max: number;
  readonly period: number;
  /** The size of the hidden bucket that a server may round with here, were there one. */
  readonly suspect: number;
  /** How much longer than `period` a hit was seen counted. */
  readonly evidence: number;
  readonly evidenceAt: number;
  /** Quarters of the suspected bucket in which a hit was seen leaving in time, as a bit mask. */
  readonly refuted: number;
  /** Hits answered at or before this are known to be out of the window. */
  readonly goneBefore: number;
  readonly sample?: Sample;
}

/** Everything about one policy. */
export interface PolicyState {
  readonly name: string;
  /** `unknown`: no answer yet; `silent`: answers without rate headers; `learned`: windows known. */
  readonly knowledge: "unknown" | "silent" | "learned";
  readonly windows: ReadonlyArray<WindowState>;
  /** Oldest first. */
  readonly hits: ReadonlyArray<Hit>;
  /** Nobody goes before this. */
  readonly holdUntil: number;
  /** 429 answers in a row. */
  readonly violations: number;
}

/** All four quarters refuted: the server has no hidden bucket of the suspected size here. */
export const ALL_REFUTED = 0b1111;

/** A policy of which nothing is known. */
export const unknownPolicy = (name: string): PolicyState => ({
  name,
  knowledge: "unknown",
  windows: [],
  hits: [],
  holdUntil: 0,
  violations: 0,
});

/**
 * How long beyond its period a hit is believed to stay counted: nothing, until the server's counts
 * show otherwise. Then a quarter of the suspected bucket while that explains what was seen, else
 * the whole of it.
 */
export const modelPad = (window: WindowState): number => {
  if (window.evidence === 0) return 0;
  return window.evidence <= window.suspect / 4 ? window.suspect / 4 : window.suspect;
};

/** How much longer a hit may stay counted at worst. */
export const worstPad = (window: WindowState): number =>
  window.refuted === ALL_REFUTED ? modelPad(window) : window.suspect;
