/**
 * Readers of rate-limit headers. The specification shows none (§8), so which headers a deployment
 * sends is a plug-in.
 *
 * The default, `xRateLimit`, reads `X-Rate-Limit-Policy`, `-Rules`, `-{rule}`, `-{rule}-State` and
 * `Retry-After`. A reader is total: what it cannot read it leaves out, and the limiter then stays
 * with what it knew before, never with "no limit".
 */

import { getOrMake } from "./core/basics.ts";
import type { RateLimitDialect, RateLimitWindow } from "./RateLimitInfo.ts";
import { retryAfterMillis as askedWait } from "./retryAfter.ts";

export * from "./dialects.ts";

export type {
  PeriodOf,
  RateLimitDialect,
  RateLimitInfo,
  RateLimitWindow,
} from "./RateLimitInfo.ts";

/**
 * `max:period:penalty` triples in seconds, several windows per rule, with the server's own counts
 * beside them.
 */
export const xRateLimit: RateLimitDialect = {
  name: "x-rate-limit",
  read: (headers, now) => {
    const windows: Array<RateLimitWindow> = [];
    for (const [rule, limit, state] of rulesIn(headers["x-rate-limit-rules"])) {
      const limits = limitsIn(headers[limit]);
      const states = triples(headers[state] ?? "");
      for (const [max, period] of limits) {
        if (!(max >= 1 && period > 0)) continue;
        // By period and not by position: the order is the same as a rule, but nobody promises it.
        const told = states.find((candidate) => candidate[1] === period);
        windows.push({
          rule,
          max: Math.floor(max),
          periodMillis: period * 1000,
          ...(told && { hits: told[0], restrictedMillis: told[2] * 1000 }),
        });
      }
    }
    return {
      policy: headers["x-rate-limit-policy"]?.trim() || undefined,
      windows,
      retryAfterMillis: askedWait(headers, now),
    };
  },
};

type Triple = readonly [first: number, second: number, third: number];

const triples = (value: string): ReadonlyArray<Triple> =>
  value
    .split(",")
    .filter((part) => TRIPLE.test(part))
    .map((part) => {
      const [first, second, third] = part.split(":");
      // Not by `map`: a number of a list of fractions takes 16 bytes in each log.
      return [Number(first), Number(second), Number(third)];
    });

const MOST_KNOWN = 500;

/** Rules and limits seldom change, unlike counts: each text of them is read once. */
const readOnce = <A>(read: (text: string) => A): ((text: string | undefined) => A) => {
  const known = new Map<string, A>();
  return (text = "") => {
    if (known.size > MOST_KNOWN) known.clear();
    return getOrMake(known, text, () => read(text));
  };
};

const limitsIn = /*#__PURE__*/ readOnce(triples);

/** The rules of a policy, each with its header. */
const rulesIn = /*#__PURE__*/ readOnce((text) =>
  text.split(",").map((name) => {
    const rule = name.trim().toLowerCase();
    const header = `x-rate-limit-${rule}`;
    return [rule, header, `${header}-state`] as const;
  }),
);

const TRIPLE = /^\s*\d+(?:\.\d+)?:\d+(?:\.\d+)?:\d+(?:\.\d+)?\s*$/u;
