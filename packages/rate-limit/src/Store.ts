/**
 * Where a limiter keeps what it knows: in memory, in a file, or on a server that several processes
 * share.
 */
import type { FrozenState } from "./core/freeze.ts";
import { newState } from "./core/State.ts";
import type { State } from "./core/State.ts";

/** A store in the memory of this process; limiters with the same key share their state. */
export interface MemoryStore {
  readonly kind: "memory";
  readonly stateOf: (key: string) => State;
  /** Places that stay free in a window of `max`, for a successor that knows nothing. */
  readonly spare: (max: number) => number;
}

/** A store that keeps the state of one process over restarts. */
export interface PersistentStore {
  readonly kind: "persistent";
  readonly load: (key: string) => Promise<unknown>;
  /** Resolves when the state is durable. */
  readonly save: (key: string, state: FrozenState) => Promise<void>;
}

/** One window of a reservation, as the store checks it. */
export interface SharedWindow {
  readonly policy: string;
  readonly key: string;
  readonly scope: string;
  /** Requests that may be counted in it, this one included. */
  readonly places: number;
  /** Hits are counted from the lowest cut-off on: each has a size and a phase. */
  readonly width: number;
  readonly hypotheses: ReadonlyArray<readonly [size: number, from: number, to: number]>;
}

/** A hit of any process. */
export interface SharedHit {
  readonly id: string;
  readonly sent: number;
  /** `Infinity` in flight. */
  readonly received: number;
  readonly lostAt: number;
}

/** What a store says to a reservation or a response. */
export interface SharedReply {
  /** The store's time. */
  readonly now: number;
  readonly granted: boolean;
  /** When the policy or a window may open, if not. */
  readonly until: number;
  /** For each window all hits of all processes, where the store tells them. */
  readonly hits: ReadonlyArray<ReadonlyArray<SharedHit>> | undefined;
  /** What other processes know: frozen beliefs, blocks. */
  readonly knowledge: string | undefined;
  /** The store lost its data: tell it what is known. */
  readonly isEmpty: boolean;
}

/** A store that several processes share. */
export interface SharedStore {
  readonly kind: "shared";
  readonly reserve: (
    key: string,
    id: string,
    lease: number,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<SharedReply>;
  readonly release: (
    key: string,
    id: string,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<void>;
  readonly settle: (
    key: string,
    id: string,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<SharedReply>;
  readonly publish: (key: string, knowledge: string) => Promise<void>;
  readonly restore: (
    key: string,
    windows: ReadonlyArray<SharedWindow & { readonly hits: ReadonlyArray<SharedHit> }>,
  ) => Promise<void>;
}

/** A store of a limiter. */
export type Store = MemoryStore | PersistentStore | SharedStore;

/**
 * A store in the memory of this process. A process that starts anew knows nothing of the requests
 * before it, so one place of a window with 20 or more stays free.
 */
export const memoryStore = (options?: {
  readonly spare?: (max: number) => number;
}): MemoryStore => {
  const states = new Map<string, State>();
  return {
    kind: "memory",
    spare: options?.spare ?? ((max) => (max >= 20 ? 1 : 0)),
    stateOf: (key) => {
      const known = states.get(key);
      if (known) return known;
      const made = newState();
      states.set(key, made);
      return made;
    },
  };
};
