/**
 * Reads rate-limit headers. The specification shows no such headers (§8), so a deployment may use
 * its own reader. A reader omits what it cannot parse; the limiter keeps what it knew before.
 */

/** Response headers by lower-case name. */
export type HeaderRecord = Readonly<Record<string, string | undefined>>;

/** One counting window of one rule. Times are milliseconds. */
export interface WindowInfo {
  /** Name of the rule in lower case, such as `client`, `account` or `ip`. */
  readonly rule: string;
  readonly max: number;
  readonly period: number;
  /** Requests that the server counts now, including the request of this response. */
  readonly count?: number | undefined;
  /** Remaining time of an active restriction, in which the server refuses requests. */
  readonly restricted?: number | undefined;
  /**
   * Whether the server reports when the window ends. If so, the limiter looks for no hidden
   * buckets.
   */
  readonly isExact?: boolean | undefined;
}

/** The limits in the headers of one response. */
export interface LimitInfo {
  /** Name of the policy. Routes whose responses name the same policy share its counters. */
  readonly policy?: string | undefined;
  /** All windows of all rules. If empty, the limiter keeps the windows that it knows. */
  readonly windows: ReadonlyArray<WindowInfo>;
  /** The wait that the server requests, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

/** Reads the limits of a response. `now` is milliseconds since 1970. */
export type LimitReader = (headers: HeaderRecord, now: number) => LimitInfo;

const DAY = 86_400_000;

/**
 * Returns `Retry-After` in milliseconds, at most a day, or `undefined` if it is missing or invalid. A
 * date counts from the response's own `Date`.
 */
export const retryAfterMillis = (headers: HeaderRecord, now: number): number | undefined => {
  const text = headers["retry-after"]?.trim();
  if (!text) return undefined;
  const wait = /^\d+(\.\d+)?$/u.test(text)
    ? Number(text) * 1000
    : parseDate(text) - (parseDate(headers["date"] ?? "") || now);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), DAY);
};

/** Parses an HTTP date. The obsolete form (RFC 9110 §5.6.7) names no zone and means UTC. */
const parseDate = (date: string): number =>
  Date.parse(
    /[a-z]{3}/iu.test(date) && /\d:/u.test(date) ? date.replace(/ [\d:]+$/u, "$& GMT") : "",
  );

/** Parses `a:b:c` triples in seconds, separated by commas. */
const parseTriples = (text: string | undefined): ReadonlyArray<ReadonlyArray<number>> =>
  (text ?? "")
    .split(",")
    .filter((part) => /^\s*\d+(\.\d+)?(:\d+(\.\d+)?){2}\s*$/u.test(part))
    .map((part) => part.split(":").map(Number));

/** At most this many windows are read from one response, because headers may hold any number. */
const MAX_WINDOWS = 64;

/**
 * Reads `X-Rate-Limit-Policy`, `X-Rate-Limit-Rules: account,ip`, and for each rule
 * `X-Rate-Limit-Account: max:period:penalty,…` with counts in `X-Rate-Limit-Account-State`.
 */
export const xRateLimit: LimitReader = (headers, now) => ({
  policy: headers["x-rate-limit-policy"]?.trim() || undefined,
  retryAfter: retryAfterMillis(headers, now),
  windows: (headers["x-rate-limit-rules"] ?? "")
    .split(",", MAX_WINDOWS)
    .flatMap((name) => {
      const rule = name.trim().toLowerCase();
      const states = parseTriples(headers[`x-rate-limit-${rule}-state`]);
      return parseTriples(headers[`x-rate-limit-${rule}`]).flatMap(([max = 0, seconds = 0]) => {
        const [count, , restricted] = states.find((state) => state[1] === seconds) ?? [];
        if (max < 1 || seconds === 0) return [];
        const window: WindowInfo = { rule, max: Math.floor(max), period: seconds * 1000, count };
        return [restricted ? { ...window, restricted: restricted * 1000 } : window];
      });
    })
    .slice(0, MAX_WINDOWS),
});

/** Parses a list of items such as `"a";q=100;w=60`. The key of `"a"` is `name`. */
const parseItems = (text = ""): ReadonlyArray<ReadonlyMap<string, string>> =>
  (text.match(/(?:"[^"]*"|[^,"])+/gu) ?? []).slice(0, MAX_WINDOWS).map((item) => {
    const parts = item.match(/(?:"[^"]*"|[^;"])+/gu) ?? [];
    return new Map(
      parts.map((part, index): [string, string] => {
        const unnamed = index === 0 ? "name" : "";
        const [, key = unnamed, value = ""] = /^(?:([^"=]+)=)?(.*)$/su.exec(part.trim()) ?? [];
        return [key, value.replaceAll('"', "")];
      }),
    );
  });

/** Parses a quota of drafts 6 and 7 (`100;w=60`) or of draft 8 (`"a";q=100;w=60`). */
const parseQuota = (item: ReadonlyMap<string, string>) => {
  const { name = "", q, w = "" } = Object.fromEntries(item);
  const isNamed = q !== undefined;
  const max = Number(q ?? name);
  const period = Number(w) * 1000;
  const isUsable = max >= 1 && period > 0;
  return { isNamed, isUsable, name, rule: isNamed ? name : `${name};w=${w}`, max, period };
};

/**
 * Reads the IETF's `RateLimit-Policy` and `RateLimit`: drafts 6 and 7 (`100;w=60`) and from draft 8
 * on (`"a";q=100;w=60`).
 */
export const ietf: LimitReader = (headers, now) => {
  const reports = parseItems(headers["ratelimit"]);
  const state = new Map(reports.flatMap((report) => [...report]));
  const field = (name: string) => state.get(name) ?? headers[`ratelimit-${name}`];
  const limit = Number.parseInt(field("limit") ?? "", 10);
  const quotas = parseItems(headers["ratelimit-policy"] ?? headers["ratelimit-limit"])
    .filter((item) => (item.get("qu") ?? "requests") === "requests")
    .map(parseQuota);
  const report = ({ isNamed, max, name }: (typeof quotas)[number]) => {
    if (isNamed) {
      const named = reports.findLast((each) => each.get("name") === name);
      return [named?.get("r"), named?.get("t")];
    }
    // Drafts 6 and 7 report the state of one quota, whose maximum is `limit`.
    const isReported = max === limit || (Number.isNaN(limit) && quotas.length === 1);
    return isReported ? [field("remaining"), field("reset")] : [];
  };
  return {
    // The name includes unusable quotas of draft 8, because such a policy has other counters.
    policy:
      quotas
        .filter(({ isNamed, isUsable }) => isNamed || isUsable)
        .map(({ rule }) => rule)
        .join("+") || undefined,
    windows: quotas
      .filter(({ isUsable }) => isUsable)
      .map((quota): WindowInfo => {
        const { max, period, rule } = quota;
        const numbers = report(quota).map((text = "") => Number.parseFloat(text));
        const [remaining = Number.NaN, reset = Number.NaN] = numbers;
        return {
          rule,
          max,
          period,
          isExact: true,
          count: remaining >= 0 ? Math.max(0, max - remaining) : undefined,
          restricted: remaining === 0 && reset > 0 ? reset * 1000 : undefined,
        };
      }),
    retryAfter: retryAfterMillis(headers, now),
  };
};
