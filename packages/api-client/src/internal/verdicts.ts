/**
 * The small decisions of a call: which error a failure is, which one may be tried again, which
 * scopes are missing.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import type { HttpClientError } from "effect/http/HttpClientError";
import type { AccessToken, CredentialsSource } from "../Credentials.ts";
import { Forbidden, InvalidRequest, RateLimited, Transport, Unauthorized } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { RequestNotSent } from "@game-data/rate-limit/effect";
import type { CircuitBreaker } from "./CircuitBreaker.ts";
import type { PreparedCall } from "./Call.ts";
import { describeFailure } from "./readBody.ts";

export const untilAborted = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  signal: AbortSignal,
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const abort = () => resume(Effect.interrupt);
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      return Effect.sync(() => signal.removeEventListener("abort", abort));
    }),
  );

export const millis = (given: Duration.Input | undefined, fallback: number): number =>
  given === undefined ? fallback : Duration.toMillis(given);

export const connectFailure = (about: CallInfo, error: HttpClientError): GameApiError =>
  error.reason._tag === "InvalidUrlError" || error.reason._tag === "EncodeError"
    ? new InvalidRequest({ ...about, detail: describeFailure(error) })
    : new Transport({ ...about, phase: "connect", detail: describeFailure(error) });

export const fromNotSent = (
  about: CallInfo,
  call: PreparedCall,
  { kind, policy, retryAfter }: RequestNotSent,
  now: number,
): GameApiError => {
  const known = { ...about, ...(policy !== undefined && { policy }) };
  const retryAt = now + Duration.toMillis(retryAfter);
  return kind === "firewall"
    ? new Forbidden({
        ...known,
        reason: "edge",
        scopesNeeded: call.info.scopes,
        scopesMissing: [],
        retryAt,
      })
    : new RateLimited({
        ...known,
        reason: kind === "too-many-errors" ? "invalid-requests" : kind,
        retryAt,
      });
};

export const tokenOf = (
  token: CredentialsSource["current"],
  about: () => CallInfo,
): Effect.Effect<AccessToken, Unauthorized | Transport> =>
  Effect.filterOrFail(
    Effect.mapError(token, ({ kind, detail }) =>
      kind === "sign-in"
        ? new Unauthorized({ ...about(), reason: "no-token", detail })
        : new Transport({ ...about(), phase: "connect", detail: `no access token: ${detail}` }),
    ),
    // Fetch quotes a header value that it refuses, and with it the token, in its error.
    (access) => TOKEN.test(Redacted.value(access.token)),
    () => new Unauthorized({ ...about(), reason: "no-token", detail: "not a bearer token" }),
  );

/**
 * What a header can carry (RFC 6750 §2.1, and leniently whatever else is printable): no line end of
 * a file that was read.
 */
const TOKEN = /^[\x21-\x7e]+$/u;

export const missingScopes = (call: PreparedCall, token: AccessToken | undefined) =>
  token?.scopes === undefined
    ? []
    : call.info.scopes.filter((scope) => !token.scopes?.includes(scope));

export const lacksScope = (about: CallInfo, call: PreparedCall, missing: ReadonlyArray<string>) =>
  new Forbidden({
    ...about,
    reason: "scope",
    scopesNeeded: call.info.scopes,
    scopesMissing: missing,
  });

/** Refused before anything was done, so that even a POST may be repeated. */
export const isUndone = (failure: GameApiError) =>
  failure._tag === "RateLimited" || (failure._tag === "Transport" && failure.phase === "limiter");

/**
 * Tells the breaker how a request ended. Who cancels says nothing about the service, who sends half
 * an answer does.
 */
export const noteIn = (
  breaker: CircuitBreaker,
  exit: Exit.Exit<unknown, GameApiError>,
  now: number,
): void => {
  if (Exit.isSuccess(exit)) {
    breaker.note(false, now);
    return;
  }
  const error = Exit.findError(exit);
  if (error._tag === "Failure") breaker.forget();
  else breaker.note(FAILING.has(error.success._tag), now);
};

const FAILING = new Set<GameApiError["_tag"]>(["ServerError", "Timeout", "Transport"]);

/** A wait that was too long does not become shorter by waiting. */
export const isWorthRepeating = (failure: GameApiError) =>
  failure._tag === "RateLimited"
    ? failure.reason === "server"
    : !(failure._tag === "Transport" && failure.phase === "circuit-open") &&
      !(failure._tag === "Timeout" && failure.phase === "total");
