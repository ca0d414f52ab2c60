/**
 * The headers in which the deployed service announces its rate limits; the specification shows none
 * (§8). `…-{rule}` is a comma-separated list of `maxHits:periodSeconds:restrictSeconds`, and
 * `…-{rule}-state` of `currentHits:periodSeconds:activeRestrictSeconds` in the same order.
 */

/** Header names of rate limits; `rule` and `state` take the name of a rule, such as `account`. */
export const RateLimitHeaders = {
  /** The policy's name. Endpoints that name the same policy share one counter. */
  policy: "x-rate-limit-policy",
  /** A comma-separated list of the rules of the policy. */
  rules: "x-rate-limit-rules",
  /** The windows of one rule. */
  rule: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}`,
  /** The hits in each of these windows. */
  state: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}-state`,
  /** Seconds to wait; only on 429 and 503. */
  retryAfter: "retry-after",
} as const;
