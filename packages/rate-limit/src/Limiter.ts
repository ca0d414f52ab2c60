/**
 * Delays each request until the service's rate limits permit it. For programs without Effect.
 *
 * Limits are learned from response headers and never configured. One limiter serves all routes and
 * users of one service: keep it, it holds what was learned.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 *
 * const limiter = createLimiter();
 * const response = await limiter.run({ route: "GET /users/{id}" }, async () => new Response("{}"));
 * if (response.status !== 200) throw new Error("not reached");
 * ```
 */
import { BUCKET_SIZES } from "./core/Belief.ts";
import type { Grant } from "./core/State.ts";
import { makeQueue } from "./core/Queue.ts";
import type { Queue, QueueOptions } from "./core/Queue.ts";
import { defaultOptions } from "./core/State.ts";
import { attempt, soundSpare } from "./core/sound.ts";
import type { StatedLimit } from "./core/State.ts";
import {
  amount,
  callback,
  checkEach,
  checkOption,
  checkOptions,
  finite,
  flag,
  having,
  list,
  millis,
  oneOf,
  positiveInteger,
  positiveMillis,
  text,
} from "./options.ts";
import type { Expected } from "./options.ts";
import type { LimitedRoute, LimiterEvent, Permit, RequestOutcome } from "./Model.ts";
import { xRateLimit } from "./RateLimitDialect.ts";
import type { RateLimitDialect } from "./RateLimitDialect.ts";
import { RequestNotSentError, StoreError } from "./RequestNotSentError.ts";
import { memoryStore } from "./Store.ts";
import type { Clock, Store } from "./Store.ts";

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
  /** Called for each grant, each 429 and each request that was not sent; for metrics. */
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** A request to send. */
export interface LimiterRequest extends LimitedRoute {
  /** Higher goes first; a waiting request rises by one each 30 s. Default: 0. */
  readonly priority?: number | undefined;
  /** See `LimiterOptions.maxWait`. */
  readonly maxWait?: number | undefined;
  /** `false` for a HEAD probe, which the service does not count. Default: `true`. */
  readonly counted?: boolean | undefined;
  /** Takes a waiting request out of the queue. */
  readonly signal?: AbortSignal | undefined;
}

/** Permission to send one request; `settle` tells its outcome, once. */
export interface Lease {
  readonly permit: Permit;
  readonly settle: (outcome: RequestOutcome) => Promise<void>;
}

/** The limiter. */
export interface Limiter {
  /**
   * Runs `send` when the request's turn has come, and reads `status` and `headers` of the result.
   * `report` overrides what is read. The body is left alone. Of an error its `response` is read.
   */
  readonly run: <A>(
    request: LimiterRequest & { readonly report?: (result: A) => RequestOutcome },
    send: (permit: Permit) => Promise<A> | A,
  ) => Promise<A>;
  /** The two halves of `run`, for adapters. */
  readonly acquire: (request: LimiterRequest) => Promise<Lease>;
  /** Number of requests that wait. */
  readonly waiting: () => number;
  /** Grants nothing until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Rejects all that wait with `RequestNotSentError` of kind `cleared`. */
  readonly clear: () => void;
  /** Resolves when nothing waits and nothing is in flight. */
  readonly onIdle: () => Promise<void>;
  /**
   * Rejects all that wait, and all that comes later, with kind `closed`; writes what is not written
   * yet. Requests in flight end as they do.
   */
  readonly close: () => Promise<void>;
  /** The state that the functions of `./inspect` read. */
  readonly queue: Queue;
}

const clock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule: (after, wake) => {
    const timer = setTimeout(wake, after);
    return () => clearTimeout(timer);
  },
};

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

const statedLimit: Expected = {
  is: 'a limit such as "10 per 5s"',
  fits: (value) => typeof value === "string" && readLimit(value).period > 0 && LIMIT.test(value),
};

const OPTIONS: Readonly<Record<keyof LimiterOptions, Expected>> = {
  store: having("open"),
  dialect: having("read"),
  key: text,
  scopes: having(),
  maxWait: millis,
  limits: list,
  maxInFlight: positiveInteger,
  concurrencyWithoutHeaders: positiveInteger,
  inFlightTimeout: positiveMillis,
  maxClientErrors: positiveInteger,
  clientErrorWindow: positiveMillis,
  countsAsError: callback,
  firewallCooldown: positiveMillis,
  bucketSizes: list,
  reserve: having(),
  onEvent: callback,
};

