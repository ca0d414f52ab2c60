/**
 * Signs users in to a web application: `(Request) => Promise<Response | undefined>`.
 *
 * | route                         | what it does                                                      |
 * | ----------------------------- | ----------------------------------------------------------------- |
 * | `GET {base}/login?returnTo=/` | keeps a sealed flow in a cookie, redirects to the consent page     |
 * | `GET` path of `redirectUri`   | exchanges the code, starts a new session, redirects to the kept path |
 * | `POST {base}/logout`          | same-origin only; ends the session and its tokens                 |
 * | anything else                 | `undefined`: not ours                                             |
 *
 * A callback counts only in the browser whose cookie holds its state, and once over all servers of
 * the store. Browsers get a random session id; tokens stay in the store, sealed. Scheme, host and
 * paths come from the configuration; `Host` and `X-Forwarded-*` are never read.
 */
import type { UserScope } from "../PkceFlow.ts";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import {
  ConfigurationInvalid,
  StateMismatch,
  TokenStoreFailed,
  type OAuthError,
} from "../Errors.ts";
import { errorCode } from "../internal/errorCode.ts";
import { decode } from "../internal/GrantRecord.ts";
import { randomText } from "../internal/random.ts";
import { makeSealer, type SealerOptions } from "../makeSealer.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as PendingAuthorization from "../PendingAuthorization.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { wrap, type PromiseSession } from "../promise/Session.ts";
import * as Revocation from "../Revocation.ts";
import { safeReturnTo } from "../safeReturnTo.ts";
import { sealed } from "../Sealer.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import type { TokenSet } from "../TokenSet.ts";
import { fromBackend, type Backend } from "../TokenStore.ts";
import {
  flowCookies,
  noFlowCookies,
  noSessionCookie,
  readFlow,
  readSessionId,
  sessionCookie,
} from "./cookies.ts";
import { errorPage, redirect, refuse, statusOf } from "./responses.ts";

/** Options of `createSignIn`. */
export interface SignInOptions {
  /** The client, with its redirect URI: `oauth.client` of the Promise face. */
  readonly client: OAuthClient;
  /** Asked of every user. */
  readonly scopes: ReadonlyArray<UserScope>;
  /** Shared by all servers. Give the plain store: what is written is sealed with `keys`. */
  readonly store: Backend;
  /** Root keys, which all servers have. */
  readonly keys: Pick<SealerOptions, "current" | "keys">;
  /** Stands before `/login` and `/logout`. Default: `/auth`. */
  readonly base?: string;
  /** Allows a path of this origin as `returnTo`. Default: all of them. */
  readonly isAllowedReturn?: (path: string) => boolean;
  /** Path that follows the sign-out. Default: `/`. */
  readonly afterSignOut?: string;
  /**
   * `"session"` (default): every browser has tokens of its own. `"user"`: one set per user, for
   * work while the user is away; a second sign-in replaces it.
   */
  readonly tokensPer?: "session" | "user";
  /** Makes a response in place of the error page. */
  readonly onError?: (
    error: OAuthError,
    request: Request,
  ) => Response | undefined | Promise<Response | undefined>;
  /** Is told of failures that users cannot mend. Default: `console.error`. */
  readonly log?: (message: string) => void;
  /** Limits of the pool of sessions. */
  readonly pool?: SessionPool.SessionPoolOptions;
  /** Options of every session. */
  readonly session?: Omit<Session.SessionOptions, "store" | "key">;
}

/** A signed-in user. */
export interface SignedInUser {
  /** UUID of the account, if the server told. */
  readonly sub: string | undefined;
  readonly username: string | undefined;
  readonly scopes: ReadonlyArray<string>;
  /** The user's tokens. */
  readonly session: PromiseSession;
  /** The same session for Effect, and for `api.as(credentials)`. */
  readonly credentials: Session.Session;
  /** `session.withFreshToken`. */
  readonly withFreshToken: PromiseSession["withFreshToken"];
}

