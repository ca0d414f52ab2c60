/**
 * The authorization code grant with PKCE, in three steps: `start` → `validateCallback` →
 * `exchange`.
 *
 * The types keep the order: only `validateCallback` makes what `exchange` takes. `authorizationUrl`
 * is exported for people who keep their own flow. In a desktop program, `./node`'s `signIn` runs
 * all three steps around a loopback receiver.
 *
 * @example
 * ```ts
 * import { OAuthClient, PkceFlow } from "@game-data/oauth-pkce";
 * import { Effect } from "effect";
 *
 * const signIn = (client: OAuthClient.OAuthClient, askUser: (url: string) => Promise<string>) =>
 *   Effect.gen(function* () {
 *     const { url, pending } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
 *     const callback = yield* Effect.promise(() => askUser(url));
 *     const validated = yield* PkceFlow.validateCallback(client, pending, callback);
 *     return yield* PkceFlow.exchange(client, validated);
 *   });
 * if (typeof signIn !== "function") throw new Error("no program");
 * ```
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { isServiceScope, type Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import {
  AccessDenied,
  AuthorizationFailed,
  CallbackMalformed,
  CodeExpired,
  type ConfigurationInvalid,
  IssuerMismatch,
  StateMismatch,
  type CallbackError,
  type RequestError,
} from "./Errors.ts";
import {
  UsedStates,
  PENDING_LIFETIME_MILLIS,
  type PendingAuthorization,
} from "./PendingAuthorization.ts";
import { AUTHORIZE } from "./internal/endpoints.ts";
import { configurationError } from "./internal/options.ts";
import { errorFromBody } from "./internal/parseResponse.ts";
import { isToken, requestTokens } from "./internal/tokenRequest.ts";
import { checkRedirectUri, type OAuthClient } from "./OAuthClient.ts";
import * as Pkce from "./Pkce.ts";
import type { TokenSet } from "./TokenSet.ts";

/** A scope that a user can grant: `service:*` is for client credentials only (§5). */
export type UserScope = Exclude<Scope, `service:${string}`>;

/** The request to the user. */
export interface StartOptions {
  readonly scopes: ReadonlyArray<UserScope>;
  /** Overrides the client's redirect URI, for a loopback receiver's port. */
  readonly redirectUri?: string;
}

/** A started flow: send the user to `url`, keep `flow` until the callback comes. */
export interface Started {
  readonly url: string;
  readonly pending: PendingAuthorization;
}

declare const Validated: unique symbol;

/** A callback that passed every check. It can be exchanged once. */
export interface ValidatedCallback {
  readonly [Validated]: true;
  readonly code: Redacted.Redacted;
  readonly pending: PendingAuthorization;
  readonly validatedAt: number;
}

/** Callbacks that may be exchanged, once each. Copies are refused, because they are not listed. */
const unused = /*#__PURE__*/ new WeakSet<ValidatedCallback>();

/** The callback as it arrived: a URL, a query string, or parsed parameters. */
export type CallbackInput = string | URL | URLSearchParams;

/** Makes a fresh verifier and state, and the address of the consent page. */
export const start = /*#__PURE__*/ Effect.fn("PkceFlow.start")(function* (
  client: OAuthClient,
  { scopes, redirectUri: override }: StartOptions,
): Effect.fn.Return<Started, ConfigurationInvalid> {
  const redirectUri = yield* checkRedirectUri(client.kind, override ?? client.redirectUri);
  if (!Array.isArray(scopes) || !scopes.length || scopes.some(isServiceScope))
    return yield* configurationError("scopes", "must be one or more that a user can grant");
  const verifier = yield* Pkce.makeVerifier;
  const challenge = yield* Pkce.codeChallenge(verifier);
  const pending: PendingAuthorization = {
    id: challenge,
    state: yield* Pkce.makeState,
    verifier,
    authUrl: client.authUrl,
    clientId: client.clientId,
    redirectUri,
    scopes,
    createdAt: yield* Clock.currentTimeMillis,
  };
  return { url: authorizationUrl(client, { ...pending, challenge }), pending };
});

/** Query of `GET /oauth/authorize`; all seven members are required (§4.1). */
interface AuthorizeQuery {
  readonly client_id: string;
  readonly response_type: "code";
  readonly scope: string;
  readonly state: string;
  readonly redirect_uri: string;
  /** base64url without padding of the SHA-256 of the verifier: 43 characters (RFC 7636 §4.2). */
  readonly code_challenge: string;
  readonly code_challenge_method: "S256";
}

