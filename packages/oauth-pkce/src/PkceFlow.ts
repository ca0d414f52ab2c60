/**
 * The authorization code grant with PKCE (RFC 7636) in three steps: `start`, `validateCallback`,
 * `exchange`.
 *
 * The types keep the order, because only `validateCallback` returns the argument of `exchange`. A
 * desktop program uses `signIn` of `./node`, which runs the three steps around a loopback receiver.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { isServiceScope, type Scope } from "@game-data/contract/Scope";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Schema from "effect/Schema";
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
import { hash, randomText } from "./internal/crypto.ts";
import { describeError } from "./internal/endpoint.ts";
import { configurationError } from "./internal/options.ts";
import { checkRedirectUri, type OAuthClient } from "./OAuthClient.ts";
import { exchangeCode, isToken } from "./TokenRequest.ts";
import type { TokenSet } from "./TokenSet.ts";

/** A scope that a user can grant. `service:*` is for client credentials only (§5). */
export type UserScope = Exclude<Scope, `service:${string}`>;

/** Options of `start`: the scopes of the consent page, and the redirect URI of a receiver. */
export interface StartOptions {
  readonly scopes: ReadonlyArray<UserScope>;
  /** Replaces the client's redirect URI, to add the port of a loopback receiver. */
  readonly redirectUri?: string;
}

/** A started flow. Send the user to `url`, and keep `pending` until the callback arrives. */
export interface Started {
  readonly url: string;
  readonly pending: PendingAuthorization;
}

/** Milliseconds that a user has on the consent page. */
export const PENDING_LIFETIME_MILLIS = 600_000;

const Secret = Schema.RedactedFromValue(Schema.String);

/** Flow that waits for its callback. `serialize` stores it until then. */
export const PendingAuthorization = Schema.Struct({
  /** Names the flow without revealing its state. */
  id: Schema.String,
  state: Secret,
  verifier: Secret,
  /** The code is exchanged with this server and client only (RFC 9700 §4.4). */
  authUrl: Schema.String,
  clientId: Schema.String,
  /** Sent again with the code, byte for byte. */
  redirectUri: Schema.String,
  scopes: Schema.Array(Schema.String),
  /** Milliseconds since 1970. */
  createdAt: Schema.Finite,
});
export interface PendingAuthorization extends Schema.Schema.Type<typeof PendingAuthorization> {}

const Json = Schema.fromJsonString(PendingAuthorization);
const encodeJson = Schema.encodeSync(Json);
const decodeJson = Schema.decodeUnknownOption(Json);

/**
 * Writes a flow as text. It holds the verifier, so keep it in the user's own session or in a sealed
 * cookie, and nowhere else.
 */
export const serialize = (pending: PendingAuthorization): Redacted.Redacted =>
  Redacted.make(encodeJson(pending), { label: "flow" });

/** Reads the text of `serialize`. Returns `undefined` for any other text. */
export const deserialize = (text: Redacted.Redacted | string): PendingAuthorization | undefined =>
  Option.getOrUndefined(decodeJson(Redacted.isRedacted(text) ? Redacted.value(text) : text));

const randomSecret = Effect.map(randomText, (text) => Redacted.make(text));

/** Makes a `code_verifier`: 43 unreserved characters with 256 random bits. */
export const makeVerifier: Effect.Effect<Redacted.Redacted> = randomSecret;

/** Makes a `state` with 256 random bits. */
export const makeState: Effect.Effect<Redacted.Redacted> = randomSecret;

/** Returns the `S256` challenge of a verifier (RFC 7636 §4.2), never `plain` (RFC 9700 §2.1.1). */
export const codeChallenge = (verifier: Redacted.Redacted): Effect.Effect<string> =>
  hash(Redacted.value(verifier));

/** Starts a flow. It is not traced, because the result contains secrets. */
export const start = Effect.fnUntraced(function* (
  client: OAuthClient,
  { scopes, redirectUri: override }: StartOptions,
): Effect.fn.Return<Started, ConfigurationInvalid> {
  const redirectUri = yield* checkRedirectUri(client.kind, override ?? client.redirectUri);
  if (!Array.isArray(scopes) || !scopes.length || scopes.some(isServiceScope))
    return yield* configurationError("scopes", "must be one or more that a user can grant");
  const verifier = yield* makeVerifier;
  const challenge = yield* codeChallenge(verifier);
  const pending: PendingAuthorization = {
    id: challenge,
    state: yield* makeState,
    verifier,
    authUrl: client.authUrl,
    clientId: client.clientId,
    redirectUri,
    scopes,
    createdAt: yield* Clock.currentTimeMillis,
  };
  return { url: authorizationUrl(client, { ...pending, challenge }), pending };
});

/** Returns the address of the consent page with the seven parameters that §4.1 requires. */
export const authorizationUrl = (
  client: OAuthClient,
  request: Pick<PendingAuthorization, "state" | "redirectUri" | "scopes"> & {
    readonly challenge: string;
  },
): string => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scopes.join(" "),
    state: Redacted.value(request.state),
    code_challenge: request.challenge,
    code_challenge_method: "S256",
  });
  return `${client.authUrl}/oauth/authorize?${query}`;
};

declare const Validated: unique symbol;