/** The sign-in of a web application. */
export interface SignIn {
  /** Answers requests of the sign-in; `undefined` for all others. Never rejects for a request. */
  readonly handle: (request: Request) => Promise<Response | undefined>;
  /** The user of a request, if somebody is signed in. */
  readonly session: (request: Request) => Promise<SignedInUser | undefined>;
  /** Waits for renewals in flight and begins no more. Call it on SIGTERM. */
  readonly close: () => Promise<void>;
}

/** A session that uses the tokens of its user, not tokens of its own. */
interface Pointer {
  readonly grant: string;
}

/** The outcome of a claimed callback. */
type Claim = "open" | "failed" | { readonly sessionId: string; readonly seconds?: number };

const CLAIM_MILLIS = 600_000;
/** For so long a reload of the callback gets the same response. */
const REPEAT_MILLIS = 30_000;
const WAIT_FOR_OTHER_SERVER_MILLIS = 15_000;
const POLL_MILLIS = 100;

/** Makes the sign-in. Rejects with `ConfigurationInvalid`, for example without a usable key. */
export const createSignIn = async (options: SignInOptions): Promise<SignIn> => {
  const {
    afterSignOut = "/",
    base = "/auth",
    client,
    isAllowedReturn = () => true,
    log = console.error,
    tokensPer = "session",
  } = options;
  const registered = URL.parse(client.redirectUri ?? "");
  if (!registered)
    throw new ConfigurationInvalid({ option: "client", reason: "needs a redirectUri" });
  if (!/^(\/[\w.-]+)+$/.test(base))
    throw new ConfigurationInvalid({ option: "base", reason: "must be a path like /auth" });
  const { origin, pathname: callbackPath } = registered;
  const loginPath = `${base}/login`;
  const flowSealer = await makeSealer({ ...options.keys, purpose: "flow" });
  const store = sealed(options.store, await makeSealer({ ...options.keys, purpose: "tokens" }));
  const tokenStore = fromBackend(store);
  const pool = SessionPool.make(
    (key) => Session.forUser(client, { ...options.session, store: tokenStore, key }),
    options.pool,
  );
  const underWay = new Map<string, Promise<Outcome>>();

  const login = async (request: Request, url: URL): Promise<Response> => {
    const purpose = request.headers.get("sec-purpose") ?? request.headers.get("purpose") ?? "";
    if (/prefetch|prerender/.test(purpose)) return refuse(503);
    const wanted = safeReturnTo(url.searchParams.get("returnTo"));
    const returnTo = isAllowedReturn(wanted) ? wanted : "/";
    const started = await run(PkceFlow.start(client, { scopes: options.scopes }));
    const { pending } = started;
    const id = await flowId(new URL(started.url).searchParams.get("state") ?? "");
    const text = JSON.stringify({
      flow: Redacted.value(PendingAuthorization.serialize(pending)),
      returnTo,
    });
    const cookies = flowCookies(request, id, await flowSealer.seal(text, id), pending.createdAt);
    return redirect(started.url, cookies);
  };

  const callback = async (request: Request, url: URL): Promise<Response> => {
    const id = await flowId(url.searchParams.get("state") ?? "");
    const opened = await flowSealer.open(readFlow(request, id) ?? "", id);
    if (opened === undefined) return stray(request, new StateMismatch());
    const { flow, returnTo } = JSON.parse(opened.text) as { flow: string; returnTo: string };
    const pending = PendingAuthorization.deserialize(flow);
    if (pending === undefined) return stray(request, new StateMismatch());
    // A reload while the exchange runs joins it.
    const existing = underWay.get(id);
    const outcome = existing ?? finish({ id, pending, url, old: readSessionId(request) });
    if (existing === undefined) {
      underWay.set(id, outcome);
      void outcome.finally(() => underWay.delete(id)).catch(() => undefined);
    }
    const result = await outcome;
    // The cookie stays while a reload may come; it opens nothing any more.
    if ("error" in result)
      return result.isRepeat
        ? stray(request, result.error)
        : fail(request, result.error, noFlowCookies(request, id));
    return redirect(returnTo, [sessionCookie(result.sessionId, result.seconds)]);
  };

  /** Claims the flow for all servers, exchanges the code, and starts a session. */
  const finish = async ({
    id,
    old,
    pending,
    url,
  }: {
    readonly id: string;
    readonly pending: PendingAuthorization.PendingAuthorization;
    readonly url: URL;
    readonly old: string | undefined;
  }): Promise<Outcome> => {
    const key = `flow:${id}`;
    const version = await run(randomText);
    const write = (expected: string | undefined, claim: Claim, ttlMillis: number) =>
      store.write(key, expected, {
        version: expected === undefined ? version : crypto.randomUUID(),
        text: JSON.stringify(claim),
        ttlMillis,
      });
    if (!(await write(undefined, "open", CLAIM_MILLIS))) return repeat(key);
    const exit = await Effect.runPromiseExit(
      PkceFlow.validateCallback(client, pending, url).pipe(
        // The claim in the store is what makes it single use.
        Effect.provideService(PendingAuthorization.UsedStates, {
          claim: () => Effect.succeed(true),
        }),
        Effect.flatMap((valid) => PkceFlow.exchange(client, valid)),
      ),
    );
    if (Exit.isFailure(exit)) {
      await write(version, "failed", REPEAT_MILLIS);
      return { error: toOAuthError(Cause.squash(exit.cause)), isRepeat: false };
    }
    const tokens = exit.value;
    const sessionId = await run(randomText);
    const end = tokens.consentExpiresAt;
    const lifeMillis = end === undefined ? undefined : Math.max(end - tokens.issuedAt, 1000);
    await begin(await sessionKey(sessionId), tokens, lifeMillis);
    // A session that was there ends: its id may be known to somebody else.
    if (old !== undefined) await endSession(old).catch(() => undefined);
    const seconds = lifeMillis === undefined ? undefined : Math.floor(lifeMillis / 1000);
    const done = { sessionId, ...(seconds !== undefined && { seconds }) };
    await write(version, done, REPEAT_MILLIS);
    return done;
  };

  /** Another request was first; its browser may be the same one, reloading. */
  const repeat = async (key: string): Promise<Outcome> => {
    const until = Date.now() + WAIT_FOR_OTHER_SERVER_MILLIS;
    while (Date.now() < until) {
      const entry = await store.read(key);
      const claim = entry && (JSON.parse(entry.text) as Claim);
      if (claim === undefined || claim === "failed") break;
      if (typeof claim === "object") return claim;
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
    }
    return { error: new StateMismatch(), isRepeat: true };
  };

  const begin = async (key: string, tokens: TokenSet, ttlMillis: number | undefined) => {
    const grant = tokensPer === "user" && tokens.sub !== undefined ? `user:${tokens.sub}` : key;
    if (grant !== key) {
      const before = await run(
        Effect.match(pool.get(grant).tokens, {
          onSuccess: (set) => set,
          onFailure: () => undefined,
        }),
      );
      const text = JSON.stringify({ grant } satisfies Pointer);
      const version = crypto.randomUUID();
      await store.write(key, undefined, { version, text, ...(ttlMillis && { ttlMillis }) });
      if (before) await run(Effect.ignore(revokeIfAllowed(before)));
    }
    await run(pool.get(grant).signIn(tokens));
  };

  const revokeIfAllowed = (tokens: TokenSet) =>
    tokens.scopes.includes("oauth:revoke")
      ? Revocation.using(tokens.accessToken)(client, tokens)
      : Effect.void;

  /** The key of the grant behind a session, and the set that is stored there. */
  const lookUp = async (id: string) => {
    const key = await sessionKey(id);
    const entry = await store.read(key);
    if (entry === undefined) return undefined;
    const record = decode(entry.text);
    if (record) return { key, grant: key, version: entry.version, tokens: record.tokens };
    const { grant } = JSON.parse(entry.text) as Pointer;
    const shared = await store.read(grant);
    return { key, grant, version: entry.version, tokens: shared && decode(shared.text)?.tokens };
  };

  const endSession = async (id: string): Promise<void> => {
    const found = await lookUp(id);
    if (found === undefined) return;
    // One browser's sign-out leaves the tokens that all sessions of a user share.
    if (found.grant === found.key)
      await run(pool.get(found.grant).signOut({ revoke: (_, tokens) => revokeIfAllowed(tokens) }));
    else await store.write(found.key, found.version, undefined);
  };

  const logout = async (request: Request): Promise<Response> => {
    const site = request.headers.get("sec-fetch-site");
    const isOwn = site === null ? request.headers.get("origin") === origin : site === "same-origin";
    if (!isOwn) return refuse(403);
    const id = readSessionId(request);
    if (id !== undefined) {
      const error = await endSession(id).then(() => undefined, toOAuthError);
      // Revoking may fail; the session has ended on our side all the same, unless the store failed.
      if (error?._tag === "TokenStoreFailed") return fail(request, error, []);
    }
    return redirect(safeReturnTo(afterSignOut), [noSessionCookie()]);
  };

  /** A reload, Back, or a double click of somebody who is signed in is no error. */
  const stray = async (request: Request, error: OAuthError): Promise<Response> =>
    (await session(request)) === undefined ? fail(request, error, []) : redirect("/");

  const fail = async (
    request: Request,
    error: OAuthError,
    cookies: ReadonlyArray<string>,
  ): Promise<Response> => {
    if (statusOf(error) >= 500) log(`Sign-in: ${error.message}`);
    return (await options.onError?.(error, request)) ?? errorPage(error, loginPath, cookies);
  };

  const session = async (request: Request): Promise<SignedInUser | undefined> => {
    const id = readSessionId(request);
    const found = id === undefined ? undefined : await lookUp(id);
    if (found?.tokens === undefined) return undefined;
    const { scopes, sub, username } = found.tokens;
    const credentials = pool.get(found.grant);
    const promised = wrap(credentials);
    const { withFreshToken } = promised;
    return { sub, username, scopes, session: promised, credentials, withFreshToken };
  };

  const handle = async (request: Request): Promise<Response | undefined> => {
    const url = new URL(request.url);
    const { pathname } = url;
    const isLogout = pathname === `${base}/logout`;
    const isLogin = pathname === loginPath;
    if (!isLogout && !isLogin && pathname !== callbackPath) return undefined;
    // Link scanners send HEAD: it must not use up the code.
    const method = isLogout ? "POST" : "GET";
    if (request.method !== method) return refuse(405, { allow: method });
    const destination = request.headers.get("sec-fetch-dest");
    // An image or a frame must not run a flow.
    if (!isLogout && destination !== null && destination !== "document") return refuse(403);
    try {
      if (isLogout) return await logout(request);
      return isLogin ? await login(request, url) : await callback(request, url);
    } catch (error) {
      return fail(request, toOAuthError(error), []);
    }
  };

  return { handle, session, close: () => run(pool.close) };
};

type Outcome =
  | { readonly sessionId: string; readonly seconds?: number }
  | { readonly error: OAuthError; readonly isRepeat: boolean };

const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect);
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.squash(exit.cause);
};

/** A failure of ours as it is; whatever a store threw as `TokenStoreFailed`, without its text. */
const toOAuthError = (error: unknown): OAuthError =>
  error instanceof Error && "_tag" in error && "isRetryable" in error
    ? (error as OAuthError)
    : new TokenStoreFailed({ operation: "read", reason: errorCode(error) });

const hash = async (text: string): Promise<string> => {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
};

/** Names a flow by its state, without telling it. Cookie names are shown in tools. */
const flowId = async (state: string): Promise<string> => (await hash(`flow ${state}`)).slice(0, 22);

/** The store's key of a session: who reads the store cannot be its user. */
const sessionKey = async (id: string): Promise<string> => `session:${await hash(id)}`;
