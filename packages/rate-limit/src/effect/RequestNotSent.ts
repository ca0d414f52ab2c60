/**
 * The error of a request that the limiter did not send.
 *
 * Nothing reached the service, so the same request may be tried again after `retryAfter`. The
 * service was not at fault, and no retry policy should count this as a failed attempt.
 */
import * as Data from "effect/Data";
import * as Duration from "effect/Duration";

/**
 * Why a request was not sent. `wait-too-long`: its turn comes later than `maxWait`. `firewall`: a
 * firewall blocked the client. `too-many-errors`: too many responses were errors of the client.
 */
export type NotSentReason = "wait-too-long" | "firewall" | "too-many-errors";

/** The limiter did not send a request. */
export class RequestNotSent extends Data.TaggedError("RequestNotSent")<{
  /** Why it was not sent. */
  readonly kind: NotSentReason;
  /** After this time the request can be sent, as far as the limiter knows. */
  readonly retryAfter: Duration.Duration;
  /** The policy that holds the request, if one is known. */
  readonly policy?: string | undefined;
}> {
  /** Always `true`: the request succeeds later without a change by the caller. */
  get isRetryable(): boolean {
    return true;
  }
  override get message(): string {
    const why = {
      "wait-too-long": "the rate limit permits it only later than its maximum wait",
      firewall: "a firewall has blocked this client",
      "too-many-errors": "too many responses were client errors",
    }[this.kind];
    return `The request was not sent: ${why}. Try again in ${Duration.format(this.retryAfter)}.`;
  }
  override toJSON(): object {
    return {
      _tag: this._tag,
      kind: this.kind,
      ...(this.policy !== undefined && { policy: this.policy }),
      message: this.message,
      retryAfterMillis: Duration.toMillis(this.retryAfter),
    };
  }
}
