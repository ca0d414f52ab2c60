/**
 * The client for programs without Effect: promises, async iterables and `AbortSignal`. It rejects
 * with the same errors.
 */
import type { GroupName } from "@game-data/contract/routes";
import {
  layerReopening,
  type LimiterOptions,
  LimiterStore,
  PolicyLimiter,
} from "@game-data/rate-limit";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import type * as HttpClient from "effect/http/HttpClient";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Pull from "effect/Pull";
import * as Record from "effect/Record";
import * as References from "effect/References";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import type { GameApiService, RawResponse } from "./Api.ts";
import type { Call, Services } from "./call/Call.ts";
import { CallObserver } from "./call/runCall.ts";
import type { Credentials } from "./Credentials.ts";
import { TransportError } from "./Errors.ts";
import { LazyGroups, makeApi, makeServices } from "./operations/UserApi.ts";
import { type GameApiOptions, isSignal, resolveOptions } from "./Options.ts";

export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export * from "./Errors.ts";
export type * from "./Api.ts";
export type { CallOptions, ResponseInfo, RetryInfo, RetryPolicy } from "./Options.ts";
export type {
  Credentials,
  PromiseSessionLike,
  SessionLike,
  TokenFunction,
  TokenSource,
} from "./Credentials.ts";

/** Options of `createGameApi`: the client, its limiter and its HTTP client. */
export interface PromiseOptions extends GameApiOptions {
  /** Options of the rate limiter. With `store`, several processes share one budget. */
  readonly limiter?:
    | (LimiterOptions & {
        readonly store?: Layer.Layer<LimiterStore, unknown> | undefined;
      })
    | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** An HTTP client of Effect in place of `fetch`, such as `NodeHttpClient.layerUndici`. */
  readonly http?: Layer.Layer<HttpClient.HttpClient> | undefined;
}

/** A response whose body has not been read yet. Read it to the end, or `close` it. */
export interface PromiseRawResponse extends Omit<RawResponse, "bytes"> {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** The signal that cancels a call. The call rejects with the signal's reason. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

type WithSignal<Args> = {
  [Index in keyof Args]: Args[Index] extends { readonly retries?: number | undefined } | undefined
    ? Args[Index] & (Abortable | undefined)
    : Args[Index];
};

/** A method, or a group of methods, with promises in place of effects. */
export type PromiseMethods<T> = {
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
    : PromiseMethods<T[Key]>;
};

/** Methods of the Promise client for one user. */
export interface PromiseApi extends PromiseMethods<Omit<GameApiService, "as">> {
  /** Returns the client of another user; both share one limiter. Throws `ConfigurationInvalid`. */
  readonly as: (credentials: Credentials, options?: { readonly identity?: string }) => PromiseApi;
}

/** The Promise client. Close it at the end of the program. */
export interface GameApi extends PromiseApi {
  /** Cancels the calls in flight, also those of other users. Further calls are rejected. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a client. Keep one client for each budget, because the client learns the rate limits.
 * Throws `ConfigurationInvalid`.
 *
 * @example
 * ```ts no-run
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example.com",
 *   credentials: () => process.env["ACCESS_TOKEN"] ?? "",
 *   userAgent: { clientId: "my-program", version: "1.0.0", contact: "me@example.com" },
 * });
 * for (const { id } of await api.leagues.list()) console.log(id);
 * await api.close();
 * ```
 */
export const createGameApi = (options: PromiseOptions): GameApi => {
  const settings = resolveOptions(options);
  const { fetch, http = fetchLayer(fetch), limiter = {} } = options;
  const { store = LimiterStore.layerMemory } = limiter;
  const layer = Layer.effect(ClientServices, makeServices).pipe(
    Layer.provide(PolicyLimiter.layer(limiter)),
    Layer.provide([http, layerReopening(store)]),
    // Without Effect there is no tracer that reads spans.
    Layer.merge(Layer.succeed(References.TracerEnabled, false)),
  );
  // The runtime of `Runner` provides these services to each call.
  const services = ClientServices as unknown as Effect.Effect<Services>;
  const user = new PromiseUser(new Runner(layer), makeApi(settings, services));
  return user as unknown as GameApi;
};

class ClientServices extends Context.Service<ClientServices, Services>()(
  "@game-data/api-client/promise/ClientServices",
) {}

const fetchLayer = (fetch = globalThis.fetch) =>
  Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch));

