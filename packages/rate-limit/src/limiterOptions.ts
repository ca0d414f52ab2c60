/** Checks the options of a limiter and of its requests by name, and fills in the defaults. */
import { BUCKET_SIZES } from "./core/Belief.ts";
import type { QueueOptions } from "./core/Waiter.ts";
import { attempt, soundSpare } from "./core/sound.ts";
import { defaultOptions } from "./core/State.ts";
import type { Adaptive, StatedLimit } from "./core/State.ts";
import type { LimitedRoute, LimiterEvent } from "./Model.ts";
import {
  amount,
  callback,
  checkEach,
  checkOption,
  checkOptions,
  ConfigurationInvalidError,
  finite,
  having,
  list,
  millis,
  oneOf,
  positiveInteger,
  positiveMillis,
  text,
} from "./options.ts";
import type { Expected } from "./options.ts";
import { xRateLimit } from "./RateLimitDialect.ts";
import type { RateLimitDialect } from "./RateLimitDialect.ts";
import { memoryStore } from "./Store.ts";
import type { Store } from "./Store.ts";

/** Options of a limiter; times in milliseconds. */
export interface LimiterOptions {
  /** The store of the limiter's knowledge. Default: `memoryStore()`. */
  readonly store?: Store | undefined;
  /** Reader of the rate-limit headers. Default: `xRateLimit`. */
  readonly dialect?: RateLimitDialect | undefined;
  /** Limiters with different keys share nothing, also in one store. Default: `default`. */
  readonly key?: string | undefined;
  /**
   * Scopes of rules. Default: `ip` and `client` are shared by all identities, every
   * other rule counts each identity.
   */
  readonly scopes?: Readonly<Record<string, "shared" | "identity">> | undefined;
  /** A request fails at once if it would have to wait longer than this. Default: 60 s. */
  readonly maxWait?: number | undefined;
  /**
   * Limits to begin with, for a service that tells none: `["10 per 5s", "1000 per 1h"]`. All routes
   * whose responses name no limits share them; a refusal lowers them, and nothing raises them.
   */
  readonly limits?: ReadonlyArray<string> | undefined;
  /** `adaptive` of `./adaptive` finds the limits of a service that tells none. Default: none. */
  readonly adaptive?: Adaptive | undefined;
  /** Maximum requests in flight over all policies. Bursts can trigger a firewall. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Maximum requests in flight on a route without rate headers. Default: 4. */
  readonly concurrencyWithoutHeaders?: number | undefined;
  /** A request without an outcome counts as lost after this time. Default: 90 s. */
  readonly inFlightTimeout?: number | undefined;
  /** 401, 403 and 429 responses within `clientErrorWindow` that block the client. Default: 60. */
  readonly maxClientErrors?: number | undefined;
  /** See `maxClientErrors`. Default: 10 minutes. */
  readonly clientErrorWindow?: number | undefined;
  /** Whether the service counts a status as a client error. Default: every 4xx. */
  readonly countsAsError?: ((status: number) => boolean) | undefined;
  /** The time for which nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly firewallCooldown?: number | undefined;
  /** Hidden buckets to look for. Default: 1 to 8, 10, 12, 15, 20, 30 and 60 s. */
  readonly bucketSizes?: ReadonlyArray<number> | undefined;
  /**
   * For a priority, the places of each window that requests of lower ones never take. `{ 1: 2 }`:
   * two places are for requests of priority 1 and higher. Default: none.
   */
  readonly reserve?: Readonly<Record<number, number>> | undefined;
  /**
   * Called for each grant, each 429, each request that was not sent or was lost, and each callback
   * or store that failed; for metrics. Requests that the program aborts are not told.
   */
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** A request to send. */
export interface LimiterRequest extends LimitedRoute {
  /** Higher goes first; a waiting request rises by one each 30 s. Default: 0. */
  readonly priority?: number | undefined;
  /** See `LimiterOptions.maxWait`. */
  readonly maxWait?: number | undefined;
  /** Takes a waiting request out of the queue. */
  readonly signal?: AbortSignal | undefined;
}

const LIMIT = /^\s*([1-9]\d{0,8})\s*(?:per|\/)\s*(?:(\d+(?:\.\d+)?)\s*)?(ms|s|m|h|d)\s*$/u;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const readLimit = (value: string): StatedLimit => {
  const [, max, count = "1", unit = "s"] = LIMIT.exec(value) ?? [];
  return { max: Number(max), period: Number(count) * UNITS[unit]! };
};

/** Of each period the least that was stated. */
const strictest = (limits: ReadonlyArray<StatedLimit>): ReadonlyArray<StatedLimit> =>
  [...Map.groupBy(limits, ({ period }) => period)].map(([period, all]) => ({
    max: Math.min(...all.map(({ max }) => max)),
    period,
  }));

const statedLimit: Expected = {
  is: 'a limit such as "10 per 5s"',
  fits: (value) => typeof value === "string" && readLimit(value).period > 0 && LIMIT.test(value),
};

const anyText: Expected = { is: "a text", fits: (value) => typeof value === "string" };

const anyObject = having();

const ignore = (): void => undefined;

const OPTIONS: Readonly<Record<keyof LimiterOptions, Expected>> = {
  store: having("open"),
  dialect: having("read"),
  key: text,
  scopes: anyObject,
  maxWait: millis,
  limits: list,
  adaptive: callback,
  maxInFlight: positiveInteger,
  concurrencyWithoutHeaders: positiveInteger,
  inFlightTimeout: positiveMillis,
  maxClientErrors: positiveInteger,
  clientErrorWindow: positiveMillis,
  countsAsError: callback,
  firewallCooldown: positiveMillis,
  bucketSizes: list,
  reserve: anyObject,
  onEvent: callback,
};

const REQUEST: ReadonlyArray<readonly [keyof LimiterRequest, Expected]> = [
  ["identity", anyText],
  ["priority", finite],
  ["maxWait", millis],
  ["signal", having("addEventListener", "removeEventListener")],
];

/** Throws `ConfigurationInvalidError` for the first option that cannot work. */
export const checkLimiterOptions = (options: LimiterOptions): void => {
  checkOptions(options, OPTIONS);
  checkEach("scopes", options.scopes, oneOf("shared", "identity"));
  checkEach("limits", options.limits, statedLimit);
  checkEach("bucketSizes", options.bucketSizes, positiveMillis);
  checkEach("reserve", options.reserve, amount);
  for (const priority of Object.keys(options.reserve ?? {}))
    checkOption(`reserve.${priority}`, Number(priority), finite);
};

const MEMBERS = ["route", "identity", "priority", "maxWait"];

/** The members of a request of each method. */
const KNOWN = {
  submit: new Set(MEMBERS),
  acquire: new Set([...MEMBERS, "signal"]),
  run: new Set([...MEMBERS, "signal", "report"]),
};

/**
 * Throws `ConfigurationInvalidError` for the first member of a request that cannot work, or that
 * nobody knows.
 */
export const checkRequest = (request: LimiterRequest, method: keyof typeof KNOWN): void => {
  checkOption("request", request ?? null, anyObject);
  const known = KNOWN[method];
  for (const name in request)
    if (!known.has(name) && request[name as keyof LimiterRequest] !== undefined)
      throw new ConfigurationInvalidError(name, `one of ${[...known].join(", ")}`, name);
  checkOption("route", request.route ?? null, anyText);
  for (const [name, expected] of REQUEST) checkOption(name, request[name], expected);
};

/** The options of a queue, with their defaults. Throws `ConfigurationInvalidError`. */
export const queueOptions = (options: LimiterOptions): QueueOptions => {
  checkLimiterOptions(options);
  const { scopes } = options;
  const store = options.store ?? memoryStore();
  return {
    store,
    key: options.key ?? "default",
    dialect: options.dialect ?? xRateLimit,
    core: {
      isShared: (rule) =>
        scopes?.[rule] === undefined ? defaultOptions.isShared(rule) : scopes[rule] === "shared",
      bucketSizes: options.bucketSizes ?? BUCKET_SIZES,
      concurrencyWithoutHeaders:
        options.concurrencyWithoutHeaders ?? defaultOptions.concurrencyWithoutHeaders,
      inFlightTimeout: options.inFlightTimeout ?? defaultOptions.inFlightTimeout,
      adaptive: (...lesson) =>
        attempt(
          () => options.adaptive?.(...lesson),
          (cause) =>
            void attempt(
              () => options.onEvent?.({ type: "fault", source: "adaptive", cause }),
              ignore,
            ),
        ),
      stated: strictest((options.limits ?? []).map(readLimit)),
      spare: soundSpare(store.spare ?? defaultOptions.spare),
    },
    errors: {
      max: options.maxClientErrors ?? 60,
      window: options.clientErrorWindow ?? 600_000,
      firewallCooldown: options.firewallCooldown ?? 900_000,
      counts: options.countsAsError ?? ((status) => status >= 400 && status < 500),
    },
    maxInFlight: options.maxInFlight ?? 8,
    maxWait: options.maxWait ?? 60_000,
    reserve: Object.entries(options.reserve ?? {}).map(([priority, places]) => [
      Number(priority),
      places,
    ]),
    onEvent: options.onEvent,
  };
};
