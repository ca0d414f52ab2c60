/**
 * The errors of a call, told apart by what the caller can do about them.
 *
 * | error | what to do |
 * |---|---|
 * | `Unauthorized` | sign in again: the token was renewed once already, or there is none |
 * | `Forbidden` | `scope`: ask for a token with `scopesMissing`; `private`: the owner hides it;
 * `firewall`: stop |
 * | `RateLimited` | come back after `retryAfter` |
 * | `NotFound` | nothing: it is not there |
 * | `InvalidRequest` | fix the call |
 * | `ServerError` | try later |
 * | `Timeout` | try later, or allow more time |
 * | `TransportError` | try later: the connection broke, or the response was cut |
 * | `ResponseMalformed` | report it: the response does not have the documented shape |
 *
 * No error carries a token, a header or a whole URL in its fields, so all of them may be logged.
 * `cause` is kept for debuggers and left out of `toJSON`.
 *
 * @example
 * ```ts
 * import { RateLimited } from "@game-data/api-client/errors";
 * import * as Duration from "effect/Duration";
 *
 * const error = new RateLimited({
 *   operation: "profile.get",
 *   route: "GET /profile",
 *   attempts: 1,
 *   kind: "server",
 *   retryAfter: Duration.seconds(30),
 * });
 * const { retryAfterMillis } = error.toJSON();
 * if (retryAfterMillis !== 30_000) throw new Error("no retry time");
 * ```
 */
import { taggedFailure } from "@game-data/contract/taggedFailure";
import type * as Duration from "effect/Duration";

/** The facts about a call that every error carries. */
export interface CallInfo {
  /** The call, e.g. `stashes.get`. */
  readonly operation: string;
  /** Method and path template, e.g. `GET /stash/:league`. */
  readonly route: string;
  /** Requests sent for this call. */
  readonly attempts: number;
  /** HTTP status of the last response. */
  readonly status?: number | undefined;
  /** The service's error code. Decide on this and never on `detail`. */
  readonly code?: number | undefined;
  /** The service's own message, or the transport's. */
  readonly detail?: string | undefined;
  /** The service's name for the request, for talking to its staff. */
  readonly requestId?: string | undefined;
  /** The rate-limit policy that the route belongs to. */
  readonly policy?: string | undefined;
  /** The underlying error; never serialised. */
  readonly cause?: unknown;
}

const sentence = (error: CallInfo, what: string) =>
  `${error.operation}: ${what}${error.status === undefined ? "" : ` (HTTP ${error.status})`}${
    error.detail ? `: ${error.detail}` : ""
  }`;

/** What the failure of a request that is sent leaves open, unless it only reads. */
const doubt = ({ attempts, route }: CallInfo) =>
  attempts && /^(?:POST|PUT|PATCH|DELETE) /u.test(route)
    ? "; it may have been processed; see retryUnsafe"
    : "";

/**
 * The access token is missing, expired or revoked, and renewing it did not help (§7: HTTP 401).
 *
 * What to do: sign in again.
 */
export class Unauthorized
  extends /*#__PURE__*/ taggedFailure("Unauthorized")<
    CallInfo & {
      /** `no-token`: the credentials gave none; `refused`: the service refused it. */
      readonly kind: "no-token" | "refused";
    }
  >
{
  override get message(): string {
    return sentence(
      this,
      this.kind === "no-token" ? "there is no access token" : "the access token is refused",
    );
  }
}

/**
 * The token does not permit this call (§7: HTTP 403), or a firewall blocked it.
 *
 * What to do: for `scope`, ask for a token with `scopesMissing`; for `firewall`, stop sending until
 * `retryAfter` has passed; otherwise nothing helps.
 */
export class Forbidden
  extends /*#__PURE__*/ taggedFailure("Forbidden")<
    CallInfo & {
      /**
       * `scope`: the token lacks `scopesMissing`; `private`: the scopes are there, so it is not for
       * this account; `unknown`: the granted scopes are not known; `firewall`: a firewall in front
       * of the service responded, and nothing is sent until `retryAfter` has passed.
       */
      readonly kind: "scope" | "private" | "unknown" | "firewall";
      /** The scopes that the endpoint needs. */
      readonly scopesNeeded: ReadonlyArray<string>;
      /** Those of them that the token is known not to have. */
      readonly scopesMissing: ReadonlyArray<string>;
      /** The assumed rest of a firewall's block. */
      readonly retryAfter?: Duration.Duration | undefined;
    }
  >
{
  override get message(): string {
    const what = {
      scope: `the token lacks ${this.scopesMissing.join(" ")}`,
      private: "not for this account",
      unknown: `refused; the token needs ${this.scopesNeeded.join(" ")}`,
      firewall: `blocked by a firewall${waitOf(this)}`,
    };
    return sentence(this, what[this.kind]);
  }
}

/**
 * Too many requests (§8), or the rate limits would delay the request for longer than `maxWait`.
 *
 * What to do: call again after `retryAfter`, or allow a longer `maxWait`.
 */
