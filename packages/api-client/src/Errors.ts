/**
 * What a call can fail with, told apart by what the caller can do about it.
 *
 * | error | what to do |
 * |---|---|
 * | `Unauthorized` | sign in again: the token was renewed once already, or there was none to renew |
 * | `Forbidden` | `scope`: ask for a token with `scopesMissing`; `private`: the owner hides it; `edge`: stop, a firewall took offence |
 * | `RateLimited` | come back at `retryAt` |
 * | `NotFound` | nothing: it is not there |
 * | `InvalidRequest` | fix the call |
 * | `ServerError` | try later |
 * | `Timeout` | try later, or allow more time |
 * | `Transport` | try later: the connection broke, or the answer was cut |
 * | `ResponseMalformed` | report it: the answer does not have the documented shape |
 *
 * No error carries a token, a header or a whole URL, so all of them may be logged.
 */
import * as Schema from "effect/Schema";

/** What every error knows about its call. */
const about = {
  /** The call, e.g. `stashes.get`. */
  operation: Schema.String,
  /** Method and path template, e.g. `GET /stash/:league`. */
  route: Schema.String,
  /** Requests sent for this call. */
  attempts: Schema.Number,
  /** HTTP status of the last answer. */
  status: Schema.optionalKey(Schema.Number),
  /** The service's error code. Decide on this and never on `detail`. */
  code: Schema.optionalKey(Schema.Number),
  /** The service's own words, or the transport's. */
  detail: Schema.optionalKey(Schema.String),
  /** What the service calls the request, for talking to its staff. */
  requestId: Schema.optionalKey(Schema.String),
  /** The rate-limit policy that the route belongs to. */
  policy: Schema.optionalKey(Schema.String),
};

/** Type of what every error knows about its call. */
export interface CallInfo {
  readonly operation: string;
  readonly route: string;
  readonly attempts: number;
  readonly status?: number;
  readonly code?: number;
  readonly detail?: string;
  readonly requestId?: string;
  readonly policy?: string;
}

const sentence = (error: CallInfo, what: string) =>
  `${error.operation}: ${what}${error.status === undefined ? "" : ` (HTTP ${error.status})`}${
    error.detail ? `: ${error.detail}` : ""
  }`;

/** The access token is missing, expired or revoked, and renewing it did not help (§7: HTTP 401). */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  ...about,
  /** `no-token`: none could be had; `refused`: the service refused it. */
  reason: Schema.Literals(["no-token", "refused"]),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = false;
  override get message() {
    return sentence(
      this,
      this.reason === "no-token" ? "there is no access token" : "the access token is refused",
    );
  }
}

/** The token does not open this door (§7: HTTP 403). */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  ...about,
  /**
   * `scope`: the token lacks `scopesMissing`; `private`: the scopes are there, so it is not for
   * this account; `unknown`: the granted scopes are not known; `edge`: a firewall in front of the
   * service answered, and nothing is sent until `retryAt`.
   */
  reason: Schema.Literals(["scope", "private", "unknown", "edge"]),
  /** The scopes that the endpoint needs. */
  scopesNeeded: Schema.Array(Schema.String),
  /** Those of them that the token is known not to have. */
  scopesMissing: Schema.Array(Schema.String),
  /** When an edge block is believed to end, in milliseconds since 1970. */
  retryAt: Schema.optionalKey(Schema.Number),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = false;
  override get message() {
    const what = {
      scope: `the token lacks ${this.scopesMissing.join(" ")}`,
      private: "not for this account",
      unknown: `refused; the token needs ${this.scopesNeeded.join(" ")}`,
      edge: "blocked in front of the service; nothing is sent for a while",
    };
    return sentence(this, what[this.reason]);
  }
}

/** Too many requests (§8); or it would take longer than the call may wait. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...about,
  /**
   * `server`: answered 429; `wait-too-long`: its turn comes later than the call may wait;
   * `invalid-requests`: so many requests were refused lately that sending more would endanger the
   * application's access.
   */
  reason: Schema.Literals(["server", "wait-too-long", "invalid-requests"]),
  /** When it is worth trying, in milliseconds since 1970. */
  retryAt: Schema.optionalKey(Schema.Number),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = true;
  override get message() {
    const what = {
      server: "the service says that there were too many requests",
      "wait-too-long": "its turn comes later than the call may wait",
      "invalid-requests": "held back, because too many requests were refused lately",
    };
    const when =
      this.retryAt === undefined ? "" : `, again at ${new Date(this.retryAt).toISOString()}`;
    return sentence(this, `${what[this.reason]}${when}`);
  }
}

/**
 * There is no such thing (HTTP 404). Absent leagues, matches, characters and stashes are `null`
 * instead (§7).
 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", about) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = false;
  override get message() {
    return sentence(this, "not found");
  }
}

/** The service, or this client before sending, finds the request wrong. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", about) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = false;
  override get message() {
    return sentence(this, "the request is not valid");
  }
}

/** The service failed (HTTP 5xx). */
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", {
  ...about,
  /** When the service asks to be tried again, in milliseconds since 1970. */
  retryAt: Schema.optionalKey(Schema.Number),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = true;
  override get message() {
    return sentence(this, "the service failed");
  }
}

/** No answer in time. */
export class Timeout extends Schema.TaggedError<Timeout>()("Timeout", {
  ...about,
  /**
   * `attempt`: one request took too long; `total`: the whole call did, waits and retries included.
   */
  phase: Schema.Literals(["attempt", "total"]),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = true;
  override get message() {
    return sentence(this, this.phase === "attempt" ? "no answer in time" : "the call's time is up");
  }
}

/** The connection failed, or the answer was cut, padded or garbled on its way. */
export class Transport extends Schema.TaggedError<Transport>()("Transport", {
  ...about,
  /**
   * `connect`: no answer at all; `body`: the answer broke off; `redirect`: answered with a
   * redirect, which is not followed; `limiter`: the shared store of the rate limiter is out of
   * reach; `circuit-open`: held back by the circuit breaker.
   */
  phase: Schema.Literals(["connect", "body", "redirect", "limiter", "circuit-open"]),
}) {
  /** Whether the same call may succeed later without anybody doing anything. */
  get isRetryable() {
    return this.phase !== "redirect";
  }
  override get message() {
    const what = {
      connect: "no connection",
      body: "the answer broke off",
      redirect: "redirected, which this API does not do",
      limiter: "the store of the rate limiter is out of reach",
      "circuit-open": "held back, because the service has been failing",
    };
    return sentence(this, what[this.phase]);
  }
}

/** The answer does not have the documented shape. */
export class ResponseMalformed extends Schema.TaggedError<ResponseMalformed>()(
  "ResponseMalformed",
  {
    ...about,
    /** What is wrong, with the path; values are not shown. */
    issue: Schema.String,
  },
) {
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly isRetryable = false;
  override get message() {
    return sentence(this, `the answer is malformed: ${this.issue}`);
  }
}

/** Everything that a call can fail with. */
export type GameApiError =
  | Unauthorized
  | Forbidden
  | RateLimited
  | NotFound
  | InvalidRequest
  | ServerError
  | Timeout
  | Transport
  | ResponseMalformed;
