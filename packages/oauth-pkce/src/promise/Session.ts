/** `Session` and `SessionPool` with promises. */
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { positiveMillis, requireType } from "../internal/options.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import { TokenSet } from "../TokenSet.ts";
import { fromBackend, withTimeout, type Backend } from "../TokenStore.ts";
import { makeRun, runPromise, type CallSignal } from "./run.ts";

/** Options of a session. The store is two functions that return promises. */
export interface PromiseSessionOptions extends Omit<Session.SessionOptions, "store"> {
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

export const requireTokens = requireType(
  "tokens",
  TokenSet,
  "a TokenSet, such as the awaited result of exchange",
);

/** Fresh tokens for one user, or for the application itself. */
export interface PromiseSession extends ReturnType<typeof wrapSession> {}

export const wrapSession = (session: Session.Session, run = runPromise) => ({
  /** Resolves to a usable access token, renewed first if necessary. */
  accessToken: (call?: CallSignal) =>
    run(Effect.map(session.accessToken, Redacted.value<string>), call?.signal),
  /** Resolves to the usable access token with its scopes, its expiry and the refresh token. */
  tokens: (call?: CallSignal) => run(session.tokens, call?.signal),
  /**
   * Runs `f` with a fresh token, and once more with a renewed token if the fresh token was refused:
   * if `f` resolves to a `Response` of status 401, or rejects with an error that has `status` 401
   * or the tag `Unauthorized`.
   */
  withFreshToken: async <A>(f: (accessToken: string) => Promise<A>): Promise<A> => {
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
  /** Resolves to a token that differs from `refused`. */
  renew: (refused: string) =>
    run(Effect.map(session.renew(Redacted.make(refused)), Redacted.value<string>)),
  /** Resolves to the time until which a refresh should work; `undefined` if not known. */
  consentExpiresAt: async () => {
    const at = await run(session.consentExpiresAt);
    return at === undefined ? undefined : new Date(at);
  },
  /** Reads the state of the grant. Sends no request. */
  status: () => run(session.status),
  /** Starts no more renewals, and waits for the current renewal. */
  close: () => run(session.close),
  /** Stores the tokens of a finished flow. */
  signIn: (tokens: TokenSet) => run(Effect.andThen(requireTokens(tokens), session.signIn(tokens))),
  /** Forgets the tokens. To end them at the server too, call `oauth.revoke` first. */
  signOut: () => run(session.signOut()),
});

const hasStatus401 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "status" in value && value.status === 401;

/** Options of a pool and of every session in it. */
export interface PromiseSessionPoolOptions
  extends Omit<PromiseSessionOptions, "key">, SessionPool.SessionPoolOptions {}

/** Sessions by key, each opened on first use. */
export interface PromiseSessionPool extends ReturnType<typeof sessionPool> {}

/** Makes a pool with one session for each user, so that a server renews a user's token once. */
export const sessionPool = (
  { client }: { readonly client: OAuthClient },
  { idle, max, ...options }: PromiseSessionPoolOptions,
) => {
  const shared = toSessionOptions(options);
  const open = (key: string) => Session.forUser(client, { ...shared, key });
  const pool = SessionPool.make(open, { idle, max });
  const run = makeRun(options.log);
  return {
    /** Returns the session of a key. Do not keep it longer than a request. */
    get: (key: string): PromiseSession => wrapSession(pool.get(key), run),
    size: pool.size,
    /** Closes all sessions: starts no more renewals, and waits for the current ones. */
    close: () => run(pool.close),
  };
};
