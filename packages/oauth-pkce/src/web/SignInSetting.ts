/** The checked options of a sign-in, and what its parts share: stores, keys, pool, work, log. */
import * as Duration from "effect/Duration";
import type { OAuthError } from "../Errors.ts";
import { bounded } from "../internal/boundedStore.ts";
import { digest } from "../internal/digest.ts";
import { toStoreFailure } from "../internal/storeFailure.ts";
import { configurationError, positiveMillis } from "../internal/options.ts";
import { checkedTimes } from "../internal/renewalTimes.ts";
import { unheard } from "../internal/within.ts";
import { makeSealer } from "../makeSealer.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { runPromise } from "../promise/runPromise.ts";
import { sealed } from "../Sealer.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import { fromBackend } from "../TokenStore.ts";
import { makeCookies } from "./cookies.ts";
import type { SignInOptions } from "./SignInOptions.ts";

/** What the parts of one sign-in share. Times are in milliseconds. */
export type SignInSetting = Awaited<ReturnType<typeof makeSetting>>;

/** Time limit of the exchange of the code. */
export const EXCHANGE_MILLIS = 60_000;

/** Checks the options. Rejects with `ConfigurationInvalid`. */
export const makeSetting = async (options: SignInOptions) => {
  const { afterSignOut = "/", base = "/auth", client, onError, scopes } = options;
  const registered = URL.parse(client?.redirectUri ?? "");
  if (!registered) throw configurationError("client", "needs a redirectUri");
  if (!/^(\/[\w.-]+)+$/.test(base)) throw configurationError("base", "must be a path like /auth");
  if ([`${base}/login`, `${base}/logout`].includes(registered.pathname))
    throw configurationError("base", "takes the path of the callback");
  // Checks the scopes now, and not when the first user comes.
  await runPromise(PkceFlow.start(client, { scopes }));
  const storeMillis = positiveMillis("storeTimeout", options.storeTimeout ?? "3 seconds");
  const tag = await tagOf(client);
  const sealer = await makeSealer({ ...options.keys, purpose: "tokens" });
  const store = sealed(bounded(options.store, storeMillis), sealer);
  const log = guarded(options.log ?? console.error);
  const session = { log, ...options.session, store: fromBackend(store) };
  checkedTimes(session);
  return {
    afterSignOut,
    base,
    client,
    onError,
    scopes,
    log,
    storeMillis,
    tokensPer: options.tokensPer ?? "session",
    /** Bounded in time, and sealed. */
    store,
    origin: registered.origin,
    callbackPath: registered.pathname,
    flowSealer: await makeSealer({ ...options.keys, purpose: "flow" }),
    pool: SessionPool.make(
      (key) => Session.forUser(client, { ...session, key }),
      options.pool ?? {},
    ),
    cookies: makeCookies(tag),
    keyOf: (kind: "user" | "flow" | "grant", name: string) => `${tag}:${kind}:${name}`,
    idleMillis: positiveMillis("idle", options.idle ?? "14 days"),
    absoluteMillis: positiveMillis("absolute", options.absolute ?? Infinity),
    answerMillis: positiveMillis("answerWithin", options.answerWithin ?? "10 seconds"),
    /** The same client, with the time limit of the exchange. */
    exchangeClient: { ...client, timeout: Duration.millis(EXCHANGE_MILLIS) },
    isAllowedReturn: allowedReturn(options, log),
    status: { isClosed: false },
    ...makeWork(log),
  };
};

/**
 * The key in the store of the tokens that all sessions of a user share (`tokensPer: "user"`), for
 * a worker's `session({ store, key })`. The client is that of the sign-in.
 */
export const userGrantKey = async (client: OAuthClient, sub: string): Promise<string> =>
  `${await tagOf(client)}:grant:${sharedGrantName(await rowName(sub))}`;

/** Names the row of a user, or of a session whose user the server did not name. */
export const rowName = (sub: string): Promise<string> => digest(`user ${sub}`);

/** Names the tokens that the sessions of a row share. */
export const sharedGrantName = (row: string): string => `user:${row}`;

const tagOf = async ({ clientId, redirectUri }: OAuthClient): Promise<string> =>
  (await digest(`tag ${JSON.stringify([clientId, redirectUri])}`)).slice(0, 6);

/** Neither a logger that throws nor one that rejects ends a request, or the process. */
const guarded =
  (log: (message: string) => unknown) =>
  (message: string): void => {
    try {
      unheard(log(message));
    } catch {
      // There is nowhere to tell it.
    }
  };

const allowedReturn =
  ({ isAllowedReturn }: SignInOptions, log: (message: string) => void) =>
  (path: string): boolean => {
    try {
      return isAllowedReturn === undefined || unheard(isAllowedReturn(path)) === true;
    } catch {
      log("Sign-in: isAllowedReturn threw; the user is sent to / instead");
      return false;
    }
  };

const makeWork = (log: (message: string) => void) => {
  const work = new Set<Promise<unknown>>();
  return {
    /** Work that no response waits for; its failure is logged. */
    background: (promise: Promise<unknown>): void => {
      const done = promise
        .catch((error: unknown) => log(`Sign-in: ${toOAuthError(error).message}`))
        .finally(() => work.delete(done));
      work.add(done);
    },
    /** Waits for all work, the callbacks under way included. */
    settled: async () => {
      while (work.size > 0) await Promise.all(work);
    },
  };
};

/** A failure of ours as it is; anything else as a `TokenStoreFailed`, without its text. */
export const toOAuthError = (error: unknown): OAuthError =>
  error instanceof Error && "_tag" in error && "isRetryable" in error
    ? (error as OAuthError)
    : toStoreFailure("read", error);
