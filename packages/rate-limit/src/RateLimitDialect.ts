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

export type { RateLimitDialect, RateLimitInfo, RateLimitWindow } from "./RateLimitInfo.ts";

/**
 * `max:period:penalty` triples in seconds, several windows per rule, with the server's own counts
 * beside them.
 */
export const xRateLimit: RateLimitDialect = {
  name: "x-rate-limit",
  read: (headers, now) => {
    const windows: Array<RateLimitWindow> = [];
    for (const name of (headers["x-rate-limit-rules"] ?? "").split(",")) {
      const rule = name.trim().toLowerCase();
      const limits = limitsIn(headers[`x-rate-limit-${rule}`] ?? "");
      const states = triples(headers[`x-rate-limit-${rule}-state`] ?? "");
      for (const [max, period] of limits) {
        if (!(max >= 1 && period > 0)) continue;
        // By period and not by position: the order is the same as a rule, but nobody promises it.
        const state = states.find((candidate) => candidate[1] === period);
        windows.push({
          rule,
          max: Math.floor(max),
          periodMillis: period * 1000,
          ...(state && { hits: state[0], restrictedMillis: state[2] * 1000 }),
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
  value.split(",").flatMap((part) => {
    const [, first, second, third] = TRIPLE.exec(part) ?? [];
    return third === undefined ? [] : [[Number(first), Number(second), Number(third)] as const];
  });

const MOST_KNOWN = 500;
const known = /*#__PURE__*/ new Map<string, ReadonlyArray<Triple>>();

/** Limits seldom change, unlike counts: each text of them is read once. */
const limitsIn = (text: string): ReadonlyArray<Triple> => {
  if (known.size > MOST_KNOWN) known.clear();
  return getOrMake(known, text, () => triples(text));
};

const TRIPLE = /^\s*(\d+(?:\.\d+)?):(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)\s*$/u;

/** Reads nothing but `Retry-After`: for a deployment without rate headers. */
export const none: RateLimitDialect = {
  name: "none",
  read: (headers, now) => ({
    policy: undefined,
    windows: [],
    retryAfterMillis: askedWait(headers, now),
  }),
};
