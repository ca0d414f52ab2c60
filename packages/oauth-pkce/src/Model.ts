/** Types of tokens, their stores and sessions, below everything that uses them. */
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { TokenStoreFailed } from "./Errors.ts";

/** A set of tokens. `toJson` and `fromJson` are the only ways to text that shows the secrets. */
export interface TokenSet {
  readonly accessToken: Redacted.Redacted;
  /** Epoch milliseconds, `"never"` (until revoked), or `"unknown"` (until a 401). */
  readonly expiresAt: number | "never" | "unknown";
  /** Epoch milliseconds at which the request was sent. */
  readonly issuedAt: number;
  /**
   * Milliseconds by which the OAuth server's clock was ahead of this machine's; missing within five
   * seconds. The times of the set are by the server's clock.
   */
  readonly clockSkew?: number;
  /** The granted scopes, which may be fewer than the requested ones. */
  readonly scopes: ReadonlyArray<string>;
  readonly refreshToken?: Redacted.Redacted;
  /** Epoch milliseconds after which no refresh can succeed; only with a refresh token. */
  readonly consentExpiresAt?: number;
  /** Account name of the token's identity. */
  readonly username?: string;
  /** UUID of the token's identity. */
  readonly sub?: string;
}

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
  /**
   * Whole milliseconds after which the store may forget the entry; `"keep"`: when it would have
   * anyway.
   */
  readonly ttlMillis?: number | "keep" | undefined;
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

/** The same two functions with promises. */
export interface Backend {
  /** Reads the entry under `key`. */
  readonly read: (key: string) => Promise<Entry | undefined>;
  /** Compare-and-set, as `TokenStore.write`. */
  readonly write: (
    key: string,
    expected: string | undefined,
    next: NextEntry | undefined,
  ) => Promise<boolean>;
}

/** Whether a refresh token may be sent again after a send without a response. */
export type LostAnswerPolicy = "resend" | "signIn";

/** A response to a refresh that did not arrive. */
export interface LostAnswer {
  /** The key of the grant in the store. */
  readonly key: string;
  /** The number of times that this refresh token was sent. */
  readonly attempt: number;
  /** Milliseconds since 1970 until which the access token can be used. */
  readonly usableUntil: number;
}

/** Options of both kinds of session. */
export interface SessionOptions {
  /** Default: memory. */
  readonly store?: TokenStore;
  /** The key in the store. Default: the client id (one user per store). */
  readonly key?: string;
  /**
   * Time before its end at which a token is renewed in the background. Default: a tenth of its
   * life (± 10 %, at most 3 days). At most half of its life. Users have this time to sign in again
   * after a lost response.
   */
  readonly refreshBeforeExpiry?: Duration.Input;
  /**
   * Time before its end from which callers wait for the renewal. Default: 60 seconds, at most half
   * of `refreshBeforeExpiry`.
   */
  readonly waitBeforeExpiry?: Duration.Input;
  /**
   * After a refresh without a response, at the end of the access token: `"resend"` (default) sends
   * the refresh token once more, which saves logins whose request never arrived. `"signIn"` never
   * sends a refresh token twice.
   */
  readonly onLostAnswer?: LostAnswerPolicy;
  /** Called for every refresh without a response. */
  readonly onAnswerLost?: (lost: LostAnswer) => void;
  /**
   * Is told, in a sentence without secrets, of a lost response and of a renewal in the background
   * that failed. Effect's logger is told, too; the Promise entry has no other log.
   */
  readonly log?: (message: string) => void;
  /**
   * Time after the intent was recorded within which the refresh token may be sent. Default: 5
   * seconds. A process that was paused for longer starts over.
   */
  readonly sendWithin?: Duration.Input;
  /**
   * Keeps the host alive for a background renewal, where it ends with the response (serverless).
   */
  readonly waitUntil?: (renewal: Promise<unknown>) => void;
}
