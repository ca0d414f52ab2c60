/** `Session` and `SessionPool` with promises. */
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { bounded } from "../internal/boundedStore.ts";
import { isTokenRejected } from "../internal/grantErrors.ts";
import { positiveMillis } from "../internal/options.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import type { TokenSet } from "../TokenSet.ts";
import { fromBackend, type Backend } from "../TokenStore.ts";
import { runPromise, type CallSignal } from "./runPromise.ts";

/** Options of a session; the store is two functions that return promises. */
export interface PromiseSessionOptions extends Omit<Session.SessionOptions, "store"> {
  /** Default: memory. */
  readonly store?: Backend;
  /** Time limit of one call of the store; then it is `TokenStoreFailed`. Default: 30 seconds. */
  readonly storeTimeout?: Duration.Input;
}

/** Options of a session for Effect. Throws `ConfigurationInvalid`. */
export const toSessionOptions = ({
  store,
  storeTimeout = "30 seconds",
  ...options
}: PromiseSessionOptions): Session.SessionOptions => {
  const limit = positiveMillis("storeTimeout", storeTimeout);
  return {
    ...options,
    ...(store && { store: fromBackend(bounded(store, limit)) }),
  };
};

/** Fresh tokens for one user, or for the application itself. */
export interface PromiseSession {
  /** An access token that is good now, renewed first if need be. */
  readonly accessToken: (call?: CallSignal) => Promise<string>;
  /** The whole set behind it. */
  readonly tokens: (call?: CallSignal) => Promise<TokenSet>;
  /**
   * Runs `f` with a fresh token, and once more with a renewed one when the token was refused: when
   * `f` resolves to a `Response` of status 401, or rejects with an error that says so (`status`
   * 401, or a tag `Unauthorized`).
   */
  readonly withFreshToken: <A>(f: (accessToken: string) => Promise<A>) => Promise<A>;
  /** A token other than `refused`. */
  readonly renew: (refused: string) => Promise<string>;
  /** Until when refreshing can work; `undefined` without a refresh token. */
  readonly consentExpiresAt: () => Promise<Date | undefined>;
  /** Stores the tokens of a finished flow. */
  readonly signIn: (tokens: TokenSet) => Promise<void>;
  /** Reads the state of the grant. Sends no request. */
  readonly status: () => Promise<Session.Status>;
  /** Begins no renewal any more and waits for the one in flight. */
  readonly close: () => Promise<void>;
  /** Forgets the tokens. To end them at the server too, `oauth.revoke` them first. */
  readonly signOut: () => Promise<void>;
}

/** A session with promises. */
export const wrap = (session: Session.Session): PromiseSession => ({
  accessToken: (call) => runPromise(Effect.map(session.accessToken, Redacted.value), call?.signal),
  tokens: (call) => runPromise(session.tokens, call?.signal),
  withFreshToken: async (f) => {
    const token = await runPromise(session.accessToken);
    try {
      const result = await f(Redacted.value(token));
      if (!(result instanceof Response) || result.status !== 401) return result;
      // Unread, its body would keep the connection open, also when the renewal fails.
      await result.body?.cancel().catch(() => undefined);
    } catch (error) {
      if (!isTokenRejected(error) && !hasStatus401(error)) throw error;
    }
    return f(Redacted.value(await runPromise(session.renew(token))));
  },
  renew: (refused) => runPromise(Effect.map(session.renew(Redacted.make(refused)), Redacted.value)),
  consentExpiresAt: () =>
    runPromise(
      Effect.map(session.consentExpiresAt, (at) => (at === undefined ? at : new Date(at))),
    ),
  status: () => runPromise(session.status),
  close: () => runPromise(session.close),
  signIn: (tokens) => runPromise(session.signIn(tokens)),
  signOut: () => runPromise(session.signOut()),
});

const hasStatus401 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "status" in value && value.status === 401;

/** Options of a pool and of every session in it. */
export interface PromiseSessionPoolOptions
  extends Omit<PromiseSessionOptions, "key">, SessionPool.SessionPoolOptions {}

/** Sessions by key. */
export interface PromiseSessionPool {
  /** Returns the session of a key. Don't keep it longer than a request. */
  readonly get: (key: string) => PromiseSession;
  /** The number of sessions. */
  readonly size: () => number;
  /** Closes all sessions: nothing new begins, renewals in flight are finished. */
  readonly close: () => Promise<void>;
}

/** Makes a pool: one session per user, so that a server renews a user's token once. */
export const sessionPool = (
  { client }: { readonly client: OAuthClient },
  { idle, max, ...options }: PromiseSessionPoolOptions,
): PromiseSessionPool => {
  const shared = toSessionOptions(options);
  const open = (key: string) => Session.forUser(client, { ...shared, key });
  const pool = SessionPool.make(open, { idle, max });
  return {
    get: (key) => wrap(pool.get(key)),
    size: pool.size,
    close: () => runPromise(pool.close),
  };
};
