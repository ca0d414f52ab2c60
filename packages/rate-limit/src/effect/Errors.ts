/**
 * The errors of the limiter. Nothing reached the service, so no retry policy should count them as
 * failed attempts.
 */
import * as Data from "effect/Data";
import * as Duration from "effect/Duration";
import { helpOf } from "../core/basics.ts";
import { describeNotSent, isFinal } from "../RequestNotSentError.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";

/**
 * The limiter did not send a request: it would wait too long, or the client is blocked.
 *
 * What to do: try again after `retryAfter`, or raise `maxWait`.
 */
export class RequestNotSent extends Data.TaggedError("RequestNotSent")<
  Omit<NotSentDetails, "retryAfterMillis"> & {
    /** After this time the request can be sent, as far as the limiter knows. */
    readonly retryAfter: Duration.Duration;
  }
> {
  /** Whether the request succeeds later: not after the limiter was closed. */
  get isRetryable(): boolean {
    return !isFinal(this.kind);
  }
  override get message(): string {
    return describeNotSent({ ...this, retryAfterMillis: Duration.toMillis(this.retryAfter) });
  }
  /** The address of the error's page. */
  get help(): string {
    return helpOf(this._tag);
  }
  override toJSON(): object {
    const { _tag, clientErrors, inFlight, kind, message, policy, rule } = this;
    return {
      _tag,
      kind,
      ...(policy !== undefined && { policy }),
      ...(rule !== undefined && { rule }),
      ...(inFlight !== undefined && { inFlight }),
      ...(clientErrors !== undefined && { clientErrors }),
      message,
      help: this.help,
      retryAfterMillis: Duration.toMillis(this.retryAfter),
    };
  }
}

/**
 * The store of the limiter failed, so the request was not sent.
 *
 * What to do: look at `cause`; make the file or the server reachable and try again.
 */
export class LimiterStoreError extends Data.TaggedError("LimiterStoreError")<{
  readonly detail: string;
  readonly cause?: unknown;
}> {
  /** Always `true`: nothing was sent. */
  get isRetryable(): boolean {
    return true;
  }
  override get message(): string {
    return `The store of the rate limiter failed: ${this.detail}.`;
  }
  /** The address of the error's page. */
  get help(): string {
    return helpOf(this._tag);
  }
  override toJSON(): object {
    return { _tag: this._tag, detail: this.detail, message: this.message, help: this.help };
  }
}
