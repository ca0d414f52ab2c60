/**
 * The limiter's own refusal: a request that was not sent. `GameApi` turns it into `RateLimited` or
 * `Forbidden`.
 */
import * as Data from "effect/Data";

/** Why a request was not let go. */
export interface Refusal {
  readonly reason: "wait-too-long" | "invalid-requests" | "edge";
  /** Milliseconds since 1970, or of the store's clock. */
  readonly retryAt: number;
  readonly policy: string | undefined;
}

/** A request was not let go. */
export class NotLetGo extends Data.TaggedError("NotLetGo")<{ readonly refusal: Refusal }> {
  override get message() {
    return `Not sent: ${this.refusal.reason}`;
  }
}
