/** Checks the options of a sign-in, and makes the store, sessions and cookies of its routes. */
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { OAuthError } from "../Errors.ts";
import { digest } from "../internal/crypto.ts";
import { configurationError, positiveMillis } from "../internal/options.ts";
import { makeSealer, type SealerOptions } from "../makeSealer.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { makeRun, runPromise } from "../promise/run.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import { fromBackend, sealed, withTimeout, type Backend } from "../TokenStore.ts";
import { makeCookies } from "./cookies.ts";

/** Options of a web sign-in: client, scopes, store, keys, paths and time limits. */
export interface SignInOptions {
  /** The client with its redirect URI: `oauth.client` of the Promise entry. */
  readonly client: OAuthClient;
  /**
   * Requested of every user. With `oauth:revoke`, the tokens of a session are revoked when it ends.
   */
  readonly scopes: ReadonlyArray<PkceFlow.UserScope>;
  /** Shared by all servers. Pass the plain store: entries are sealed with `keys`. */
  readonly store: Backend;
  /** Root keys, shared by all servers. */
  readonly keys: Pick<SealerOptions, "current" | "keys">;
  /** Precedes `/login` and `/logout`. Default: `/auth`. */
  readonly base?: string;
  /** Redirect target after a sign-out. Default: `/`. */
  readonly afterSignOut?: string;
  /** Returns a response that replaces the error page. */
  readonly onError?: (
    error: OAuthError,
    request: Request,
  ) => Response | undefined | Promise<Response | undefined>;
  /** Called with failures that users cannot fix. Default: `console.error`. */
  readonly log?: (message: string) => void;
  /** A session that was not used for this time ends. Default: 14 days. */
  readonly idle?: Duration.Input;
  /** A session ends this time after its sign-in. Default: with the user's consent. */
  readonly absolute?: Duration.Input;
  /** Time limit of every response. Default: 10 seconds. */
  readonly answerWithin?: Duration.Input;
  /** Time limit of one call of the store. Default: 3 seconds. */
  readonly storeTimeout?: Duration.Input;
  /** Options of every session, such as `refreshBeforeExpiry`. */
  readonly session?: Omit<Session.SessionOptions, "store" | "key">;
}

export type App = Awaited<ReturnType<typeof makeApp>>;

/** Checks the options and makes the state of a sign-in. Rejects with `ConfigurationInvalid`. */
export const makeApp = async (options: SignInOptions) => {
  const { absolute = Infinity, answerWithin = "10 seconds", idle = "14 days" } = options;
  const { afterSignOut = "/", base = "/auth", client, onError, scopes } = options;
  const registered = URL.parse(client?.redirectUri ?? "");
  if (!registered) throw configurationError("client", "needs a redirectUri");
  if (!/^(\/[\w.-]+)+$/.test(base)) throw configurationError("base", "must be a path like /auth");
  if ([`${base}/login`, `${base}/logout`].includes(registered.pathname))
    throw configurationError("base", "takes the path of the callback");
  // Check the scopes now, not when the first user arrives.
  await runPromise(PkceFlow.start(client, { scopes }));
  // Keeps sign-ins with other clients or redirect URIs apart, in one store and in one browser.
  const identity = JSON.stringify([client.clientId, registered.href]);
  const tag = (await digest(`tag ${identity}`)).slice(0, 6);
  const sealer = await makeSealer({ ...options.keys, purpose: "tokens" });
  const store = withTimeout(
    fromBackend(sealed(options.store, sealer)),
    positiveMillis("storeTimeout", options.storeTimeout ?? "3 seconds"),
  );
  const entryKey = (kind: "user" | "grant", name: string) => `${tag}:${kind}:${name}`;
  const openSession = (id: string) =>
    Session.forUser(client, { ...options.session, store, key: entryKey("grant", id) });
  // Opens a session once, so that wrong session options fail now.
  openSession("");
  return {
    afterSignOut,
    base,
    client,
    onError,
    scopes,
    store,
    entryKey,
    origin: registered.origin,
    callbackPath: registered.pathname,
    cookies: makeCookies(tag),
    flowSealer: await makeSealer({ ...options.keys, purpose: "flow" }),
    /** Sessions by id: the hash of the secret in the browser's cookie. */
    sessions: SessionPool.make(openSession),
    idleMillis: positiveMillis("idle", idle),
    absoluteMillis: positiveMillis("absolute", absolute),
    answerMillis: positiveMillis("answerWithin", answerWithin),
    run: makeRun(options.log ?? console.error),
    status: { isClosed: false },
    /** Running work for which no response waits. `close` waits for it. */
    running: new Set<Promise<void>>(),
  };
};

/** Runs an effect without delaying the response, and logs its failure. */
export const runBeside = ({ run, running }: App, effect: Effect.Effect<unknown, OAuthError>) => {
  const logged = Effect.catchCause(effect, (cause) => Effect.logWarning(cause));
  const done: Promise<void> = run(Effect.asVoid(logged)).finally(() => running.delete(done));
  running.add(done);
};