/** Callback that passed every check. Its code can be exchanged once. */
export interface ValidatedCallback {
  readonly [Validated]: true;
  readonly code: Redacted.Redacted;
  readonly pending: PendingAuthorization;
  readonly validatedAt: number;
}

/** A callback as it arrived: a URL, a query string, or parsed parameters. */
export type CallbackInput = string | URL | URLSearchParams;

/**
 * Checks a callback against its flow: the state first, then duplicates, issuer, `error`, `code`.
 *
 * `StateMismatch` leaves the flow open, because the callback belongs to another flow. Every other
 * result closes the flow in this process, also for a copy of it.
 */
export const validateCallback = Effect.fn("PkceFlow.validateCallback")(function* (
  client: OAuthClient,
  pending: PendingAuthorization,
  callback: CallbackInput,
): Effect.fn.Return<ValidatedCallback, CallbackError> {
  const result = yield* Effect.result(checkCallback(client, pending, callback));
  const hasOurState = result._tag === "Success" || result.failure._tag !== "StateMismatch";
  if (hasOurState && !closeFlow(pending, yield* Clock.currentTimeMillis))
    return yield* new StateMismatch();
  return yield* Effect.fromResult(result);
});

/** Expiry of each flow whose callback this process has checked, by the flow's id. */
const closedFlows = new Map<string, number>();

/** Closes a flow. Returns whether it was open. */
const closeFlow = ({ createdAt, id }: PendingAuthorization, now: number): boolean => {
  for (const [old, end] of closedFlows) {
    if (end > now) break;
    closedFlows.delete(old);
  }
  if (closedFlows.has(id)) return false;
  closedFlows.set(id, createdAt + PENDING_LIFETIME_MILLIS);
  return true;
};

/** Checks a callback without closing its flow, for callers that themselves send each code once. */
export const checkCallback = Effect.fnUntraced(function* (
  client: OAuthClient,
  pending: PendingAuthorization,
  callback: CallbackInput,
): Effect.fn.Return<ValidatedCallback, CallbackError> {
  const params = callbackParams(callback);
  const now = yield* Clock.currentTimeMillis;
  // A repeated `state` never matches, because a state contains no comma.
  const hasOurState = timingSafeEqual(params.getAll("state").join(), Redacted.value(pending.state));
  const isOpen = now < pending.createdAt + PENDING_LIFETIME_MILLIS;
  if (!hasOurState || !isOpen || !belongsTo(client, pending)) return yield* new StateMismatch();
  for (const name of ["code", "error", "iss", "error_description"])
    if (params.getAll(name).length > 1)
      return yield* new CallbackMalformed({ reason: `${name} twice` });
  if (client.issuer && params.get("iss") !== client.issuer) return yield* new IssuerMismatch();
  const secrets = [Redacted.value(pending.state), Redacted.value(pending.verifier)];
  const { error, ...described } = describeError(
    params.get("error"),
    params.get("error_description"),
    secrets,
  );
  if (error === "access_denied") return yield* new AccessDenied(described);
  if (error) return yield* new AuthorizationFailed({ error, ...described });
  const code = params.get("code");
  if (!isToken(code)) return yield* new CallbackMalformed({ reason: "no readable code" });
  const valid = { code: Redacted.make(code), pending, validatedAt: now } as ValidatedCallback;
  exchangeable.add(valid);
  return valid;
});

/** Callbacks that may be exchanged, once each. A copy is not in the set. */
const exchangeable = new WeakSet<ValidatedCallback>();

/**
 * Sends the code, once, to the server with which the flow was started, within 30 seconds of the
 * callback.
 *
 * Nothing is retried. After an `OAuthTransportError` with `sent: true` the code may be used up, so
 * start a new flow.
 */
export const exchange = Effect.fn("PkceFlow.exchange")(function* (
  client: OAuthClient,
  callback: ValidatedCallback,
): Effect.fn.Return<TokenSet, RequestError | CodeExpired> {
  const { pending, code, validatedAt } = callback;
  const now = yield* Clock.currentTimeMillis;
  const isLate = now - validatedAt > 1000 * Lifetimes.authorizationCode;
  if (isLate || !belongsTo(client, pending) || !exchangeable.delete(callback))
    return yield* new CodeExpired();
  const form = {
    code,
    redirect_uri: pending.redirectUri,
    scope: pending.scopes.join(" "),
    code_verifier: pending.verifier,
  };
  return yield* Effect.tapErrorTag(
    exchangeCode(client, form, pending.scopes),
    "OAuthTransportError",
    // A code that did not leave this machine may be exchanged again.
    ({ sent }) => Effect.sync(() => void (sent || exchangeable.add(callback))),
  );
});

const belongsTo = ({ authUrl, clientId }: OAuthClient, pending: PendingAuthorization): boolean =>
  pending.authUrl === authUrl && pending.clientId === clientId;

/** Reads the query of a callback. The fragment would hold tokens of the implicit grant. */
const callbackParams = (callback: CallbackInput): URLSearchParams =>
  callback instanceof URLSearchParams
    ? callback
    : new URLSearchParams(String(callback).replace(/^[^?#]*\?|#.*/gs, ""));

/** Compares two texts in a time that depends on their lengths only. */
const timingSafeEqual = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length;
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return !difference;
};
