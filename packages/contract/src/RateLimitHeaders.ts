/**
 * The headers in which the deployed service announces its rate limits. The specification does not
 * show any (§8). `…-{rule}` is a comma-separated list of `maxHits:periodSeconds:restrictSeconds`,
 * and `…-{rule}-state` of `currentHits:periodSeconds:activeRestrictSeconds` in the same order.
 */

/** Header names of rate limits; `rule` and `state` take the name of a rule, such as `account`. */
export const RateLimitHeaders = {
  /** The policy's name. Endpoints that name the same policy share one counter. */
  policy: "x-rate-limit-policy",
  /** A comma-separated list of the rules of the policy. */
  rules: "x-rate-limit-rules",
  /** Header with the windows of a rule, each as `maxHits:periodSeconds:restrictSeconds`. */
  rule: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}`,
  /** Header with the current hits in each window of a rule. */
  state: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}-state`,
  /** Seconds to wait; only on 429 and 503. */
  retryAfter: "retry-after",
} as const;
