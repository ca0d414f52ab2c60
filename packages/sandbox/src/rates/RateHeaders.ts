/**
 * The default dialect of rate-limit headers: `X-Rate-Limit-Policy`, `-Rules`, `-{rule}`,
 * `-{rule}-State`, `Retry-After`.
 *
 * The specification shows no headers (§8); this is the dialect that clients of the interface read
 * in practice.
 */
import type { RateDecision } from "./RateLimits.ts";
import { RateLimitHeaders } from "./RatePolicy.ts";

/** Puts the headers of a decision among those of an answer; none when no rule applied. */
export const addRateHeaders = (headers: Record<string, string>, decision: RateDecision): void => {
  const { rules } = decision;
  if (rules.length === 0) return;
  headers[RateLimitHeaders.policy] = decision.policy;
  headers[RateLimitHeaders.rules] = rules.map(({ rule }) => rule.name).join(",");
  for (const { rule, states } of rules) {
    headers[rule.header] = rule.limits;
    headers[rule.stateHeader] = states
      .map(({ hits, restrictedSeconds }, index) => {
        const { periodMillis } = rule.windows[index]!;
        return `${hits}:${periodMillis / 1000}:${restrictedSeconds}`;
      })
      .join(",");
  }
  if (!decision.allowed) headers[RateLimitHeaders.retryAfter] = String(decision.retryAfterSeconds);
};
