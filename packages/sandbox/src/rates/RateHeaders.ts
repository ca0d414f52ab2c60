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
  let names = "";
  for (const { rule, states } of rules) {
    names = names === "" ? rule.name : `${names},${rule.name}`;
    headers[rule.header] = rule.limits;
    let text = "";
    for (let index = 0; index < states.length; index++) {
      const { hits, restrictedSeconds } = states[index]!;
      const one = `${hits}:${rule.windows[index]!.periodMillis / 1000}:${restrictedSeconds}`;
      text = text === "" ? one : `${text},${one}`;
    }
    headers[rule.stateHeader] = text;
  }
  headers[RateLimitHeaders.rules] = names;
  if (!decision.allowed) headers[RateLimitHeaders.retryAfter] = String(decision.retryAfterSeconds);
};
