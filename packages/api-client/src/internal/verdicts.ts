/**
 * The small decisions of a call: which error a failure is, which one may be tried again, which scopes are missing.
 */
import { Duration, Effect } from "effect";
import type { HttpClientError } from "effect/http/HttpClientError";
import type { AccessToken, CredentialsSource } from "../Credentials.ts";
import { Forbidden, InvalidRequest, RateLimited, Transport, Unauthorized } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { NotLetGo } from "../NotLetGo.ts";
import type { PreparedCall } from "./Caller.ts";
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

export const notLetGo = (
  about: CallInfo,
  call: PreparedCall,
  { refusal }: NotLetGo,
): GameApiError => {
  const known = { ...about, ...(refusal.policy !== undefined && { policy: refusal.policy }) };
  return refusal.reason === "edge"
    ? new Forbidden({
        ...known,
        reason: "edge",
        scopesNeeded: call.info.scopes,
        scopesMissing: [],
        retryAt: refusal.retryAt,
      })
    : new RateLimited({ ...known, reason: refusal.reason, retryAt: refusal.retryAt });
};

export const tokenOf = (
  token: CredentialsSource["current"],
  about: () => CallInfo,
): Effect.Effect<AccessToken, Unauthorized | Transport> =>
  Effect.mapError(token, ({ kind, detail }) =>
    kind === "sign-in"
      ? new Unauthorized({ ...about(), reason: "no-token", detail })
      : new Transport({ ...about(), phase: "connect", detail: `no access token: ${detail}` }),
  );

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

/** A wait that was too long does not become shorter by waiting. */
export const isWorthRepeating = (failure: GameApiError) =>
  failure._tag === "RateLimited"
    ? failure.reason === "server"
    : !(failure._tag === "Transport" && failure.phase === "circuit-open") &&
      !(failure._tag === "Timeout" && failure.phase === "total");
