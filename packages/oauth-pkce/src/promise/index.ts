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
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import * as OAuthClient from "../OAuthClient.ts";
import * as PkceFlow from "../PkceFlow.ts";
import * as Session from "../Session.ts";
import { introspect, revoke, type CallOptions, type TokenStatus } from "../TokenCall.ts";
import { clientCredentials, refresh } from "../TokenRequest.ts";
import * as TokenSets from "../TokenSet.ts";
import { memory, toBackend, type Backend } from "../TokenStore.ts";
import { makeRun, runPromise, type CallSignal } from "./run.ts";
import {
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
export type { LostAnswer, Status } from "../Session.ts";
export type { TokenStatus } from "../TokenCall.ts";
export type { MigratedToken } from "../TokenSet.ts";
export { sealed as sealedStore, type Backend, type Sealer } from "../TokenStore.ts";
export { authorizedFetch, type AuthorizedFetchOptions } from "./authorizedFetch.ts";
export { sessionPool, type PromiseSessionPool, type PromiseSessionPoolOptions } from "./Session.ts";
export type { CallSignal, PromiseSession, PromiseSessionOptions };

/** A set of tokens. Only `TokenSet.toJson` shows its secrets. */
export type TokenSet = TokenSets.TokenSet;

/** Functions of token sets. */
export const TokenSet: typeof TokenSets = TokenSets;

/** A secret as text or `Redacted`. */
export type Secret = Redacted.Redacted | string;

/** Makes a store in this process's memory. */
export const memoryStore = (): Backend => toBackend(memory());

/** Returns the text of a secret. */
export const reveal: (secret: Redacted.Redacted) => string = Redacted.value;

/** Options of `revoke` and `introspect`. */
export interface PromiseCallOptions extends Omit<CallOptions, "using">, CallSignal {
  /** The access token that authorises the call. It may be the token that the call is about. */
  readonly using?: Secret;
}

/** Functions of every client. */
export interface OAuth {
  /** The checked client. */
  readonly client: OAuthClient.OAuthClient;
  /** Resolves to the address of the consent page, and the flow to keep until the callback arrives. */
  readonly start: (options: PkceFlow.StartOptions) => Promise<PkceFlow.Started>;
  /** Checks a callback. The result can be exchanged once. */
  readonly validateCallback: (
    pending: PkceFlow.PendingAuthorization,
    callback: PkceFlow.CallbackInput,
  ) => Promise<PkceFlow.ValidatedCallback>;
  /** Exchanges the code, once. */
  readonly exchange: (callback: PkceFlow.ValidatedCallback, call?: CallSignal) => Promise<TokenSet>;
  /** Refreshes once. Prefer `session`. */
  readonly refresh: (tokens: TokenSet, call?: CallSignal) => Promise<TokenSet>;
  /** Revokes a token. */
  readonly revoke: (token: Secret, options?: PromiseCallOptions) => Promise<void>;
  /** Resolves to the state of a token. */
  readonly introspect: (token: Secret, options?: PromiseCallOptions) => Promise<TokenStatus>;
  /** A session of one user. */
  readonly session: (options?: PromiseSessionOptions) => PromiseSession;
}

/** Functions of a confidential client. */
export interface ConfidentialOAuth extends OAuth {
  /** Requests the application's own token. */
  readonly clientCredentials: (
    options: { readonly scopes: ReadonlyArray<Scope> } & CallSignal,
  ) => Promise<TokenSet>;
  /** A session of the application itself. */
  readonly applicationSession: (
    options: PromiseSessionOptions & { readonly scopes: ReadonlyArray<Scope> },
  ) => PromiseSession;
}

/** Makes the functions of a public client. Throws `ConfigurationInvalid`. */
export const createPublicOAuth = (options: OAuthClient.PublicClientOptions): OAuth =>
  makeOAuth(runSync(OAuthClient.publicClient(options)));

/** Makes the functions of a confidential client. Throws `ConfigurationInvalid`. */
export const createConfidentialOAuth = (
  options: OAuthClient.ConfidentialClientOptions,
): ConfidentialOAuth => {
  const client = runSync(OAuthClient.confidentialClient(options));
  return {
    ...makeOAuth(client),
    clientCredentials: ({ scopes, signal }) =>
      runPromise(clientCredentials(client, { scopes }), signal),
    applicationSession: ({ scopes, ...session }) => {
      const application = { ...toSessionOptions(session), scopes };
      return wrapSession(Session.forApplication(client, application), makeRun(session.log));
    },
  };
};

const runSync = <A, E>(effect: Effect.Effect<A, E>): A => {
  const exit = Effect.runSyncExit(effect);
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.squash(exit.cause);
};

const makeOAuth = (client: OAuthClient.OAuthClient): OAuth => ({
  client,
  start: (options) => runPromise(PkceFlow.start(client, options)),
  validateCallback: (pending, callback) =>
    runPromise(PkceFlow.validateCallback(client, pending, callback)),
  exchange: (callback, call) => runPromise(PkceFlow.exchange(client, callback), call?.signal),
  refresh: (tokens, call) => runPromise(refresh(client, tokens), call?.signal),
  revoke: (token, options) =>
    runPromise(revoke(client, toRedacted(token), toCallOptions(options)), options?.signal),
  introspect: (token, options) =>
    runPromise(introspect(client, toRedacted(token), toCallOptions(options)), options?.signal),
  session: (options = {}) =>
    wrapSession(Session.forUser(client, toSessionOptions(options)), makeRun(options.log)),
});

const toRedacted = (secret: Secret): Redacted.Redacted =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret);

const toCallOptions = ({ hint, using }: PromiseCallOptions = {}): CallOptions => ({
  ...(hint && { hint }),
  ...(using !== undefined && { using: toRedacted(using) }),
});
