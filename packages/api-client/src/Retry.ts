/**
 * Decides when a failed request is sent again, and after how long.
 *
 * Only what can be repeated without harm: safe methods, and any method after a 429, which the
 * service refused before doing anything. Waits are random up to an exponential bound ("full
 * jitter"), and never shorter than the service asked for. A budget bounds the share of retries, so
 * that an outage is not answered with a multiple of the usual traffic.
 */
import type * as Duration from "effect/Duration";
import { toMillis } from "./pipeline/time.ts";

/** The retry options of a client. */
export interface RetryPolicy {
  /** Further attempts after the first. Default: 3. */
  readonly times?: number | undefined;
  /** Bound of the first wait; doubled for every further one. Default: 250 ms. */
  readonly base?: Duration.Input | undefined;
  /** Largest bound. Default: 20 s. */
  readonly cap?: Duration.Input | undefined;
  /** Retries that may be made on credit; every success earns half a retry back. Default: 20. */
  readonly budget?: number | undefined;
}

/** The policy in numbers. */
export interface RetrySettings {
  readonly times: number;
  readonly base: number;
  readonly cap: number;
  readonly budget: number;
}

/** Fills in the defaults. */
export const retrySettings = (policy: RetryPolicy = {}): RetrySettings => ({
  times: policy.times ?? 3,
  base: toMillis(policy.base, 250),
  cap: toMillis(policy.cap, 20_000),
  budget: policy.budget ?? 20,
});

/**
 * The wait before retry number `retry` (from 0). `random` is uniform in [0, 1), `asked` what the
 * service asked for.
 */
export const retryDelay = (
  settings: RetrySettings,
  retry: number,
  random: number,
  asked: number,
): number => asked + random * Math.min(settings.cap, settings.base * 2 ** retry);

/** Retries on credit: spent by retries, earned by successes. */
export class RetryBudget {
  private readonly capacity: number;
  private left: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.left = capacity;
  }

  /** Spends one retry, if there is one. */
  withdraw(): boolean {
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  /** A call succeeded. */
  deposit(): void {
    this.left = Math.min(this.capacity, this.left + 0.5);
  }
}
