/**
 * Readers for the headers of well-known services: GitHub, Discord, Shopify, and those that follow
 * the IETF's drafts. Each is checked against a model of its service's rules.
 */
import type {
  PeriodOf,
  RateLimitDialect,
  RateLimitInfo,
  RateLimitWindow,
} from "./RateLimitInfo.ts";
import { retryAfterMillis } from "./retryAfter.ts";

const noneKnown: PeriodOf = () => 0;

type Headers = Readonly<Record<string, string | undefined>>;

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

const numberIn = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d+(\.\d+)?\s*$/u.test(value) ? Number(value) : undefined;

/** A window whose end the server tells: nothing goes before it once no place is left. */
const plainWindow = (
  rule: string,
  {
    left,
    max,
    periodMillis,
    resetMillis,
  }: {
    readonly max: number;
    readonly periodMillis: number;
    readonly left: number | undefined;
    readonly resetMillis: number | undefined;
  },
): RateLimitWindow => ({
  rule,
  max,
  periodMillis,
  isPlain: true,
  ...(left !== undefined && { hits: Math.max(0, max - left) }),
  ...(left === 0 && resetMillis !== undefined && { restrictedMillis: Math.max(0, resetMillis) }),
});

/** One item of a structured list: `"name";q=100;w=60`, `100;w=60`, `limit=100`. */
interface Item {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, number>;
}

/** The parts between separators; one within quotes is none. */
const BETWEEN_COMMAS = /(?:"[^"]*"|[^",])+/gu;
const BETWEEN_SEMICOLONS = /(?:"[^"]*"|[^";])+/gu;

const items = (value: string | undefined): ReadonlyArray<Item> =>
  (value?.match(BETWEEN_COMMAS) ?? []).flatMap((part) => {
    const [name = "", ...rest] = (part.match(BETWEEN_SEMICOLONS) ?? []).map((each) => each.trim());
    // A quota of another unit, such as bytes, says nothing of requests.
    if (name === "" || rest.some((each) => /^qu=(?!"requests")/u.test(each))) return [];
    const parameters = new Map<string, number>();
    for (const parameter of [name, ...rest]) {
      const [key = "", number] = parameter.split("=").map((each) => each.trim());
      const amount = numberIn(number);
      if (amount !== undefined) parameters.set(key, amount);
    }
    return [{ name: name.replace(/^"|"$/gu, ""), parameters }];
  });

/** The quotas of drafts 6 and 7: `100;w=60` in `RateLimit-Policy` or `RateLimit-Limit`. */
const unnamedQuotas = (headers: Headers): ReadonlyArray<readonly [max: number, seconds: number]> =>
  items(headers["ratelimit-policy"] ?? headers["ratelimit-limit"]).flatMap(
    ({ name, parameters }) => {
      const max = numberIn(name);
      const seconds = parameters.get("w");
      return max !== undefined && max >= 1 && seconds ? [[max, seconds] as const] : [];
    },
  );

type Read = Pick<RateLimitInfo, "policy" | "windows">;

/**
 * Drafts 6 (`RateLimit-Limit`, `-Remaining`, `-Reset`) and 7 (`RateLimit: limit=…, remaining=…,
 * reset=…`): the quota that is nearest to its end is told, and none has a name.
 */
const readUnnamed = (headers: Headers, periodOf: PeriodOf): Read => {
  const combined = new Map(
    items(headers["ratelimit"]).flatMap(({ parameters }) => [...parameters]),
  );
  const told = (name: string): number | undefined =>
    combined.get(name) ?? numberIn(headers[`ratelimit-${name}`]?.split(",")[0]);
  const quotas = unnamedQuotas(headers);
  const limit = told("limit") ?? quotas[0]?.[0];
  const left = told("remaining");
  const reset = told("reset");
  const resetMillis = reset === undefined ? undefined : reset * SECOND;
  if (quotas.length === 0) return readRest({ max: limit, left, resetMillis }, periodOf);
  const windows = quotas.map(([max, seconds]) =>
    plainWindow(`${seconds}s`, {
      max,
      periodMillis: seconds * SECOND,
      left: max === limit ? left : undefined,
      resetMillis,
    }),
  );
  return { policy: quotas.map(([max, seconds]) => `${max};w=${seconds}`).join("+"), windows };
};

/** Without a policy header only the rest of the window is told. */
const readRest = (
  {
    left,
    max = 0,
    resetMillis = 0,
  }: { readonly [Name in "left" | "max" | "resetMillis"]: number | undefined },
  periodOf: PeriodOf,
): Read => {
  // More than a day is an epoch in place of seconds.
  if (max < 1 || resetMillis <= 0 || resetMillis > 24 * HOUR)
    return { policy: undefined, windows: [] };
  const policy = String(max);
  const periodMillis = Math.max(periodOf(policy, "quota"), resetMillis);
  return { policy, windows: [plainWindow("quota", { max, periodMillis, left, resetMillis })] };
};

