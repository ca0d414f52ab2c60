/**
 * The names of the headers in which the service announces its rate limits.
 *
 * The specification shows none (§8); these are the headers of the deployed service. Names are in
 * lower case, as in Node, fetch and Effect. `…-{rule}` is a comma-separated list of
 * `maxHits:periodSeconds:restrictSeconds`, and `…-{rule}-state` is a list of
 * `currentHits:periodSeconds:activeRestrictSeconds` in the same order.
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
