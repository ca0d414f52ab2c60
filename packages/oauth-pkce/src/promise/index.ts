/**
 * The client without Effect: functions that return promises and reject with the errors of the
 * package.
 *
 * Tokens stay `Redacted` inside a `TokenSet`, so logging one shows no secret. `accessToken()` returns
 * the text that goes into a header, and `reveal` the text of any other secret.
 *
 * @packageDocumentation
 */
import type { Scope } from "@game-data/contract/Scope";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Schema from "effect/Schema";
import { requireType } from "../internal/options.ts";
import * as OAuthClient from "../OAuthClient.ts";
import * as PkceFlow from "../PkceFlow.ts";
import * as Session from "../Session.ts";
import { introspect, revoke, type CallOptions } from "../TokenCall.ts";
import { clientCredentials, refresh } from "../TokenRequest.ts";
import * as TokenSets from "../TokenSet.ts";
import { memory, toBackend, type Backend } from "../TokenStore.ts";
import { makeRun, runPromise, type CallSignal } from "./run.ts";
import {
  requireTokens,
  toSessionOptions,
  wrapSession,
  type PromiseSession,
  type PromiseSessionOptions,
} from "./Session.ts";

export * from "../Errors.ts";
export type {
  ClientOptions,
  ConfidentialClientOptions,
  PublicClientOptions,
} from "../OAuthClient.ts";
export { deserialize as deserializePending, serialize as serializePending } from "../PkceFlow.ts";
export { safeReturnTo } from "../safeReturnTo.ts";
export type { UnknownOutcome, Status } from "../Session.ts";
export type { TokenStatus } from "../TokenCall.ts";
export type { MigratedToken } from "../TokenSet.ts";
export { sealed as sealedStore, type Backend, type Sealer } from "../TokenStore.ts";
export { authorizedFetch, type AuthorizedFetchOptions } from "./authorizedFetch.ts";
export { sessionPool, type PromiseSessionPool, type PromiseSessionPoolOptions } from "./Session.ts";
export type { CallSignal, PromiseSession, PromiseSessionOptions };

/** A set of tokens. Only `TokenSet.toJson` shows its secrets. */
export type TokenSet = TokenSets.TokenSet;

export const TokenSet: typeof TokenSets = TokenSets;

/** A secret as an argument. Plain text is accepted, and results are `Redacted`. */
export type Secret = Redacted.Redacted | string;

/** Makes a store in the memory of this process. Its entries are lost when the process ends. */
export const memoryStore = (): Backend => toBackend(memory());

/** Returns the plain text. Do not log it. */
export const reveal: (secret: Redacted.Redacted) => string = Redacted.value;

export interface PromiseCallOptions extends Omit<CallOptions, "using">, CallSignal {
  readonly using?: Secret;
}

const requirePending = requireType(
  "pending",
  PkceFlow.PendingAuthorization,
  "the pending flow that start or deserializePending returned",
);

const requireCallback = requireType(
  "callback",
  Schema.Struct({ code: Schema.Redacted(Schema.String), pending: PkceFlow.PendingAuthorization }),
  "the awaited result of validateCallback",
);

/** Functions that public and confidential clients have. */
export interface OAuth extends ReturnType<typeof makeOAuth> {}

const makeOAuth = (client: OAuthClient.OAuthClient) => ({
  client,
  /** Resolves to the address of the consent page, and the flow to keep until the callback arrives. */
  start: (options: PkceFlow.StartOptions) => runPromise(PkceFlow.start(client, options)),
  /** Checks a callback. The result can be exchanged once. */
  validateCallback: (pending: PkceFlow.PendingAuthorization, callback: PkceFlow.CallbackInput) =>
    runPromise(
      Effect.andThen(requirePending(pending), PkceFlow.validateCallback(client, pending, callback)),
    ),
  exchange: (callback: PkceFlow.ValidatedCallback, call?: CallSignal) =>
    runPromise(
      Effect.andThen(requireCallback(callback), PkceFlow.exchange(client, callback)),
      call?.signal,
    ),
  /** Refreshes a set of tokens once. Prefer `session`, which refreshes when necessary. */
  refresh: (tokens: TokenSet, call?: CallSignal) =>
    runPromise(Effect.andThen(requireTokens(tokens), refresh(client, tokens)), call?.signal),
  revoke: (token: Secret, options?: PromiseCallOptions) =>
    runPromise(revoke(client, toRedacted(token), toCallOptions(options)), options?.signal),
  introspect: (token: Secret, options?: PromiseCallOptions) =>
    runPromise(introspect(client, toRedacted(token), toCallOptions(options)), options?.signal),
  /** Creates the session of the user whose tokens are in `store`. */
  session: (options: PromiseSessionOptions = {}): PromiseSession =>
    wrapSession(Session.forUser(client, toSessionOptions(options)), makeRun(options.log)),
});

const toRedacted = (secret: Secret): Redacted.Redacted =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret);

const toCallOptions = ({ hint, using }: PromiseCallOptions = {}): CallOptions => ({
  ...(hint && { hint }),
  ...(using !== undefined && { using: toRedacted(using) }),
});

/**
 * Makes the functions of a public client. Throws `ConfigurationInvalid`.
 *
 * @example
 * ```ts
 * import { createPublicOAuth } from "@game-data/oauth-pkce/promise";
 *
 * const oauth = createPublicOAuth({
 *   authUrl: "https://auth.example.com",
 *   clientId: "my-program",
 *   redirectUri: "http://127.0.0.1:8080/callback",
 * });
 * const { url } = await oauth.start({ scopes: ["account:profile"] });
 * console.log(new URL(url).searchParams.get("code_challenge_method")); // S256
 * ```
 */
export const createPublicOAuth = (options: OAuthClient.PublicClientOptions): OAuth =>
  makeOAuth(Effect.runSync(OAuthClient.publicClient(options)));

/** Functions of a confidential client: those of `OAuth`, and the application's own tokens. */
export interface ConfidentialOAuth extends ReturnType<typeof makeConfidentialOAuth> {}

const makeConfidentialOAuth = (client: OAuthClient.ConfidentialClient) => ({
  ...makeOAuth(client),
  /** Requests the application's own token. */
  clientCredentials: ({ scopes, signal }: { readonly scopes: ReadonlyArray<Scope> } & CallSignal) =>
    runPromise(clientCredentials(client, { scopes }), signal),
  /** Makes the session of the application itself. */
  applicationSession: ({
    scopes,
    ...options
  }: PromiseSessionOptions & { readonly scopes: ReadonlyArray<Scope> }): PromiseSession => {
    const session = Session.forApplication(client, { ...toSessionOptions(options), scopes });
    return wrapSession(session, makeRun(options.log));
  },
});

/**
 * Makes the functions of a confidential client. Throws `ConfigurationInvalid`.
 *
 * @example
 * ```ts no-run
 * import { createConfidentialOAuth } from "@game-data/oauth-pkce/promise";
 *
 * const oauth = createConfidentialOAuth({
 *   authUrl: "https://auth.example.com",
 *   clientId: "my-service",
 *   clientSecret: process.env["CLIENT_SECRET"] ?? "",
 *   redirectUri: "https://app.example.com/callback",
 * });
 * const session = oauth.applicationSession({ scopes: ["service:psapi"] });
 * ```
 */
export const createConfidentialOAuth = (
  options: OAuthClient.ConfidentialClientOptions,
): ConfidentialOAuth =>
  makeConfidentialOAuth(Effect.runSync(OAuthClient.confidentialClient(options)));