export class RateLimited
  extends /*#__PURE__*/ taggedFailure("RateLimited", true)<
    CallInfo & {
      /**
       * `server`: the service responded 429; `wait-too-long`: the limits permit the request only
       * after `maxWait`; `too-many-errors`: so many requests were refused lately that sending more
       * would endanger the application's access.
       */
      readonly kind: "server" | "wait-too-long" | "too-many-errors";
      /** The wait until the limits are expected to permit the request. */
      readonly retryAfter?: Duration.Duration | undefined;
    }
  >
{
  override get message(): string {
    const what = {
      server: "the service reports too many requests",
      "wait-too-long": "the rate limits permit it only after maxWait",
      "too-many-errors": "not sent, because too many requests were refused lately",
    };
    return sentence(this, `${what[this.kind]}${waitOf(this)}`);
  }
}

/**
 * There is no such thing (HTTP 404). Absent leagues, matches, characters and stashes are `null`
 * instead (§7).
 *
 * What to do: check the name or the id.
 */
export class NotFound extends /*#__PURE__*/ taggedFailure("NotFound")<CallInfo> {
  override get message(): string {
    return sentence(this, "not found");
  }
}

/**
 * The service, or this client before sending, finds the request wrong.
 *
 * What to do: fix the call; `detail` names the parameter.
 */
export class InvalidRequest extends /*#__PURE__*/ taggedFailure("InvalidRequest")<CallInfo> {
  override get message(): string {
    return sentence(this, "the request is not valid");
  }
}

/**
 * The service failed (HTTP 5xx).
 *
 * What to do: try later, after `retryAfter` where the service names a time.
 */
export class ServerError
  extends /*#__PURE__*/ taggedFailure("ServerError", true)<
    CallInfo & {
      /** The wait that the service asks for. */
      readonly retryAfter?: Duration.Duration | undefined;
    }
  >
{
  override get message(): string {
    return sentence(this, `the service failed${waitOf(this)}${doubt(this)}`);
  }
}

/**
 * No response in time.
 *
 * What to do: try later, or allow more time by `timeout` or `totalTimeout`.
 */
export class Timeout
  extends /*#__PURE__*/ taggedFailure("Timeout", true)<
    CallInfo & {
      /**
       * `attempt`: one request took too long; `total`: the whole call did, waits and retries
       * included.
       */
      readonly kind: "attempt" | "total";
    }
  >
{
  override get message(): string {
    const what =
      this.kind === "attempt" ? "no response in time" : "the call exceeded its total time";
    return sentence(this, what + doubt(this));
  }
}

/**
 * The connection failed, or the response was cut, padded or garbled on its way.
 *
 * What to do: try later. A `redirect` means that the address is wrong.
 */
export class TransportError
  extends /*#__PURE__*/ taggedFailure("TransportError")<
    CallInfo & {
      /**
       * `connect`: no response at all; `token`: the source of access tokens could not be reached;
       * `body`: the response broke off; `redirect`: the response is a redirect, which is not
       * followed; `limiter`: the shared store of the rate limiter cannot be reached; `closed`: the
       * client or its limiter was closed, before the call was sent or while it was in flight.
       */
      readonly kind: "connect" | "token" | "body" | "redirect" | "limiter" | "closed";
    }
  >
{
  /** Whether the same call may succeed if retried. */
  override get isRetryable(): boolean {
    return this.kind !== "redirect" && this.kind !== "closed";
  }
  override get message(): string {
    const what = {
      connect: `no connection${doubt(this)}`,
      token: "no access token could be obtained",
      body: `the response broke off${doubt(this)}`,
      redirect: "redirected, which this API does not do",
      limiter: "the store of the rate limiter cannot be reached",
      closed: `${this.attempts ? "" : "not sent: "}the client is closed${doubt(this)}`,
    };
    return sentence(this, what[this.kind]);
  }
}

/**
 * The response does not have the documented shape, or is larger than allowed.
 *
 * What to do: report it; for `too-large`, allow a larger `maxBodyBytes`.
 */
export class ResponseMalformed
  extends /*#__PURE__*/ taggedFailure("ResponseMalformed")<
    CallInfo & {
      /**
       * `not-json`: the body is no JSON; `shape`: it is other JSON than documented; `too-large`: it
       * exceeds `maxBodyBytes`.
       */
      readonly kind: "not-json" | "shape" | "too-large";
      /** The problem with its place; values are not shown. */
      readonly issue: string;
    }
  >
{
  override get message(): string {
    return sentence(this, `the response is malformed: ${this.issue}`);
  }
}

/** Any error of a call. */
export type GameApiError =
  | Unauthorized
  | Forbidden
  | RateLimited
  | NotFound
  | InvalidRequest
  | ServerError
  | Timeout
  | TransportError
  | ResponseMalformed;

/** Reads the duration's own value: `effect/Duration` would be a quarter of this module. */
const waitOf = ({ retryAfter }: { readonly retryAfter?: Duration.Duration | undefined }) => {
  const value = retryAfter?.value;
  if (value === undefined || (value._tag !== "Millis" && value._tag !== "Nanos")) return "";
  const millis = value._tag === "Millis" ? value.millis : Number(value.nanos) / 1_000_000;
  return `, retry in ${Math.ceil(millis / 1000)} s`;
};
