/**
 * The parts for Node with promises: file store, desktop sign-in, loopback receiver, keychain key,
 * closing on signals.
 *
 * @packageDocumentation
 */
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Schedule from "effect/Schedule";
import * as Scope from "effect/Scope";
import { configurationError } from "../internal/options.ts";
import { runPromise, type CallSignal } from "../promise/run.ts";
import type { OAuth, PromiseSession } from "../promise/index.ts";
import type { TokenSet } from "../TokenSet.ts";
import { keychainKey as keychainKeyEffect, type KeychainKeyOptions } from "./keychainKey.ts";
import * as LoopbackReceiver from "./LoopbackReceiver.ts";
import { openBrowser as openBrowserEffect } from "./openBrowser.ts";
import { signIn, type SignInOptions } from "./signIn.ts";

export { openFileStore, type FileBackend, type FileStoreOptions } from "./FileStore.ts";
export { toNode, type NodeHandler } from "./toNode.ts";

export interface DesktopSignInOptions
  extends Pick<SignInOptions, "scopes" | "timeout" | "page">, CallSignal {
  /** Shows the address to the user. Default: a line on stderr. */
  readonly show?: (url: string) => void;
  /** Opens the address. Default: the system's browser; `false` for none. */
  readonly open?: ((url: string) => Promise<void>) | false;
  /**
   * Resolves to the redirect's address as the user pastes it. Called again after an address of another
   * flow. An empty text ends pasting.
   */
  readonly paste?: () => Promise<string>;
}

/**
 * Signs a user in with the browser of this machine. Pass the tokens to `session.signIn`.
 *
 * @example
 * ```ts no-run
 * import { signInDesktop } from "@game-data/oauth-pkce/node/promise";
 * import { createPublicOAuth } from "@game-data/oauth-pkce/promise";
 *
 * const oauth = createPublicOAuth({
 *   authUrl: "https://auth.example.com",
 *   clientId: "my-program",
 *   redirectUri: "http://127.0.0.1:8080/callback",
 * });
 * const session = oauth.session();
 * await session.signIn(await signInDesktop(oauth, { scopes: ["account:characters"] }));
 * ```
 */
export const signInDesktop = (
  { client }: Pick<OAuth, "client">,
  { open, paste, show, signal, ...options }: DesktopSignInOptions,
): Promise<TokenSet> => {
  if (client.kind !== "public")
    return Promise.reject(configurationError("client", "must be a public client"));
  const effect = signIn(client, {
    ...options,
    // The flow continues if showing the address fails or hangs, because the browser may be open.
    ...(show && {
      show: (url) => Effect.asVoid(Effect.forkDetach(Effect.tryPromise(async () => show(url)))),
    }),
    ...(open === false && { open: () => Effect.void }),
    ...(open && { open: (url) => Effect.tryPromise(() => open(url)) }),
    ...(paste && { paste: Effect.tryPromise(paste) }),
  });
  return runPromise(Effect.scoped(effect), signal);
};

const NEEDS_SIGN_IN = new Set(["NotSignedIn", "InvalidGrant", "ConsentExpired"]);

/**
 * Signs the user in if the session has no working tokens. Rejects with the errors of
 * `signInDesktop`, and with failures of the session that a sign-in does not fix.
 */
export const signedIn = async (
  oauth: Pick<OAuth, "client">,
  session: PromiseSession,
  options: DesktopSignInOptions,
): Promise<void> => {
  try {
    await session.accessToken(options.signal && { signal: options.signal });
  } catch (error) {
    if (!NEEDS_SIGN_IN.has((error as { readonly _tag?: string })._tag ?? "")) throw error;
    await session.signIn(await signInDesktop(oauth, options));
  }
};

/** A receiver that listens, for flows of your own. */
export interface PromiseReceiver extends Awaited<ReturnType<typeof openReceiver>> {}

/** Starts a loopback receiver. `signInDesktop` has one built in. */
export const openReceiver = async (options?: LoopbackReceiver.ReceiverOptions) => {
  const scope = Scope.makeUnsafe();
  const { receive, redirectUri } = await runPromise(
    Effect.provideService(LoopbackReceiver.make(options), Scope.Scope, scope),
  );
  return {
    /** The redirect URI for `oauth.start`. */
    redirectUri,
    /**
     * Resolves to the result of the first callback that `process` does not reject with
     * `StateMismatch`. The browser waits for `process`, so exchange the code in it.
     */
    receive: <A>(process: (url: string) => Promise<A>, call?: CallSignal) =>
      runPromise(
        receive((url) => Effect.tryPromise({ try: () => process(url), catch: (error) => error })),
        call?.signal,
      ),
    /** Stops listening after the browser has loaded the page of the outcome. */
    close: () => runPromise(Scope.close(scope, Exit.void)),
  };
};

/** Resolves to the root key of a program in the system's keychain, made on first use. */
export const keychainKey = (service: string, options?: KeychainKeyOptions): Promise<Uint8Array> =>
  runPromise(keychainKeyEffect(service, options));

/** Opens an http(s) page in the user's browser. */
export const openBrowser = (url: string): Promise<void> => runPromise(openBrowserEffect(url));

/** The server that `drainOnSignals` finishes first, and its last step. */
export interface DrainOptions {
  /** The HTTP server. Its open responses are finished first, for 10 seconds at most. */
  readonly server?: {
    readonly close: (done: () => void) => unknown;
    /** Servers of HTTP/2 do not have it. */
    readonly closeIdleConnections?: () => void;
  };
  /** Called at the end. Default: ends the process. */
  readonly exit?: () => void;
}

/**
 * On SIGTERM and SIGINT, lets `server` accept no more connections and finish its responses, closes
 * `pool` (a sign-in, a session), then ends the process. Returns a function that removes the handlers.
 */
export const drainOnSignals = (
  pool: { readonly close: () => Promise<void> },
  { exit = () => process.exit(0), server }: DrainOptions = {},
): (() => void) => {
  const drain = () => {
    const finished = server ? runPromise(finishResponses(server)) : Promise.resolve();
    void finished.then(() => pool.close()).then(exit, exit);
  };
  process.once("SIGTERM", drain).once("SIGINT", drain);
  return () => void process.off("SIGTERM", drain).off("SIGINT", drain);
};

const finishResponses = (server: NonNullable<DrainOptions["server"]>) => {
  const closed = Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)));
  // Browsers keep a connection open after its response.
  const closeIdle = Effect.sync(() => server.closeIdleConnections?.());
  const closing = Effect.raceFirst(closed, Effect.repeat(closeIdle, Schedule.spaced("50 millis")));
  return Effect.timeoutOption(closing, "10 seconds");
};
