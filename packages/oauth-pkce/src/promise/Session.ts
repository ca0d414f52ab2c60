/** `Session` and `SessionPool` with promises. */
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { positiveMillis } from "../internal/options.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import type { TokenSet } from "../TokenSet.ts";
import { fromBackend, withTimeout, type Backend } from "../TokenStore.ts";
import { makeRun, runPromise, type CallSignal } from "./run.ts";

/** Options of a session. The store is two functions that return promises. */
export interface PromiseSessionOptions extends Omit<Session.SessionOptions, "store"> {
  /** Default: memory. */
  readonly store?: Backend;
  /** Called, without secrets, for lost responses and for renewals that failed in the background. */
  readonly log?: (message: string) => void;
  /** Time limit of one call of the store, which then fails with `TokenStoreFailed`. Default: 30 s. */
  readonly storeTimeout?: Duration.Input;
}

/** Converts the options to those of the Effect session. Throws `ConfigurationInvalid`. */
export const toSessionOptions = ({
  store,
  storeTimeout = "30 seconds",
  ...options
}: PromiseSessionOptions): Session.SessionOptions => {
  const limit = positiveMillis("storeTimeout", storeTimeout);
  return { ...options, ...(store && { store: withTimeout(fromBackend(store), limit) }) };
};

/** Fresh tokens for one user, or for the application itself. */
export interface PromiseSession {
  /** Resolves to a usable access token, renewed first if necessary. */
  readonly accessToken: (call?: CallSignal) => Promise<string>;
  /** Resolves to the whole set behind it. */
  readonly tokens: (call?: CallSignal) => Promise<TokenSet>;
  /**
   * Runs `f` with a fresh token, and once more with a renewed one if the token was refused: if `f`
   * resolves to a `Response` of status 401, or rejects with an error that has `status` 401 or the
   * tag `Unauthorized`.
   */
  readonly withFreshToken: <A>(f: (accessToken: string) => Promise<A>) => Promise<A>;
  /** Resolves to another token than `refused`. */
  readonly renew: (refused: string) => Promise<string>;
  /** Resolves to the time until which a refresh should work; `undefined` if not known. */
  readonly consentExpiresAt: () => Promise<Date | undefined>;
  /** Stores the tokens of a finished flow. */
  readonly signIn: (tokens: TokenSet) => Promise<void>;
  /** Reads the state of the grant. Sends no request. */
  readonly status: () => Promise<Session.Status>;
  /** Starts no more renewals, and waits for the current one. */
  readonly close: () => Promise<void>;
  /** Forgets the tokens. To end them at the server too, call `oauth.revoke` first. */
  readonly signOut: () => Promise<void>;
}

/** Wraps a session. */
export const wrapSession = (session: Session.Session, run = runPromise): PromiseSession => ({
  accessToken: (call) => run(Effect.map(session.accessToken, Redacted.value), call?.signal),
  tokens: (call) => run(session.tokens, call?.signal),
  withFreshToken: async (f) => {
    const token = await run(session.accessToken);
    try {
      const result = await f(Redacted.value(token));
      if (!(result instanceof Response) || result.status !== 401) return result;
      // An unread body keeps the connection open, even if the renewal fails.
      await result.body?.cancel().catch(() => undefined);
    } catch (error) {
      if (!Session.isTokenRefused(error) && !hasStatus401(error)) throw error;
    }
    return f(Redacted.value(await run(session.renew(token))));
  },
  renew: (refused) => run(Effect.map(session.renew(Redacted.make(refused)), Redacted.value)),
  consentExpiresAt: async () => {
    const at = await run(session.consentExpiresAt);
    return at === undefined ? undefined : new Date(at);
  },
  status: () => run(session.status),
  close: () => run(session.close),
  signIn: (tokens) => run(session.signIn(tokens)),
  signOut: () => run(session.signOut()),
});

const hasStatus401 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "status" in value && value.status === 401;

/** Options of a pool and of every session in it. */
export interface PromiseSessionPoolOptions
  extends Omit<PromiseSessionOptions, "key">, SessionPool.SessionPoolOptions {}

/** Sessions by key. */
export interface PromiseSessionPool extends Pick<SessionPool.SessionPool, "size"> {
  /** Returns the session of a key. Do not keep it longer than a request. */
  readonly get: (key: string) => PromiseSession;
  /** Closes all sessions: starts no more renewals, and waits for the current ones. */
  readonly close: () => Promise<void>;
}

/** Makes a pool with one session for each user, so that a server renews a user's token once. */
export const sessionPool = (
  { client }: { readonly client: OAuthClient },
  { idle, max, ...options }: PromiseSessionPoolOptions,
): PromiseSessionPool => {
  const shared = toSessionOptions(options);
  const open = (key: string) => Session.forUser(client, { ...shared, key });
  const pool = SessionPool.make(open, { idle, max });
  const run = makeRun(options.log);
  return {
    get: (key) => wrapSession(pool.get(key), run),
    size: pool.size,
    close: () => run(pool.close),
  };
};
