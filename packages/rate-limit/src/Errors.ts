/** Errors of the limiter. Each error means that no request was sent. */
import * as Data from "effect/Data";
import * as Duration from "effect/Duration";

const MESSAGES = {
  "wait-too-long": "the rate limits permit it only after its maximum wait",
  firewall: "a firewall blocked this client",
  "too-many-errors": "the service rejected too many requests, and blocks clients that continue",
  closed: "the limiter is closed",
} as const;

/** Why a request was not sent. After `closed`, a retry needs a new limiter. */
export type NotSentReason = keyof typeof MESSAGES;

/**
 * The limiter did not send a request, because it would wait too long or the client is blocked.
 *
 * What to do: if it would wait too long, raise `maxWait`, or try again after `retryAfter`. If the
 * client is blocked, send nothing until `retryAfter` has passed.
 */
export class RequestNotSent extends Data.TaggedError("RequestNotSent")<{
  readonly reason: NotSentReason;
  readonly route: string;
  /** The time after which the request can be sent; 10 seconds if it is unknown. */
  readonly retryAfter: Duration.Duration;
  /** The policy and the rule that delay the request, if they are known. */
  readonly policy?: string | undefined;
  readonly rule?: string | undefined;
}> {
  /** `false` if the limiter was closed. */
  get isRetryable(): boolean {
    return this.reason !== "closed";
  }
  override get message(): string {
    const { isRetryable, reason, retryAfter, route } = this;
    const seconds = Math.ceil(Duration.toSeconds(retryAfter));
    const advice = isRetryable ? ` Try again in ${seconds} s.` : "";
    return `${route} was not sent: ${MESSAGES[reason]}.${advice}`;
  }
  override toJSON(): object {
    const { _tag, message, policy, reason, retryAfter, route, rule } = this;
    const retryAfterMillis = Duration.toMillis(retryAfter);
    return { _tag, reason, route, policy, rule, retryAfterMillis, message };
  }
}

export const closedError = (route: string): RequestNotSent =>
  new RequestNotSent({ reason: "closed", route, retryAfter: Duration.infinity });

/**
 * The store of the limiter failed, so the request was not sent.
 *
 * What to do: read `cause`, make the store reachable, and try again.
 */
export class LimiterStoreError extends Data.TaggedError("LimiterStoreError")<{
  readonly cause: unknown;
}> {
  readonly isRetryable: boolean = true;
  override get message(): string {
    return `The store of the rate limiter failed: ${describe(this.cause)}`;
  }
  override toJSON(): object {
    return { _tag: this._tag, message: this.message };
  }
}

/** Returns the first message of a chain of causes. An error of Effect's `Redis` has no message. */
const describe = (cause: unknown): string =>
  cause instanceof Error ? cause.message || describe(cause.cause ?? cause.name) : String(cause);

/**
 * An option of the limiter is invalid.
 *
 * What to do: change the option that `option` names.
 */
export class LimiterOptionInvalid extends Data.TaggedError("LimiterOptionInvalid")<{
  readonly option: string;
  /** The valid values, as the end of a sentence: `an integer of at least 1`. */
  readonly expected: string;
}> {
  readonly isRetryable: boolean = false;
  override get message(): string {
    return `${this.option} must be ${this.expected}.`;
  }
}
