/** The limiter for programs without Effect: a shell around `PolicyLimiter`. */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { closedError } from "./Errors.ts";
import type { Forecast, RouteLimits } from "./inspect.ts";
import { type LimiterOptions, resolveOptions, valid } from "./LimiterOptions.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";
import type { LimiterRequest, Outcome, Permit, PolicyLimiterService } from "./PolicyLimiter.ts";
import { classify, type ClassifyOptions } from "./routeOf.ts";
import { layerReopening, LimiterStore } from "./Store.ts";

/** A request, and a signal that ends its wait. */
export interface PromiseRequest extends LimiterRequest {
  /** Aborting the signal removes a waiting request from the queue, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createLimiter`, which add a store to the options of a limiter. */
export interface PromiseLimiterOptions extends LimiterOptions {
  /** Keeps what the limiter learns. Default: `LimiterStore.layerMemory`. */
  readonly store?: Layer.Layer<LimiterStore, unknown> | undefined;
}

/** A limiter with promises in place of effects. */
export interface Limiter {
  /**
   * Runs `send` once the limits permit it. `report` maps the settled result to an outcome. Default:
   * reads `status` and `headers` of the value, or of an error's `response`.
   */
  readonly run: <A>(
    request: PromiseRequest,
    send: (permit: Permit) => Promise<A> | A,
    report?: (result: PromiseSettledResult<A>) => Outcome,
  ) => Promise<A>;
  /**
   * Returns when the next `count` requests (1 to 10,000) can be sent. Ignores waiting requests and
   * later ones. Rejects with `LimiterOptionInvalid` if an argument is invalid.
   */
  readonly forecast: (request: LimiterRequest, count: number) => Promise<Forecast>;
  /** Returns the known limits of a route, and how much of them is used. */
  readonly limits: (request: LimiterRequest) => Promise<RouteLimits>;
  /** Returns the number of requests that wait for a permit. */
  readonly waiting: () => Promise<number>;
  /** Rejects waiting and later requests. Waits for the store for at most 5 seconds. */
  readonly close: () => Promise<void>;
}

/**
 * `close` gives up after this time, because the client of an unavailable store may never finish
 * closing.
 */
const CLOSE_TIMEOUT = "5 seconds";

/**
 * Creates a limiter. Throws `LimiterOptionInvalid`.
 *
 * @example
 * ```ts
 * import { createLimiter, limitFetch } from "@game-data/rate-limit/promise";
 *
 * const limiter = createLimiter();
 * const limited = limitFetch(limiter, fetch); // takes what fetch takes
 * console.log(await limiter.waiting()); // 0
 * await limiter.close();
 * ```
 */
export const createLimiter = (options: PromiseLimiterOptions = {}): Limiter => {
  resolveOptions(options);
  const { store = LimiterStore.layerMemory } = options;
  valid("store", store, Layer.isLayer(store), "a layer");
  const layer = Layer.provide(PolicyLimiter.layer(options), layerReopening(store));
  const runtime = ManagedRuntime.make(layer);
  let isClosed = false;
  const runEffect = async <A>(
    use: (limiter: PolicyLimiterService) => Effect.Effect<A, unknown>,
    request: PromiseRequest,
  ): Promise<A> => {
    const { route, signal } = Object(request) as PromiseRequest;
    if (isClosed) throw closedError(route);
    const exit = await runtime.runPromiseExit(PolicyLimiter.use(use), signal && { signal });
    if (Exit.isSuccess(exit)) return exit.value;
    if (signal?.aborted) throw signal.reason;
    if (isClosed && Cause.hasInterruptsOnly(exit.cause)) throw closedError(route);
    throw Cause.squash(exit.cause);
  };
  return {
    run: (request, send, report = resultOutcome) =>
      runEffect(
        (limiter) =>
          limiter.run(
            request,
            (permit) =>
              Effect.tryPromise({
                try: () => Promise.resolve(send(permit)),
                catch: (error) => error,
              }),
            (exit) => report(toSettled(exit)),
          ),
        request,
      ),
    forecast: (request, count) => runEffect((limiter) => limiter.forecast(request, count), request),
    limits: (request) => runEffect((limiter) => limiter.limits(request), request),
    waiting: () => runEffect(({ waiting }) => waiting, { route: "" }),
    close: () => {
      isClosed = true;
      const disposal = Effect.flatMap(Effect.forkDetach(runtime.disposeEffect), Fiber.await);
      return Effect.runPromise(Effect.asVoid(Effect.timeoutOption(disposal, CLOSE_TIMEOUT)));
    },
  };
};

const toSettled = <A>(exit: Exit.Exit<A, unknown>): PromiseSettledResult<A> =>
  Exit.isSuccess(exit)
    ? { status: "fulfilled", value: exit.value }
    : { status: "rejected", reason: Cause.squash(exit.cause) };

/** Reads the response of an error too, because got, ky, octokit and axios throw for 4xx and 5xx. */
const resultOutcome = (result: PromiseSettledResult<unknown>): Outcome =>
  readOutcome(result.status === "fulfilled" ? result.value : Object(result.reason).response);

/** Reads status and headers of the response of any HTTP client. */
export const readOutcome = (response: unknown): Outcome => {
  const { headers, status, statusCode = status } = Object(response);
  const entries: Iterable<[string, unknown]> =
    Symbol.iterator in Object(headers) ? headers : Object.entries(Object(headers));
  return {
    status: typeof statusCode === "number" ? statusCode : undefined,
    headers: Object.fromEntries(
      Array.from(entries, ([name, value]) => [name.toLowerCase(), String(value)]),
    ),
  };
};

/** The request that `route` and `identity` of `limitFetch` receive. */
export interface FetchRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
}

/** Returns the address of the page, against which a browser resolves relative URLs. */
const pageAddress = (): string | undefined =>
  (globalThis as { readonly location?: { readonly href: string } }).location?.href;

/** Wraps `fetch`, so that its requests wait for the limiter. */
export const limitFetch =
  (
    limiter: Pick<Limiter, "run">,
    fetch: typeof globalThis.fetch,
    options: ClassifyOptions<FetchRequest> = {},
  ): typeof globalThis.fetch =>
  async (input, init = {}) => {
    // A `Request` made of both arguments would leave a listener on the caller's signal.
    const from: Partial<Request> = input instanceof Request ? input : {};
    const url = new URL(from.url ?? String(input), pageAddress());
    const method = (init.method ?? from.method ?? "GET").toUpperCase();
    const headers = new Headers(init.headers ?? from.headers);
    const request = classify(options, { method, url, headers }, method, url);
    return limiter.run({ ...request, signal: init.signal ?? from.signal }, () =>
      fetch(input, init),
    );
  };
