/** Types of token stores, below everything that uses them. */
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type { TokenStoreFailed } from "./Errors.ts";

/** An entry of a store. */
export interface Entry {
  /** An opaque word of the writer's. */
  readonly version: string;
  /** The text that was written; treat it as a secret. */
  readonly text: string;
  /** The store's clock at the time of reading, in milliseconds since 1970. */
  readonly now: number;
}

/** The replacement of an entry. */
export interface NextEntry {
  readonly version: string;
  readonly text: string;
  /** The store may forget the entry after this time. */
  readonly ttl?: Duration.Input | undefined;
}

/** A store of grants by key. One key is one grant: a user, a user's session, or an application. */
export interface TokenStore {
  /** Reads the entry under `key`. */
  readonly read: (key: string) => Effect.Effect<Entry | undefined, TokenStoreFailed>;
  /**
   * Writes `next` if the entry's version is still `expected` (`undefined`: no entry). Without
   * `next` it removes the entry. Returns whether it did; the change is durable by then.
   */
  readonly write: (
    key: string,
    expected: string | undefined,
    next: NextEntry | undefined,
  ) => Effect.Effect<boolean, TokenStoreFailed>;
}

/** The same two functions with promises. `ttlMillis` is whole milliseconds. */
export interface Backend {
  /** Reads the entry under `key`. */
  readonly read: (key: string) => Promise<Entry | undefined>;
  /** Compare-and-set, as `TokenStore.write`. */
  readonly write: (
    key: string,
    expected: string | undefined,
    next:
      | { readonly version: string; readonly text: string; readonly ttlMillis?: number }
      | undefined,
  ) => Promise<boolean>;
}
