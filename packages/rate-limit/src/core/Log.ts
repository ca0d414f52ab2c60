/**
 * The requests of one identity that a server may count in one window of one rule.
 *
 * A request is an interval `[sent, received]`: the server stamped it somewhere in between. It
 * leaves by its end and refutes by its start. What is in flight is always counted.
 */
import { cutoff, departure } from "./Belief.ts";
import type { Belief, Range } from "./Belief.ts";
import { NEVER } from "./basics.ts";

/** A request, or several of other programs. */
export interface Hit {
  readonly id: string;
  sent: number;
  /** `Infinity` in flight. */
  received: number;
  /** The time at which a request without an outcome counts as lost. */
  lostAt: number;
  /** No response came: it may or may not have been counted. */
  uncertain?: boolean;
  /** Set on requests of other programs: how many. */
  weight?: number;
}

/** The server's count in a response. */
export interface Reading {
  readonly id: string;
  readonly count: number;
  readonly sent: number;
  readonly received: number;
  readonly counted: boolean;
}

/** Arrivals of other programs' requests between two readings. */
interface Arrivals {
  readonly at: number;
  readonly millis: number;
  readonly weight: number;
}

/** One window of one rule, shared by all identities. */
export interface WindowState {
  readonly key: string;
  readonly rule: string;
  max: number;
  readonly period: number;
  seenAt: number;
  readonly belief: Belief;
  readonly logs: Map<string, Log>;
}

/** The requests of one identity in a window. */
export interface Log {
  /** In the order in which they leave: by `received`, those in flight last. */
  hits: ReadonlyArray<Hit>;
  reading: Reading | undefined;
  /** The request that used the place kept back last. */
  probe: string | undefined;
  /** The time at which a probe is best, for a hit received then, as of a version of the belief. */
  median: { readonly version: number; readonly received: number; readonly at: number } | undefined;
  arrivals: ReadonlyArray<Arrivals>;
  /** Counted requests that the own ones of one period do not explain, on average. */
  residual: number;
}

/** Hits are remembered for this long after they left: their count may still come. */
export const MEMORY = 2000;

/** A log without requests. */
export const newLog = (): Log => ({
  hits: [],
  reading: undefined,
  probe: undefined,
  median: undefined,
  arrivals: [],
  residual: 0,
});

export const weightOf = (hit: Hit): number => hit.weight ?? 1;

/** Whether a hit is one of another program. */
export const isForeign = (hit: Hit): boolean => hit.weight !== undefined;

/** The time at which a hit leaves; never while it is in flight. */
export const departureOf = (belief: Belief, { received }: Hit): Range =>
  received === NEVER ? { safe: NEVER, likely: NEVER } : departure(belief, received);

/** Places taken by the hits from `first` on. */
export const weigh = (hits: ReadonlyArray<Hit>, first: number): number => {
  let sum = 0;
  for (let index = first; index < hits.length; index++) sum += weightOf(hits[index]!);
  return sum;
};

/** Index of the first hit that may be counted, by a cut-off. */
export const firstFrom = (hits: ReadonlyArray<Hit>, cut: number): number => {
  let index = hits.length;
  while (index > 0 && hits[index - 1]!.received >= cut) index--;
  return index;
};

/** Index of the hit with which `need` places of the hits from `first` on are free. */
export const freeing = (hits: ReadonlyArray<Hit>, first: number, need: number): number => {
  let index = first;
  let left = need;
  while (index < hits.length && (left -= weightOf(hits[index]!)) > 0) index++;
  return index;
};

/** Gives up on requests whose process died, and sorts the hits whose responses have come. */
export const order = (log: Log, now: number): void => {
  let isOrdered = true;
  let before = -NEVER;
  for (const hit of log.hits) {
    if (hit.received === NEVER && hit.lostAt <= now) {
      hit.received = hit.lostAt;
      hit.uncertain = true;
    }
    if (hit.received < before) isOrdered = false;
    before = hit.received;
  }
  if (!isOrdered) log.hits = log.hits.toSorted(byReceived);
};

const byReceived = (a: Hit, b: Hit): number =>
  a.received === b.received ? 0 : a.received - b.received;

/** Forgets hits that have left. */
const forget = ({ belief }: WindowState, log: Log, now: number): void => {
  order(log, now);
  const gone = firstFrom(log.hits, cutoff(belief, now - MEMORY).safe);
  if (gone > 0) log.hits = log.hits.slice(gone);
};

/** Adds a request that is about to be sent, or those of other programs. */
export const add = (window: WindowState, log: Log, hit: Hit, now: number): void => {
  forget(window, log, now);
  log.hits = [...log.hits, hit];
  order(log, now);
};

/** Takes a request out that was not counted here. */
export const drop = (log: Log, id: string): void => {
  log.hits = log.hits.filter((hit) => hit.id !== id);
};
