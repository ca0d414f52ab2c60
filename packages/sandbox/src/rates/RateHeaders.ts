/**
 * The default dialect of rate-limit headers: `X-Rate-Limit-Policy`, `-Rules`, `-{rule}`,
 * `-{rule}-State`, `Retry-After`.
 *
 * The specification shows no headers (§8); this is the dialect that clients of the interface read
 * in practice.
 */
import type { RateDecision } from "./RateCounters.ts";

/** Names of the headers; `rule` and `state` take the name of a rule. */
export const RateLimitHeaders = {
  policy: "x-rate-limit-policy",
  rules: "x-rate-limit-rules",
  rule: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}`,
  state: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}-state`,
  retryAfter: "retry-after",
} as const;

/** The headers of one answer; empty when no rule applied to the request. */
export const rateHeaders = (decision: RateDecision): Readonly<Record<string, string>> => {
  if (decision.rules.length === 0) return {};
  const headers: Record<string, string> = {
    [RateLimitHeaders.policy]: decision.policy,
    [RateLimitHeaders.rules]: decision.rules.map(({ rule }) => rule.name).join(","),
  };
  for (const { rule, states } of decision.rules) {
    headers[RateLimitHeaders.rule(rule.name)] = rule.limits;
    headers[RateLimitHeaders.state(rule.name)] = rule.windows
      .map((window, index) => {
        const { hits = 0, restrictedSeconds = 0 } = states[index] ?? {};
        return `${hits}:${window.periodMillis / 1000}:${restrictedSeconds}`;
      })
      .join(",");
  }
  if (!decision.allowed) headers[RateLimitHeaders.retryAfter] = String(decision.retryAfterSeconds);
  return headers;
};