const anySignal = having("addEventListener", "removeEventListener");

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

/** Throws `ConfigurationInvalidError` for the first member of a request that cannot work. */
export const checkRequest = (request: LimiterRequest): void => {
  if (request === null || typeof request !== "object") checkOptions(request, {}, "request");
  const { counted, identity, maxWait, priority, route, signal } = request;
  if (typeof route !== "string") checkOption("route", route ?? null, text);
  if (identity !== undefined && typeof identity !== "string")
    checkOption("identity", identity, text);
  if (priority !== undefined) checkOption("priority", priority, finite);
  if (maxWait !== undefined) checkOption("maxWait", maxWait, millis);
  if (counted !== undefined) checkOption("counted", counted, flag);
  if (signal !== undefined) checkOption("signal", signal, anySignal);
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
      stated: (options.limits ?? []).map(readLimit),
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

/** Makes a limiter. Throws `ConfigurationInvalidError`. */
export const createLimiter = (options: LimiterOptions = {}): Limiter => {
  const queue = makeQueue(queueOptions(options), clock);

  const acquire = (asked: LimiterRequest): Promise<Lease> =>
    new Promise((resolve, reject) => {
      checkRequest(asked);
      const { maxWait, signal, ...request } = asked;
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      let leave: (() => void) | undefined;
      const abort = (): void => {
        leave?.();
        reject(signal?.reason);
      };
      const done = (): void => signal?.removeEventListener("abort", abort);
      leave = queue.submit(
        { ...request, maxWaitMillis: maxWait },
        {
          granted: (permit, grant) => {
            done();
            resolve(leaseOf(permit, grant));
          },
          refused: (details) => {
            done();
            reject(new RequestNotSentError(details));
          },
          failed: (cause) => {
            done();
            reject(storeError(cause));
          },
        },
      );
      signal?.addEventListener("abort", abort, { once: true });
    });

  const leaseOf = (permit: Permit, grant: Grant): Lease => {
    let isSettled = false;
    return {
      permit,
      settle: async (outcome) => {
        if (isSettled) return;
        isSettled = true;
        try {
          await queue.settle(grant, outcome);
        } catch (cause) {
          throw storeError(cause);
        }
      },
    };
  };

  return {
    acquire,
    run: async (asked, send) => {
      checkRequest(asked);
      const { report, ...request } = asked;
      checkOption("report", report, callback);
      checkOption("send", send ?? null, callback);
      const { permit, settle } = await acquire(request);
      let outcome: RequestOutcome = { status: undefined };
      try {
        const result = await send(permit);
        outcome = report ? report(result) : outcomeOf(result);
        return result;
      } catch (error) {
        // ky, got, octokit and axios throw for 4xx and 5xx.
        outcome = outcomeOf((error as { response?: unknown } | undefined)?.response);
        throw error;
      } finally {
        // A response is returned even if the store cannot record it.
        await settle(outcome).catch(() => undefined);
      }
    },
    waiting: () => queue.waiting(),
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    clear: () => queue.clear(),
    onIdle: () => queue.idle(),
    close: async () => {
      try {
        await queue.close();
      } catch (cause) {
        throw storeError(cause);
      }
    },
    queue,
  };
};

const storeError = (cause: unknown): StoreError =>
  cause instanceof StoreError ? cause : new StoreError(reasonOf(cause), cause);

const reasonOf = (cause: unknown): string => {
  if (cause instanceof Error && cause.message) return cause.message;
  return typeof cause === "string" && cause ? cause : "it gave no reason";
};

/** The outcome of what looks like a response: `fetch`, undici, got, axios. */
const outcomeOf = (result: unknown): RequestOutcome => {
  if (typeof result !== "object" || result === null) return { status: undefined };
  const { headers, status, statusCode } = result as Record<string, unknown>;
  const code = status ?? statusCode;
  return {
    status: typeof code === "number" ? code : undefined,
    headers: headersOf(headers),
  };
};

const headersOf = (headers: unknown): Record<string, string> | undefined => {
  if (typeof headers !== "object" || headers === null) return undefined;
  return attempt<Record<string, string> | undefined>(
    () => {
      const entries =
        Symbol.iterator in headers
          ? [...(headers as Iterable<readonly [string, string]>)]
          : Object.entries(headers);
      const found: Record<string, string> = {};
      for (const [name, value] of entries)
        if (value !== undefined) found[name.toLowerCase()] = String(value);
      return found;
    },
    () => undefined,
  );
};
