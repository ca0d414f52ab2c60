/**
 * The requests of one identity that a server may count in one window of one rule.
 *
 * A request is an interval `[sent, received]`: the server stamped it somewhere in between. It
 * leaves by its end and refutes by its start. What is in flight is always counted.
 */
import { cutoff } from "./Belief.ts";
import type { Belief } from "./Belief.ts";
import { NEVER } from "./basics.ts";

/** A request. */
export interface Hit {
  readonly id: string;
  sent: number;
  /** `Infinity` in flight. */
  received: number;
  /** The time at which a request without an outcome counts as lost. */
  lostAt: number;
  /** No response came: it may or may not have been counted. */
  uncertain?: boolean;
}

/** Requests of other programs that one response has shown. */
export interface ForeignHits {
  readonly sent: number;
  readonly received: number;
  readonly weight: number;
}

/** The server's count in a response. */
export interface Reading {
  readonly id: string;
  readonly count: number;
  readonly sent: number;
  readonly received: number;
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
  /** The limit that the program stated for it. */
  stated?: number | undefined;
  readonly period: number;
  seenAt: number;
  /** No hidden bucket is looked for. */
  isPlain?: boolean | undefined;
  readonly belief: Belief;
  readonly logs: Map<string, Log>;
  /** The next log to look at, whether it is idle. */
  sweeping?: MapIterator<[string, Log]> | undefined;
}

/** Known requests of other programs on the same budget. */
export interface Foreign {
  /** By `received`. */
  hits: ReadonlyArray<ForeignHits>;
  arrivals: ReadonlyArray<Arrivals>;
  /** Counted requests that the own ones of one period do not explain, on average. */
  residual: number;
}

/** The requests of one identity in a window. */
export interface Log {
  /** The own ones, in the order in which they leave: by `received`, those in flight last. */
  hits: Array<Hit>;
  /** So many of them are in order and have their responses. */
  ordered: number;
  reading: Reading | undefined;
  /** The one by which the server counts least: those of requests in flight together differ. */
  lowest: Reading | undefined;
  /** The request that used the place kept back last. */
  probe: string | undefined;
  /** The time at which a probe is best, for a hit received then, as of a version of the belief. */
  median: { readonly version: number; readonly received: number; readonly at: number } | undefined;
  /** `undefined`: there have been none. */
  foreign: Foreign | undefined;
}

/** Hits are remembered for this long after they left: their count may still come. */
export const MEMORY = 2000;
/** Arrivals of other programs are remembered for this long. */
export const ARRIVAL_MEMORY = 1_800_000;
/** Clocks do not tell times that are closer than this. */
export const CLOCK_STEP = 0.001;
/** Logs that are looked at, whether they are idle, with each request. */
const LOOKS = 2;

/** A log without requests. */
export const newLog = (): Log => ({
  hits: [],
  ordered: 0,
  reading: undefined,
  lowest: undefined,
  probe: undefined,
  median: undefined,
  foreign: undefined,
});

/** Index of the first hit received at or after `cut`. */
export const firstFrom = (hits: ReadonlyArray<Hit>, cut: number): number => {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hits[middle]!.received < cut) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The requests of others from `cut` on. */
export const foreignFrom = ({ foreign }: Log, cut: number): ReadonlyArray<ForeignHits> =>
  foreign?.hits.filter(({ received }) => received >= cut) ?? [];

/** Places taken by hits received at or after `cut`. */
export const weigh = (log: Log, cut: number): number => {
  let sum = log.hits.length - firstFrom(log.hits, cut);
  for (const { weight } of foreignFrom(log, cut)) sum += weight;
  return sum;
};

/**
 * Finds the hit whose departure makes `need` places free, of those from `cut` on. Returns the time
 * at which it was received.
 */
export const freeing = (log: Log, cut: number, need: number): number => {
  let index = firstFrom(log.hits, cut) - 1 + need;
  const own = (): number => (index < 0 ? -NEVER : (log.hits[index]?.received ?? NEVER));
  let freed = own();
  for (const { received, weight } of foreignFrom(log, cut)) {
    index -= weight;
    freed = Math.min(freed, Math.max(received, own()));
  }
  return freed;
};

/**
 * The most that the server can count by a report: the report, and the own requests that are not
 * certainly in it. It includes those answered before its request was sent, and that request.
 */
export const mostBy = ({ hits }: Log, { count, received, sent }: Reading): number =>
  count + hits.length - firstFrom(hits, sent + CLOCK_STEP) - (received > sent ? 1 : 0);

/** Gives up on requests whose process died, and puts those with responses in order. */
export const order = (log: Log, now: number): void => {
  const { hits } = log;
  for (let index = log.ordered; index < hits.length; index++) {
    const hit = hits[index]!;
    if (hit.received === NEVER) {
      if (hit.lostAt > now) continue;
      hit.received = hit.lostAt;
      hit.uncertain = true;
    }
    let place = index;
    while (place > 0 && hits[place - 1]!.received > hit.received) {
      hits[place] = hits[place - 1]!;
      place--;
    }
    hits[place] = hit;
    log.ordered++;
  }
};

/** Forgets the own hits received before `cut`, but for those that pass. */
export const forgetBefore = (log: Log, cut: number, passes?: (hit: Hit) => boolean): void => {
  const { hits } = log;
  const gone = firstFrom(hits, cut);
  const kept = passes ? hits.slice(0, gone).filter(passes) : [];
  hits.splice(0, gone, ...kept);
  log.ordered -= gone - kept.length;
};

/** Forgets hits that have left. */
const forget = ({ belief }: WindowState, log: Log, now: number): void => {
  order(log, now);
  const cut = cutoff(belief, now - MEMORY).safe;
  forgetBefore(log, cut);
  if (log.foreign) log.foreign.hits = foreignFrom(log, cut);
};

/** Deletes logs of identities that have been idle: looks at a few with each request. */
const sweep = (window: WindowState, now: number): void => {
  for (let looks = 0; looks < LOOKS; looks++) {
    window.sweeping ??= window.logs.entries();
    const { done, value } = window.sweeping.next();
    if (done) {
      window.sweeping = undefined;
      return;
    }
    const [scope, log] = value;
    forget(window, log, now);
    const lastArrival = log.foreign?.arrivals.at(-1)?.at ?? -NEVER;
    if (log.hits.length === 0 && lastArrival + ARRIVAL_MEMORY <= now) window.logs.delete(scope);
  }
};

/** Adds a request that is about to be sent. */
export const add = (window: WindowState, log: Log, hit: Hit, now: number): void => {
  forget(window, log, now);
  // Arrays that grow in place reserve 16 places, which would be most of a user's memory.
  if (log.hits.length < 16) log.hits = log.hits.concat(hit);
  else log.hits.push(hit);
  order(log, now);
  sweep(window, now);
};

/** Takes a request out; `false`: it was not counted here. */
export const drop = (log: Log, id: string): boolean => {
  const index = log.hits.findLastIndex((hit) => hit.id === id);
  if (index === -1) return false;
  log.hits.splice(index, 1);
  if (index < log.ordered) log.ordered--;
  return true;
};
