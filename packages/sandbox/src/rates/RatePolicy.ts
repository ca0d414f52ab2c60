/**
 * Rate policies as data: what a policy is called, which rules it has, and which endpoints it
 * governs.
 *
 * A document of policies is plain JSON that reads like the response headers it produces, so that
 * one seen on the wire can be pasted in. The specification gives no numbers (§8): every number is a
 * choice, and all of them can be replaced while the sandbox runs. `compilePolicies` checks a
 * document once and answers with what the limiter works on.
 */
import { RatePolicyInvalid } from "../Errors.ts";
import {
  anyOf,
  described,
  dictionary,
  type DocumentType,
  flag,
  integer,
  nothing,
  object,
  optional,
  pointerOf,
  text as words,
  titled,
} from "../internal/document.ts";

/** Names of the headers of the default dialect; `rule` and `state` take the name of a rule. */
export const RateLimitHeaders = {
  policy: "x-rate-limit-policy",
  rules: "x-rate-limit-rules",
  rule: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}`,
  state: (rule: string): string => `x-rate-limit-${rule.toLowerCase()}-state`,
  retryAfter: "retry-after",
} as const;

const RULES = ["Ip", "Account", "Client"] as const;

/** The three things that hits can be counted against. */
export type RuleName = (typeof RULES)[number];

/**
 * Windows in the notation of the headers: `maxHits:periodSeconds:restrictSeconds`, one to four,
 * joined by commas.
 */
export const RateWindows = words({
  pattern: "^\\d{1,9}:\\d{1,9}:\\d{1,9}(?:,\\d{1,9}:\\d{1,9}:\\d{1,9}){0,3}$",
  description: "maxHits:periodSeconds:restrictSeconds, one to four of them, joined by commas",
});

/** The rules of one policy; a rule that is left out counts nothing. */
export const RateRules = titled("RateRules", {
  Ip: optional(RateWindows),
  Account: optional(RateWindows),
  Client: optional(RateWindows),
});

/**
 * The hidden-bucket mode: a hit leaves its window only together with the whole bucket that it fell
 * into.
 */
export const HiddenBuckets = described(
  object({
    shortSeconds: integer({ minimum: 1 }),
    longSeconds: integer({ minimum: 1 }),
    longFromSeconds: integer({ minimum: 0 }),
  }),
  {
    title: "HiddenBuckets",
    description:
      "Windows of longFromSeconds and more are counted in buckets of longSeconds, others of shortSeconds",
  },
);
export type HiddenBuckets = DocumentType<typeof HiddenBuckets>;

/**
 * The whole document: the switch, the bucket mode, the policies by name, and the policy of every
 * endpoint.
 */
export const RatePolicies = titled("RatePolicies", {
  enabled: flag,
  hiddenBuckets: anyOf(HiddenBuckets, nothing),
  policies: dictionary(RateRules),
  endpoints: described(dictionary(words()), {
    description: "`group.endpoint`, `group` or `*` → name of a policy; the most precise key wins",
  }),
});
export type RatePolicies = DocumentType<typeof RatePolicies>;

/**
 * One window of a rule, in milliseconds for the counters; `bucketMillis` is 0 in a true sliding
 * window.
 */
export interface CompiledWindow {
  readonly maxHits: number;
  readonly periodMillis: number;
  readonly restrictMillis: number;
  readonly bucketMillis: number;
}

/** One rule of a policy, with what of its headers does not change. */
export interface CompiledRule {
  readonly name: RuleName;
  /** Value of its `X-Rate-Limit-{rule}` header. */
  readonly limits: string;
  readonly windows: ReadonlyArray<CompiledWindow>;
  readonly header: string;
  readonly stateHeader: string;
  /** Prefix of its counters' keys, which the identity follows. */
  readonly keyPrefix: string;
}

interface CompiledPolicy {
  readonly name: string;
  readonly rules: ReadonlyArray<CompiledRule>;
}

/** Checked policies: answers which policy an endpoint has, `undefined` where it is not limited. */
export interface CompiledPolicies {
  readonly document: RatePolicies;
  readonly policies: ReadonlyMap<string, CompiledPolicy>;
  readonly policyOf: (group: string, endpoint: string) => CompiledPolicy | undefined;
}

/**
 * A policy's name travels in a header and in the state of a snapshot, so it is a plain token (RFC
 * 9110 §5.6.2).
 */
const POLICY_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u;

/**
 * Checks a document of policies and prepares it for the limiter. Throws `RatePolicyInvalid` where
 * it makes no sense.
 */
export const compilePolicies = (document: RatePolicies): CompiledPolicies => {
  const compiled = new Map<string, CompiledPolicy>();
  for (const [name, rules] of Object.entries(document.policies)) {
    if (!POLICY_NAME.test(name)) throw invalid(["policies", name], "is no name for a policy");
    const policy: Array<CompiledRule> = [];
    for (const rule of RULES) {
      const limits = rules[rule];
      if (limits === undefined) continue;
      const windows = limits.split(",").map((window) => toWindow(window, document.hiddenBuckets));
      const reason = problemOf(windows);
      if (reason !== undefined) throw invalid(["policies", name, rule], reason);
      policy.push({
        name: rule,
        limits,
        windows,
        header: RateLimitHeaders.rule(rule),
        stateHeader: RateLimitHeaders.state(rule),
        keyPrefix: `${name} ${rule} `,
      });
    }
    if (policy.length === 0) throw invalid(["policies", name], "has no rule");
    compiled.set(name, { name, rules: policy });
  }
  for (const [endpoint, name] of Object.entries(document.endpoints))
    if (!compiled.has(name))
      throw invalid(["endpoints", endpoint], `names the unknown policy ${name}`);
  return { document, policies: compiled, policyOf: lookup(document, compiled) };
};

const lookup =
  (document: RatePolicies, compiled: ReadonlyMap<string, CompiledPolicy>) =>
  (group: string, endpoint: string): CompiledPolicy | undefined => {
    if (!document.enabled) return undefined;
    const { endpoints } = document;
    const name = endpoints[`${group}.${endpoint}`] ?? endpoints[group] ?? endpoints["*"];
    return name === undefined ? undefined : compiled.get(name);
  };

const toWindow = (text: string, buckets: HiddenBuckets | null): CompiledWindow => {
  const [maxHits = 0, period = 0, restrict = 0] = text.split(":").map(Number);
  const bucketOf = ({ longFromSeconds, longSeconds, shortSeconds }: HiddenBuckets) =>
    period >= longFromSeconds ? longSeconds : shortSeconds;
  return {
    maxHits,
    periodMillis: period * 1000,
    restrictMillis: restrict * 1000,
    bucketMillis: buckets === null ? 0 : bucketOf(buckets) * 1000,
  };
};

const problemOf = (windows: ReadonlyArray<CompiledWindow>): string | undefined => {
  if (windows.some((window) => window.periodMillis === 0)) return "has a period of 0 seconds";
  if (windows.some((window) => window.maxHits === 0))
    return "permits nothing; a fault of status 429 refuses everything";
  // Counters are kept by period, so that a changed maximum keeps what was counted already.
  const periods = new Set(windows.map((window) => window.periodMillis));
  return periods.size < windows.length ? "has two windows of the same period" : undefined;
};

const invalid = (at: ReadonlyArray<string>, reason: string) =>
  new RatePolicyInvalid({ at: pointerOf(at), reason });
