/**
 * Stores of a limiter's knowledge: in memory, in a file, or on a server that several processes
 * share.
 */
import type { Grant } from "./core/State.ts";
import { getOrMake } from "./core/basics.ts";
import { newState } from "./core/State.ts";
import type { CoreOptions, State } from "./core/State.ts";
import type { RateLimitInfo } from "./RateLimitDialect.ts";

/** The clock of a limiter. */
export interface Clock {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Calls `wake` after `millis`; returns what cancels it. */
  readonly schedule: (millis: number, wake: () => void) => () => void;
  /** The same, but that it keeps no program from ending. Default: `schedule`. */
  readonly watch?: Clock["schedule"];
}

/** The limiter that opens a store. */
export interface StoreContext {
  /** Limiters with different keys share nothing. */
  readonly key: string;
  readonly core: CoreOptions;
  readonly clock: Clock;
  /** The ids of this process's requests begin with it. */
  readonly self: string;
}

/** The opened store of one limiter. A store in memory has a state alone. */
export interface Backend {
  readonly state: State;
  /** The difference between the time of the state and the own clock. */
  readonly offset?: () => number;
  /** The interval at which waiters look for changes by other processes. */
  readonly pollMillis?: number;
  /** Brings the state up to date for a route. */
  readonly sync?: (route: { readonly route: string; readonly identity: string }) => Promise<void>;
  /**
   * Called before a request is sent. Resolves when it may go; with the time to look again if
   * another process was faster.
   */
  readonly reserve?: (grant: Grant) => Promise<number | undefined> | undefined;
  /**
   * Stores the outcome of a request, with the limits that its response told. `record` learns from
   * it and is called exactly once, with the time of the response if the store knows it better.
   */
  readonly settle?: (
    grant: Grant,
    isSent: boolean,
    record: (at?: number) => void,
    info: RateLimitInfo | undefined,
  ) => Promise<void> | undefined;
  /** Writes what is not written yet. */
  readonly close?: () => Promise<void>;
}

/** A store of a limiter: `memoryStore`, `fileStore` (`./file`), `redisStore` (`./redis`). */
export interface Store {
  /** Places that stay free in a window of `max`, for a successor that knows nothing. */
  readonly spare?: (max: number) => number;
  readonly open: (context: StoreContext) => Backend | Promise<Backend>;
}

/**
 * A store in the memory of this process; limiters with the same key share their state. A process
 * that starts anew knows nothing of the requests before it, so one place of a window with 20 or
 * more stays free.
 */
export const memoryStore = (): Store => {
  const opened = new Map<string, Backend>();
  return {
    spare: (max) => (max >= 20 ? 1 : 0),
    open: ({ key }) => {
      const known = opened.get(key);
      // Limiters do not hear of each other's responses: two or more look for them.
      if (known) return Object.assign(known, { pollMillis: 50, sync: async () => undefined });
      return getOrMake(opened, key, () => ({ state: newState() }));
    },
  };
};
