/**
 * The same client without Effect: functions that return promises and reject with the errors of the
 * package.
 *
 * Tokens stay `Redacted` inside a `TokenSet`, so that logging one shows nothing; `accessToken()`
 * gives the text that goes into a header, `reveal` that of any other secret.
 *
 * @example
 * ```ts
 * import { createPublicOAuth } from "@game-data/oauth-pkce/promise";
 *
 * const oauth = createPublicOAuth({
 *   authUrl: "https://auth.example",
 *   clientId: "price-tool",
 *   redirectUri: "http://127.0.0.1/callback",
 * });
 * const { url } = await oauth.start({ scopes: ["account:profile"] });
 * if (new URL(url).searchParams.get("code_challenge_method") !== "S256") throw new Error(url);
 * ```
 *
 * @packageDocumentation
 */
import type { Scope } from "@game-data/contract";
import * as Cause from "effect/Cause";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { identity } from "effect/Function";
import * as Redacted from "effect/Redacted";
import * as ClientCredentials from "../ClientCredentials.ts";
import { introspect, type TokenStatus } from "../Introspection.ts";
import * as OAuthClient from "../OAuthClient.ts";
import { UsedStates } from "../PendingAuthorization.ts";
import * as PkceFlow from "../PkceFlow.ts";
import * as RefreshGrant from "../RefreshGrant.ts";
import { revoke, type CallOptions } from "../Revocation.ts";
import * as Session from "../Session.ts";
import * as tokenSets from "../TokenSet.ts";
import { memory, toBackend, type Backend } from "../TokenStore.ts";
import { boundedCall } from "../internal/boundedStore.ts";
import { attempt } from "../internal/storeFailure.ts";
import {
  toSessionOptions,
  wrap,
  type PromiseSession,
  type PromiseSessionOptions,
} from "./Session.ts";
import { runPromise, type CallSignal } from "./runPromise.ts";

export * from "../Errors.ts";
export {
  deserialize as deserializePending,
  serialize as serializePending,
} from "../PendingAuthorization.ts";
export type {
  ClientOptions,
  ConfidentialClientOptions,
  PublicClientOptions,
} from "../OAuthClient.ts";
export { safeReturnTo } from "../safeReturnTo.ts";
export { sealed as sealedStore, type Sealer } from "../Sealer.ts";
export type { LostAnswer, Status } from "../Session.ts";
export { authorizedFetch, type AuthorizedFetchOptions } from "./authorizedFetch.ts";
export type { MigratedToken } from "../TokenSet.ts";
export type { Backend } from "../TokenStore.ts";
export { sessionPool, type PromiseSessionPool, type PromiseSessionPoolOptions } from "./Session.ts";

export type { CallSignal, PromiseSession, PromiseSessionOptions };

/** A set of tokens. `toJson` and `fromJson` are the only ways to text that shows the secrets. */
export type TokenSet = tokenSets.TokenSet;

/** Functions of token sets. */
export const TokenSet: typeof tokenSets = tokenSets;

/** A secret, as a text or `Redacted`. */
export type Secret = Redacted.Redacted | string;

const toRedacted = (secret: Secret): Redacted.Redacted =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret);

/** Makes a store in this process's memory. */
export const memoryStore = (): Backend => toBackend(memory());

/** The text of a secret. Put it where it belongs and nowhere else. */
export const reveal: (secret: Redacted.Redacted) => string = Redacted.value;

/** Options of revoke and introspect. */
export interface PromiseCallOptions extends Omit<CallOptions, "using">, CallSignal {
  /** The access token that authorises the call; it may be the very token that the call is about. */
  readonly using?: Secret;
}

const toCallOptions = ({ hint, using }: PromiseCallOptions = {}): CallOptions => ({
  ...(hint && { hint }),
  ...(using !== undefined && { using: toRedacted(using) }),
});

