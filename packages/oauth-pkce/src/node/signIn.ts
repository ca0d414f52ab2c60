/**
 * Signing a user in from a desktop or terminal program: receiver, consent page, callback, exchange,
 * in one call.
 *
 * The address is always shown, because opening a browser may fail or open the wrong one; and where
 * the browser can't reach this machine (a remote shell), the user can paste the address that the
 * browser ended up at.
 */
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import type {
  CallbackError,
  CodeExpired,
  ConfigurationInvalid,
  LoopbackListenFailed,
  RequestError,
} from "../Errors.ts";
import type { PublicClient } from "../OAuthClient.ts";
import * as PkceFlow from "../PkceFlow.ts";
import type { TokenSet } from "../TokenSet.ts";
import * as LoopbackReceiver from "./LoopbackReceiver.ts";
import { openBrowser } from "./openBrowser.ts";

/** Options of `signIn`. */
export interface SignInOptions extends Pick<LoopbackReceiver.ReceiverOptions, "timeout" | "page"> {
  readonly scopes: ReadonlyArray<PkceFlow.UserScope>;
  /** Shows the address to the user. Default: a line on stderr. */
  readonly show?: (url: string) => Effect.Effect<void>;
  /**
   * Opens the address. Default: the system's browser; `() => Effect.void` for none. The flow does
   * not wait for it, and ignores its failure: the address has been shown.
   */
  readonly open?: (url: string) => Effect.Effect<void, unknown>;
  /**
   * Yields the redirect's address as the user pastes it; asked again after one that isn't ours.
   * After a failure, or an empty text, the browser alone is waited for.
   */
  readonly paste?: Effect.Effect<string, unknown>;
}

/** Runs the whole flow and gives the tokens; hand them to `Session.signIn`. */
export const signIn = Effect.fn("signIn")(function* (
  client: PublicClient,
  options: SignInOptions,
): Effect.fn.Return<
  TokenSet,
  CallbackError | RequestError | CodeExpired | ConfigurationInvalid | LoopbackListenFailed,
  Scope.Scope
> {
  const { scopes, show = showOnStderr, open = openBrowser, paste } = options;
  const registered = new URL(client.redirectUri);
  const receiver = yield* LoopbackReceiver.make({
    ...options,
    host: registered.hostname === "[::1]" ? "::1" : "127.0.0.1",
    path: registered.pathname,
    ...(registered.port !== "" && { port: Number(registered.port) }),
  });
  // Servers let the port vary and compare everything else as text: the host's family and the query
  // stay as registered.
  const redirectUri = receiver.redirectUri + registered.search;
  const { url, pending } = yield* PkceFlow.start(client, { scopes, redirectUri });
  const validate = (callback: string) => PkceFlow.validateCallback(client, pending, callback);
  yield* show(url);
  yield* Effect.suspend(() => open(url)).pipe(Effect.ignoreCause, Effect.forkScoped);
  const exchange = (callback: PkceFlow.ValidatedCallback) => PkceFlow.exchange(client, callback);
  // The browser gets its response after the exchange, so its page says what is true.
  const received = receiver.receive((callback) => Effect.flatMap(validate(callback), exchange));
  if (paste === undefined) return yield* received;
  const pasted = Effect.suspend(() => paste).pipe(
    Effect.catchCause(() => Effect.never),
    Effect.flatMap((text) => (text === "" ? Effect.never : validate(text))),
    Effect.retry({ while: isStateMismatch, schedule: Schedule.spaced(ASK_AGAIN_AFTER) }),
    Effect.flatMap(exchange),
  );
  return yield* Effect.raceFirst(received, pasted);
}, Effect.scoped);

/** So that a `paste` which gives the same text at once is no busy loop. */
const ASK_AGAIN_AFTER = "250 millis";

const isStateMismatch = (error: CallbackError) => error._tag === "StateMismatch";

const showOnStderr = (url: string) =>
  Effect.sync(() => {
    process.stderr.write(`To sign in, open this page in your browser:\n\n  ${url}\n\n`);
  });