/** The address of the consent page, with all seven parameters that §4.1 requires. */
export const authorizationUrl = (
  client: OAuthClient,
  request: Pick<PendingAuthorization, "state" | "redirectUri" | "scopes"> & {
    readonly challenge: string;
  },
): string => {
  const query: AuthorizeQuery = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scopes.join(" "),
    state: Redacted.value(request.state),
    code_challenge: request.challenge,
    code_challenge_method: "S256",
  };
  return `${client.authUrl}${AUTHORIZE}?${new URLSearchParams({ ...query })}`;
};

/**
 * Checks a callback against its flow: state first, then duplicates, issuer, `error`, `code`.
 *
 * `StateMismatch` leaves the flow open: the callback belongs to another one. Every other outcome
 * ends the flow.
 */
export const validateCallback = /*#__PURE__*/ Effect.fn("PkceFlow.validateCallback")(function* (
  client: OAuthClient,
  pending: PendingAuthorization,
  callback: CallbackInput,
): Effect.fn.Return<ValidatedCallback, CallbackError> {
  const params = paramsOf(callback);
  const now = yield* Clock.currentTimeMillis;
  const deadline = pending.createdAt + PENDING_LIFETIME_MILLIS;
  // Joined, two states are none: a comma is in no state.
  const state = params.getAll("state").join();
  if (
    !isOurs(client, pending) ||
    !timingSafeEqual(state, Redacted.value(pending.state)) ||
    now >= deadline ||
    (yield* (yield* UsedStates).claim(pending.id, deadline, now)) !== true
  )
    return yield* new StateMismatch();
  for (const name of ["code", "error", "iss", "error_description"])
    if (params.getAll(name).length > 1)
      return yield* new CallbackMalformed({ reason: `${name} twice` });
  // RFC 6749 §3.1: a parameter without a value counts as omitted.
  const iss = params.get("iss");
  if (iss ? client.issuer && client.issuer !== iss : client.requireIssuer)
    return yield* new IssuerMismatch();
  const secrets = [Redacted.value(pending.state), Redacted.value(pending.verifier)];
  const { error, ...said } = errorFromBody(
    params.get("error"),
    params.get("error_description"),
    secrets,
  );
  if (error)
    return yield* error === "access_denied"
      ? new AccessDenied(said)
      : new AuthorizationFailed({ error, ...said });
  const code = params.get("code");
  if (!isToken(code)) return yield* new CallbackMalformed({ reason: "no readable code" });
  const valid = { code: Redacted.make(code), pending, validatedAt: now } as ValidatedCallback;
  unused.add(valid);
  return valid;
});

/**
 * Sends the code to the server the flow was started with, once, within 30 seconds of the callback.
 *
 * Nothing is retried: after `OAuthTransportError` with `sent: true` the code may be used up, so
 * start a new flow.
 */
export const exchange = /*#__PURE__*/ Effect.fn("PkceFlow.exchange")(function* (
  client: OAuthClient,
  callback: ValidatedCallback,
): Effect.fn.Return<TokenSet, RequestError | CodeExpired> {
  const { pending, code, validatedAt } = callback;
  const now = yield* Clock.currentTimeMillis;
  const isLate = now - validatedAt > 1000 * Lifetimes.authorizationCode;
  if (isLate || !isOurs(client, pending) || !unused.delete(callback))
    return yield* new CodeExpired();
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: pending.redirectUri,
    scope: pending.scopes.join(" "),
    code_verifier: pending.verifier,
  };
  const tokens = yield* requestTokens(client, form, { scopes: pending.scopes }).pipe(
    Effect.tapError((error) => {
      // Certainly nothing was sent: the exchange may be tried again.
      if (error._tag === "OAuthTransportError" && !error.sent) unused.add(callback);
      return Effect.void;
    }),
  );
  if (!tokens.refreshToken) return tokens;
  const consentExpiresAt = tokens.issuedAt + Duration.toMillis(client.consentLifetime);
  return { ...tokens, consentExpiresAt };
});

const isOurs = ({ authUrl, clientId }: OAuthClient, pending: PendingAuthorization): boolean =>
  pending.authUrl === authUrl && pending.clientId === clientId;

// Nothing is read from the fragment: tokens of the implicit grant live there, and we never asked
// for one.
const paramsOf = (callback: CallbackInput): URLSearchParams =>
  callback instanceof URLSearchParams
    ? callback
    : new URLSearchParams(String(callback).replace(/^[^?#]*\?|#.*/gs, ""));

/** Whether two strings are equal, in time that depends on their lengths only. */
const timingSafeEqual = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length;
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return !difference;
};
