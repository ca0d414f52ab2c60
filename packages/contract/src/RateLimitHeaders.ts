/**
 * The names of the headers in which the service announces its rate limits.
 *
 * The specification shows none (§8); these are the ones that the deployed service sends. Names are
 * in lower case, as Node, fetch and Effect hand them out; compare without regard to case.
 * `…-{rule}` is a comma list of `maxHits:periodSeconds:restrictSeconds`, `…-{rule}-state` one of
 * `currentHits:periodSeconds:activeRestrictSeconds` in the same order.
 */

/** Header names of rate limits; `rule` and `state` take the name of a rule, such as `account`. */
export const RateLimitHeaders = {
  /** The policy's name. Endpoints that name the same policy share one counter. */
  policy: "x-rate-limit-policy",
  /** A comma list of the rules of that policy. */
  rules: "x-rate-limit-rules",
  /** The windows of one rule. */
  rule: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}`,
  /** The used part of those windows. */
  state: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}-state`,
  /** Seconds to wait; only on 429 and 503. */
  retryAfter: "retry-after",
} as const;