/** Wraps the Effect client of one user. All users share one `Runner`. */
class PromiseUser extends LazyGroups {
  readonly runner: Runner;
  readonly api: GameApiService;

  constructor(runner: Runner, api: GameApiService) {
    super();
    this.runner = runner;
    this.api = api;
    const { forecast, limits, request } = api;
    Object.assign(this, promiseMethods(this, { forecast, limits, request }));
  }

  override makeGroup(group: GroupName): object {
    return promiseMethods(this, this.api[group], `${group}.`);
  }

  as(credentials: Credentials, options?: { readonly identity?: string }): PromiseUser {
    return new PromiseUser(this.runner, this.api.as(credentials, options));
  }

  close(): Promise<void> {
    return this.runner.close();
  }
}

type Method = (...args: Array<any>) => unknown;

/** Wraps methods of the Effect client, which return effects, streams and open responses. */
const promiseMethods = (
  { api, runner }: PromiseUser,
  methods: object,
  group = "",
): Record<string, Method> =>
  Record.map(methods as Record<string, Method>, (method, name) => (...args) => {
    const operation = group + name;
    const { signal: given } = (args.at(-1) ?? {}) as Abortable;
    // Any other value is refused when the call checks its options.
    const signal = isSignal(given) ? given : undefined;
    const result: any = method.apply(api, args);
    const isStream: boolean = Stream.isStream(result);
    if (isStream) return runner.iterate(operation, result, signal);
    return name === "raw"
      ? runner.open(operation, result, signal)
      : runner.run(operation, result, signal);
  });

/** Runs the effects of a client, until it is closed. */
class Runner {
  readonly #runtime: ManagedRuntime.ManagedRuntime<ClientServices, unknown>;
  #isClosed = false;

  constructor(layer: Layer.Layer<ClientServices, unknown>) {
    this.#runtime = ManagedRuntime.make(layer);
  }

  /** Rejects with the signal's reason if it aborts, and with `closed` if the client closes. */
  async run<A, E>(
    operation: string,
    effect: Effect.Effect<A, E>,
    signal?: AbortSignal,
  ): Promise<A> {
    if (this.#isClosed) throw closed(operation);
    if (signal?.aborted) throw signal.reason;
    let call: Call | undefined;
    const observed = Effect.provideService(effect, CallObserver, (started) => {
      call = started;
    });
    const exit = await this.#runtime.runPromiseExit(observed, signal && { signal });
    if (Exit.isSuccess(exit)) return exit.value;
    if (!Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause);
    throw signal?.aborted ? signal.reason : closed(operation, call);
  }

  /** Iterates over a stream. The current step rejects if the signal aborts. */
  async *iterate<A, E>(
    operation: string,
    stream: Stream.Stream<A, E>,
    signal?: AbortSignal,
  ): AsyncGenerator<A> {
    const scope = Scope.makeUnsafe();
    try {
      const opening = Scope.provide(Stream.toPull(stream), scope);
      const pull = await this.run(operation, opening, signal);
      const step = Pull.catchDone(pull, () => Effect.succeed([]));
      for (;;) {
        const items = await this.run(operation, step, signal);
        if (items.length === 0) return;
        yield* items;
      }
    } finally {
      await closeScope(scope);
    }
  }

  /** Opens a response. Its connection stays open until its bytes are read or `close` is called. */
  async open<E>(
    operation: string,
    response: Effect.Effect<RawResponse, E, Scope.Scope>,
    signal?: AbortSignal,
  ): Promise<PromiseRawResponse> {
    const scope = Scope.makeUnsafe();
    const opened = await this.run(operation, Scope.provide(response, scope), signal);
    const bytes = Stream.ensuring(opened.bytes, Scope.close(scope, Exit.void));
    return {
      ...opened,
      bytes: this.iterate(operation, bytes, signal),
      close: () => closeScope(scope),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Closing the client of an unavailable store may never end.
    const disposal = Effect.flatMap(Effect.forkDetach(this.#runtime.disposeEffect), Fiber.await);
    await Effect.runPromise(Effect.timeoutOption(disposal, "5 seconds"));
  }
}

const closeScope = (scope: Scope.Closeable) => Effect.runPromise(Scope.close(scope, Exit.void));

const closed = (operation: string, call?: Call) =>
  new TransportError({
    operation,
    route: call?.route ?? "",
    attempts: call?.attempts ?? 0,
    reason: "closed",
  });