/** Functions of every client. */
export interface OAuth {
  /** The checked client behind the functions. */
  readonly client: OAuthClient.OAuthClient;
  /** The address of the consent page, and the flow to keep until the callback comes. */
  readonly start: (options: PkceFlow.StartOptions) => Promise<PkceFlow.Started>;
  /** Checks a callback; what it gives is good for one `exchange`. */
  readonly validateCallback: (
    pending: PkceFlow.Started["pending"],
    callback: PkceFlow.CallbackInput,
  ) => Promise<PkceFlow.ValidatedCallback>;
  /** Exchanges the code, once. */
  readonly exchange: (callback: PkceFlow.ValidatedCallback, call?: CallSignal) => Promise<TokenSet>;
  /** Refreshes once; prefer `session`. */
  readonly refresh: (tokens: TokenSet, call?: CallSignal) => Promise<TokenSet>;
  /** Revokes a token. */
  readonly revoke: (token: Secret, options?: PromiseCallOptions) => Promise<void>;
  /** Asks what a token is worth. */
  readonly introspect: (token: Secret, options?: PromiseCallOptions) => Promise<TokenStatus>;
  /** A session of one user. */
  readonly session: (options?: PromiseSessionOptions) => PromiseSession;
}

/** Functions of a confidential client. */
export interface ConfidentialOAuth extends OAuth {
  /** The application's own token. */
  readonly clientCredentials: (
    options: { readonly scopes: ReadonlyArray<Scope> } & CallSignal,
  ) => Promise<TokenSet>;
  /** A session of the application itself. */
  readonly applicationSession: (
    options: PromiseSessionOptions & { readonly scopes: ReadonlyArray<Scope> },
  ) => PromiseSession;
}

/** What the functions of a client need beside it. */
export interface OAuthSetting {
  /**
   * Remembers which flows have been answered, for several processes that answer callbacks of the
   * same flows: true for the first caller with this `id` until `expiresAt` (milliseconds since
   * 1970). Default: this process's memory.
   */
  readonly usedStates?: {
    readonly claim: (id: string, expiresAt: number, now: number) => Promise<boolean>;
  };
}

/** The functions of a public client. Throws `ConfigurationInvalid`. */
export const createPublicOAuth = (options: OAuthClient.PublicClientOptions & OAuthSetting): OAuth =>
  functionsOf(construct(OAuthClient.publicClient(options)), options);

/** The functions of a confidential client. Throws `ConfigurationInvalid`. */
export const createConfidentialOAuth = (
  options: OAuthClient.ConfidentialClientOptions & OAuthSetting,
): ConfidentialOAuth => {
  const client = construct(OAuthClient.confidentialClient(options));
  return {
    ...functionsOf(client, options),
    clientCredentials: ({ signal, ...wanted }) =>
      runPromise(ClientCredentials.request(client, wanted), signal),
    applicationSession: ({ scopes, ...session }) =>
      wrap(Session.forApplication(client, { ...toSessionOptions(session), scopes })),
  };
};

const construct = <A, E>(effect: Effect.Effect<A, E>): A => {
  const exit = Effect.runSyncExit(effect);
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.squash(exit.cause);
};

const functionsOf = (client: OAuthClient.OAuthClient, { usedStates }: OAuthSetting): OAuth => ({
  client,
  start: (options) => runPromise(PkceFlow.start(client, options)),
  validateCallback: (pending, callback) =>
    runPromise(
      PkceFlow.validateCallback(client, pending, callback).pipe(
        usedStates === undefined
          ? identity
          : Effect.provideService(UsedStates, {
              claim: (...all) =>
                attempt("write", () =>
                  boundedCall("write", Duration.toMillis(client.timeout), async () =>
                    usedStates.claim(...all),
                  ),
                ),
            }),
      ),
    ),
  exchange: (callback, call) => runPromise(PkceFlow.exchange(client, callback), call?.signal),
  refresh: (tokens, call) => runPromise(RefreshGrant.request(client, tokens), call?.signal),
  revoke: (token, options) =>
    runPromise(revoke(client, toRedacted(token), toCallOptions(options)), options?.signal),
  introspect: (token, options) =>
    runPromise(introspect(client, toRedacted(token), toCallOptions(options)), options?.signal),
  session: (options = {}) => wrap(Session.forUser(client, toSessionOptions(options))),
});
