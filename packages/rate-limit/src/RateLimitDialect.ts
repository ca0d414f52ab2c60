/**
 * Readers of rate-limit headers. The specification shows none (§8), so which headers a deployment
 * sends is a plug-in.
 *
 * The default, `xRateLimit`, reads `X-Rate-Limit-Policy`, `-Rules`, `-{rule}`, `-{rule}-State` and
 * `Retry-After`. A reader is total: what it cannot read it leaves out, and the limiter then stays
 * with what it knew before, never with "no limit".
 */

/** One counting window of one rule, as a response described it. Times are milliseconds. */
export interface RateLimitWindow {
  /** The rule it belongs to (`client`, `account`, `ip`, …), in lower case. */
  readonly rule: string;
  /** Requests allowed within `periodMillis`. */
  readonly max: number;
  /** Length of the window. */
  readonly periodMillis: number;
  /** The restriction after a violation. */
  readonly penaltyMillis: number;
  /** Requests the server counts in the window at the moment, this one included. */
  readonly hits?: number;
  /** The rest of a restriction that is active now. */
  readonly restrictedMillis?: number;
}

/** The limits in a response's headers. */
export interface RateLimitInfo {
  /** The name under which the server counts; endpoints with the same name share their counters. */
  readonly policy: string | undefined;
  /**
   * All windows of all rules; empty when the headers name none (the limiter then keeps the last
   * known ones).
   */
  readonly windows: ReadonlyArray<RateLimitWindow>;
  /** The time for which the server asks to wait, in milliseconds. */
  readonly retryAfterMillis: number | undefined;
}

/**
 * Reads the limits out of response headers (names in lower case). `now` is needed for a
 * `Retry-After` that is a date.
 */
export interface RateLimitDialect {
  /** Its name, for logs. */
  readonly name: string;
  /** The reading; never throws. */
  readonly read: (
    headers: Readonly<Record<string, string | undefined>>,
    now: number,
  ) => RateLimitInfo;
}

/**
 * `Retry-After` in both forms of RFC 9110 §10.2.3, as milliseconds from `now`; `undefined` when
 * absent or unreadable.
 */
export const parseRetryAfter = (value: string | undefined, now: number): number | undefined => {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/u.test(text)) return Math.min(Number(text) * 1000, MAX_WAIT);
  // A date has a weekday or at least a colon; `Date.parse` alone would take "-5" for a year.
  if (!/[a-z]{3}.*\d:\d\d/iu.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAX_WAIT);
};

/**
 * A day: a server that asks for more is misread more probably than obeyed, and timers end at 2^31
 * ms.
 */
const MAX_WAIT = 86_400_000;

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
      if (rule === "") continue;
      const limits = triples(headers[`x-rate-limit-${rule}`]);
      const states = triples(headers[`x-rate-limit-${rule}-state`]);
      for (const [max, period, penalty] of limits) {
        if (!(max >= 1 && period > 0)) continue;
        // By period and not by position: the order is the same as a rule, but nobody promises it.
        const state = states.find((candidate) => candidate[1] === period);
        windows.push({
          rule,
          max: Math.floor(max),
          periodMillis: period * 1000,
          penaltyMillis: penalty * 1000,
          ...(state && { hits: state[0], restrictedMillis: state[2] * 1000 }),
        });
      }
    }
    return {
      policy: headers["x-rate-limit-policy"]?.trim() || undefined,
      windows,
      retryAfterMillis: parseRetryAfter(headers["retry-after"], now),
    };
  },
};

type Triple = readonly [first: number, second: number, third: number];

const triples = (value: string | undefined): ReadonlyArray<Triple> => {
  const found: Array<Triple> = [];
  for (const part of value?.split(",") ?? []) {
    const match = TRIPLE.exec(part);
    if (match) found.push([Number(match[1]), Number(match[2]), Number(match[3])]);
  }
  return found;
};

const TRIPLE = /^\s*(\d+(?:\.\d+)?):(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)\s*$/u;

