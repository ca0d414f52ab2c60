/**
 * The client for programs without Effect: promises, async iterables and `AbortSignal`. It rejects
 * with the same errors.
 */
import {
  type LimiterOptions,
  LimiterStore,
  type LimiterStoreError,
  PolicyLimiter,
} from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import type * as HttpClient from "effect/http/HttpClient";
import * as Layer from "effect/Layer";
import * as References from "effect/References";
import type * as Stream from "effect/Stream";
import type { GameApiService, RawResponse } from "./Api.ts";
import { GameApi as GameApiTag } from "./GameApi.ts";
import { defineGroups, groupMethods } from "./operations/methods.ts";
import { checkLimiter, type GameApiOptions, resolveOptions } from "./Options.ts";
import { type PromiseCredentials, toTokenSource } from "./promise/credentials.ts";
import { type PromiseRawResponse, Runner } from "./promise/Runner.ts";

export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export * from "./Errors.ts";
export type * from "./Api.ts";
export type { CallOptions, ResponseInfo, RetryInfo, RetryPolicy } from "./Options.ts";
export type { PromiseRawResponse } from "./promise/Runner.ts";
export type {
  PromiseCredentials,
  PromiseSessionLike,
  PromiseToken,
  PromiseTokenSource,
  TokenFunction,
} from "./promise/credentials.ts";

/** Options of a client. */
export interface PromiseOptions extends Omit<GameApiOptions, "credentials"> {
  readonly credentials?: PromiseCredentials | undefined;
  /** Options of the rate limiter. With `store`, several processes share one budget. */
  readonly limiter?:
    | (LimiterOptions & {
        readonly store?: Layer.Layer<LimiterStore, LimiterStoreError> | undefined;
      })
    | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** An HTTP client of Effect in place of `fetch`, such as `NodeHttpClient.layerUndici`. */
  readonly http?: Layer.Layer<HttpClient.HttpClient> | undefined;
}

/** The signal that cancels a call. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

type WithSignal<Args> = {
  [Index in keyof Args]: Args[Index] extends { readonly retries?: number | undefined } | undefined
    ? Args[Index] & (Abortable | undefined)
    : Args[Index];
};

/** A method, or a group of methods, with promises in place of effects. */
export type Promised<T> = {
  readonly [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? (
        ...args: WithSignal<Args>
      ) => Result extends Effect.Effect<RawResponse, any, any>
        ? Promise<PromiseRawResponse>
        : Result extends Effect.Effect<infer A, any, any>
          ? Promise<A>
          : Result extends Stream.Stream<infer A, any>
            ? AsyncIterable<A>
            : never
    : Promised<T[Key]>;
};

/** The client of one user. */
export interface PromiseApi extends Promised<Omit<GameApiService, "as">> {
  /** Returns the client of another user; both share one limiter. Throws `ConfigurationInvalid`. */
  readonly as: (
    credentials: PromiseCredentials,
    options?: { readonly identity?: string },
  ) => PromiseApi;
}

/** A client. */
export interface GameApi extends PromiseApi {
  /** Cancels the calls in flight, also those of other users. Further calls are rejected. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a client. Keep one for each budget, because it holds what is known of the rate limits.
 * Throws `ConfigurationInvalid`.
 *
 * @example
 * ```ts
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   credentials: "a token",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 * });
 * await api.close();
 * ```
 */
export const createGameApi = (options: PromiseOptions): GameApi => {
  const { credentials, fetch, http = fetchLayer(fetch), limiter = {}, ...rest } = options;
  const { store = LimiterStore.layerMemory, ...limiterOptions } = limiter;
  const source = credentials === undefined ? undefined : toTokenSource(credentials);
  resolveOptions(rest);
  checkLimiter(limiterOptions);
  const layer = GameApiTag.layerWithLimiter({ ...rest, credentials: source }).pipe(
    Layer.provide(PolicyLimiter.layer(limiterOptions)),
    Layer.provide([http, Layer.fresh(store)]),
    // Without Effect there is no tracer that reads spans.
    Layer.merge(Layer.succeed(References.TracerEnabled, false)),
  );
  return new PromiseUser(new Runner(layer), GameApiTag) as unknown as GameApi;
};

const fetchLayer = (fetch = globalThis.fetch) =>
  Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch));

/** The client of one user. `defineGroups` adds the groups of methods. */
class PromiseUser {
  readonly runner: Runner;
  readonly api: Effect.Effect<GameApiService, never, GameApiTag>;

  constructor(runner: Runner, api: PromiseUser["api"]) {
    this.runner = runner;
    this.api = api;
    for (const name of ["request", "forecast", "limits"] as const)
      Object.assign(this, { [name]: promiseMethod(this, name, (client) => client[name]) });
  }

  static {
    defineGroups(PromiseUser, (user, group) => {
      // Making the methods of a group sends nothing, so their names are known without a client.
      const names = Object.keys(groupMethods(undefined as never, group));
      const methods = names.map((name) => [
        name,
        promiseMethod(user, `${group}.${name}`, (client) => client[group][name as never]),
      ]);
      return Object.fromEntries(methods);
    });
  }

  as(credentials: PromiseCredentials, options?: { readonly identity?: string }): PromiseUser {
    const source = toTokenSource(credentials);
    let client: GameApiService | undefined;
    const api = Effect.map(this.api, (parent) => (client ??= parent.as(source, options)));
    return new PromiseUser(this.runner, api);
  }

  close(): Promise<void> {
    return this.runner.close();
  }
}

/** Wraps a method of the Effect client, which returns an effect, a stream or an open response. */
const promiseMethod =
  (
    { api, runner }: PromiseUser,
    operation: string,
    select: (client: GameApiService) => (...args: any) => any,
  ) =>
  (...args: ReadonlyArray<unknown>) => {
    const { signal } = (args.at(-1) ?? {}) as Abortable;
    const result = Effect.map(api, (client): any => select(client).apply(client, [...args]));
    if (/(?:Pages|Entries)$/u.test(operation)) return runner.iterate(operation, result, signal);
    const effect = Effect.flatten<any, any, any, never, GameApiTag>(result);
    return operation.endsWith(".raw")
      ? runner.open(operation, effect, signal)
      : runner.run(operation, effect, signal);
  };