/** Draft 8 and later: `RateLimit-Policy: "name";q=100;w=60`, `RateLimit: "name";r=50;t=30`. */
const readNamed = (headers: Headers): Read => {
  const remaining = new Map(items(headers["ratelimit"]).map((item) => [item.name, item]));
  const policies = items(headers["ratelimit-policy"]);
  const windows = policies.flatMap(({ name, parameters }) => {
    const max = parameters.get("q");
    const seconds = parameters.get("w");
    if (max === undefined || !seconds || max < 1) return [];
    const told = remaining.get(name)?.parameters;
    const reset = told?.get("t");
    const resetMillis = reset === undefined ? undefined : reset * SECOND;
    return [
      plainWindow(name, { max, periodMillis: seconds * SECOND, left: told?.get("r"), resetMillis }),
    ];
  });
  return { policy: policies.map(({ name }) => name).join("+") || undefined, windows };
};

/** The IETF's `RateLimit` headers: drafts 6, 7, and 8 to the newest. */
export const ietf: RateLimitDialect = {
  name: "ietf",
  read: (headers, now, periodOf = noneKnown) => {
    const isNamed = items(headers["ratelimit-policy"]).some(({ parameters }) =>
      parameters.has("q"),
    );
    const wait = retryAfterMillis(headers, now);
    return {
      ...(isNamed ? readNamed(headers) : readUnnamed(headers, periodOf)),
      retryAfterMillis: wait,
    };
  },
};

/** Resources of GitHub whose windows are minutes; all others have hours. */
const MINUTES: ReadonlySet<string> = new Set([
  "search",
  "code_search",
  "code_scanning_autofix",
  "dependency_sbom",
  "dependency_snapshots",
]);

/**
 * GitHub's `X-RateLimit-Limit`, `-Remaining`, `-Reset` and `-Resource`: a window per resource that
 * ends at `-Reset`, told by the server's clock. A 403 with `Retry-After`, or with nothing left, is
 * a refusal: that is how secondary limits answer.
 */
export const github: RateLimitDialect = {
  name: "github",
  refusals: [403],
  read: (headers, now) => {
    const max = numberIn(headers["x-ratelimit-limit"]);
    const reset = numberIn(headers["x-ratelimit-reset"]);
    const wait = retryAfterMillis(headers, now);
    if (max === undefined || max < 1)
      return { policy: undefined, windows: [], retryAfterMillis: wait };
    const policy = headers["x-ratelimit-resource"]?.trim() || "core";
    const served = Date.parse(headers["date"] ?? "") || now;
    const window = plainWindow("token", {
      max,
      periodMillis: MINUTES.has(policy) ? MINUTE : HOUR,
      left: numberIn(headers["x-ratelimit-remaining"]),
      resetMillis: reset === undefined ? undefined : reset * SECOND - served,
    });
    return { policy, windows: [window], retryAfterMillis: wait };
  },
};

/** Periods of Discord are multiples of this. */
const DISCORD_STEP = 50;

/**
 * Discord's `X-RateLimit-Bucket`, `-Limit`, `-Remaining` and `-Reset-After`, in fractions of
 * seconds. The headers do not tell the length of a window.
 */
export const discord: RateLimitDialect = {
  name: "discord",
  read: (headers, now, periodOf = noneKnown) => {
    const policy = headers["x-ratelimit-bucket"]?.trim() || undefined;
    const max = numberIn(headers["x-ratelimit-limit"]);
    const resetAfter = numberIn(headers["x-ratelimit-reset-after"]);
    const asked = { retryAfterMillis: retryAfterMillis(headers, now), roundingMillis: 5 };
    if (policy === undefined || max === undefined || max < 1 || resetAfter === undefined)
      return { policy, windows: [], ...asked };
    const rule = headers["x-ratelimit-global"] === "true" ? "client" : "bucket";
    const told = Math.ceil((resetAfter * SECOND) / DISCORD_STEP) * DISCORD_STEP;
    const window = plainWindow(rule, {
      max,
      periodMillis: Math.max(periodOf(policy, rule), DISCORD_STEP, told),
      left: numberIn(headers["x-ratelimit-remaining"]),
      resetMillis: resetAfter * SECOND,
    });
    return { policy, windows: [window], ...asked };
  },
};

/** A bucket of Shopify is empty after this time, whatever its size. */
const SHOPIFY_PERIOD = 20_000;

/** Shopify's `X-Shopify-Shop-Api-Call-Limit: 32/40`: a bucket that leaks a twentieth a second. */
export const shopify: RateLimitDialect = {
  name: "shopify",
  read: (headers, now) => {
    const wait = retryAfterMillis(headers, now);
    const [hits, max] = (headers["x-shopify-shop-api-call-limit"] ?? "").split("/").map(numberIn);
    if (hits === undefined || max === undefined || max < 1)
      return { policy: undefined, windows: [], retryAfterMillis: wait };
    const window = { rule: "shop", max, periodMillis: SHOPIFY_PERIOD, hits };
    return { policy: "rest", windows: [{ ...window, isPlain: true }], retryAfterMillis: wait };
  },
};