/** The IETF draft `RateLimit-Policy: "name";q=100;w=60` with `RateLimit: "name";r=50;t=30`. */
export const ietf: RateLimitDialect = {
  name: "ietf",
  read: (headers, now) => {
    const remaining = new Map(items(headers["ratelimit"]).map((item) => [item.name, item]));
    const policies = items(headers["ratelimit-policy"]);
    return {
      policy: policies.length === 0 ? undefined : policies.map((item) => item.name).join("+"),
      windows: policies.flatMap(({ name, parameters }) => {
        const max = parameters.get("q");
        const seconds = parameters.get("w");
        if (max === undefined || seconds === undefined || max < 1 || seconds <= 0) return [];
        const left = remaining.get(name)?.parameters.get("r");
        return [
          {
            rule: name,
            max,
            periodMillis: seconds * 1000,
            penaltyMillis: 0,
            ...(left !== undefined && { hits: Math.max(0, max - left) }),
          },
        ];
      }),
      retryAfterMillis: parseRetryAfter(headers["retry-after"], now),
    };
  },
};

const items = (value: string | undefined) =>
  (value ?? "").split(",").flatMap((part) => {
    const [name, ...rest] = part.split(";").map((text) => text.trim());
    if (!name) return [];
    const parameters = new Map<string, number>();
    for (const parameter of rest) {
      const [key, number] = parameter.split("=");
      if (key && number && /^\d+$/u.test(number)) parameters.set(key, Number(number));
    }
    return [{ name: name.replace(/^"|"$/gu, ""), parameters }];
  });

const numberIn = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d+(\.\d+)?$/u.test(value) ? Number(value) : undefined;

const HOUR = 3_600_000;

/**
 * GitHub's `X-RateLimit-Limit`, `-Remaining`, `-Reset` and `-Resource`: a window of an hour per
 * resource that ends at `-Reset`.
 */
export const github: RateLimitDialect = {
  name: "github",
  read: (headers, now) => {
    const max = numberIn(headers["x-ratelimit-limit"]);
    const left = numberIn(headers["x-ratelimit-remaining"]);
    const reset = numberIn(headers["x-ratelimit-reset"]);
    const retryAfterMillis = parseRetryAfter(headers["retry-after"], now);
    if (max === undefined || max < 1) return { policy: undefined, windows: [], retryAfterMillis };
    const isEmpty = left === 0 && reset !== undefined;
    return {
      policy: headers["x-ratelimit-resource"]?.trim() || "core",
      windows: [
        {
          rule: "token",
          max,
          periodMillis: HOUR,
          penaltyMillis: 0,
          ...(left !== undefined && { hits: Math.max(0, max - left) }),
          ...(isEmpty && { restrictedMillis: Math.max(0, reset * 1000 - now) }),
        },
      ],
      retryAfterMillis,
    };
  },
};

const MOST_BUCKETS = 10_000;

/**
 * Discord's `X-RateLimit-Bucket`, `-Limit`, `-Remaining` and `-Reset-After`. The headers do not
 * tell
 * the length of a window, so each reader remembers the longest `-Reset-After` of a bucket.
 */
export const discord = (): RateLimitDialect => {
  const periods = new Map<string, number>();
  return {
    name: "discord",
    read: (headers, now) => {
      const policy = headers["x-ratelimit-bucket"]?.trim() || undefined;
      const max = numberIn(headers["x-ratelimit-limit"]);
      const left = numberIn(headers["x-ratelimit-remaining"]);
      const resetAfter = numberIn(headers["x-ratelimit-reset-after"]);
      const retryAfterMillis = parseRetryAfter(headers["retry-after"], now);
      if (policy === undefined || max === undefined || max < 1 || resetAfter === undefined)
        return { policy, windows: [], retryAfterMillis };
      const periodMillis = Math.max(periods.get(policy) ?? 0, Math.ceil(resetAfter) * 1000, 1000);
      if (periods.size < MOST_BUCKETS || periods.has(policy)) periods.set(policy, periodMillis);
      return {
        policy,
        windows: [
          {
            rule: headers["x-ratelimit-global"] === "true" ? "client" : "bucket",
            max,
            periodMillis,
            penaltyMillis: 0,
            ...(left !== undefined && { hits: Math.max(0, max - left) }),
            ...(left === 0 && { restrictedMillis: resetAfter * 1000 }),
          },
        ],
        retryAfterMillis,
      };
    },
  };
};

/** Reads nothing but `Retry-After`: for a deployment without rate headers. */
export const none: RateLimitDialect = {
  name: "none",
  read: (headers, now) => ({
    policy: undefined,
    windows: [],
    retryAfterMillis: parseRetryAfter(headers["retry-after"], now),
  }),
};
