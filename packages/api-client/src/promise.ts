/**
 * The same client for programs without Effect: promises, async iterables, `AbortSignal`, errors
 * thrown as they are.
 *
 * Every method of `GameApi` is here under the same name. Errors have a `_tag` (`"NotFound"`,
 * `"RateLimited"`, …) and are instances of the classes in the main entry. A call that was aborted
 * through its `signal` throws the signal's reason.
 */
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import type * as HttpClient from "effect/http/HttpClient";
import type { CallOptions, ResponseInfo } from "./CallOptions.ts";
import { withResponse } from "./CallOptions.ts";
import type { CredentialsSource } from "./Credentials.ts";
import type { GameApiError, Transport } from "./Errors.ts";
import { GameApi as EffectGameApi } from "./GameApi.ts";
import type { GameApiOptions, GameApiService } from "./GameApi.ts";
import type { PolicyLimiterOptions } from "@game-data/rate-limit/effect";
import type { RawResponse } from "./RawResponse.ts";

export type { CallOptions, ResponseInfo } from "./CallOptions.ts";
export * from "./Errors.ts";

/**
 * A source of tokens without Effect: called for every request, and with the refused token after a
 * 401.
 */
export type TokenFunction = (refused?: string) => Promise<string> | string;

/** How a client without Effect is set up. */
export interface PromiseOptions extends Omit<GameApiOptions, "credentials"> {
  /** A token, a function that gives one, or whatever the client with Effect takes. */
  readonly credentials?: GameApiOptions["credentials"] | TokenFunction;
  /** The transport. Default: `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Another transport of Effect's, such as `NodeHttpClient.layerUndici`. */
  readonly httpClient?: Layer.Layer<HttpClient.HttpClient> | undefined;
  /** How the rate limiter behaves. */
  readonly limiter?: PolicyLimiterOptions | undefined;
}

/** An answer whose body is still on its way. Read it to the end, or `close` it. */
export interface RawAnswer extends Omit<RawResponse, "bytes" | "unpacked"> {
  /** The bytes as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The bytes, unpacked. */
  readonly unpacked: AsyncIterable<Uint8Array>;
  /** Lets go of the connection. */
  readonly close: () => Promise<void>;
}

/** One method without Effect. */
export type PromiseMethod<Method> = Method extends (
  ...args: infer Args
) => Stream.Stream<infer A, GameApiError>
  ? (...args: Args) => AsyncIterable<A>
  : Method extends (...args: infer Args) => Effect.Effect<RawResponse, GameApiError, Scope.Scope>
    ? (...args: Args) => Promise<RawAnswer>
    : Method extends (...args: infer Args) => Effect.Effect<infer A, GameApiError>
      ? (...args: Args) => Promise<A>
      : never;

/** The methods of the client, without Effect. */
export type PromiseFace<Service> = {
  readonly [Key in keyof Service]: Service[Key] extends (...args: never) => unknown
    ? PromiseMethod<Service[Key]>
    : { readonly [Name in keyof Service[Key]]: PromiseMethod<Service[Key][Name]> };
};

/** The client without Effect. */
export interface GameApi extends PromiseFace<GameApiService> {
  /**
   * The value of a call together with its answer: `api.withResponse((api) => api.profile.get())`.
   */
  readonly withResponse: <A>(
    call: (api: GameApiService) => Effect.Effect<A, GameApiError>,
    options?: Pick<CallOptions, "signal">,
  ) => Promise<{ readonly data: A; readonly response: ResponseInfo | undefined }>;
  /** Ends what is under way and lets go of all connections. */
  readonly close: () => Promise<void>;
}

/** A client. Make one per budget and keep it: it holds the rate limiter's knowledge. */
export const createGameApi = async (options: PromiseOptions): Promise<GameApi> => {
  const { credentials, fetch, httpClient, ...rest } = options;
  const transport =
    httpClient ??
    (fetch
      ? FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)))
      : FetchHttpClient.layer);
  const runtime = ManagedRuntime.make(
    EffectGameApi.layer({
      ...rest,
      credentials: typeof credentials === "function" ? fromFunction(credentials) : credentials,
    }).pipe(Layer.provide(transport)),
  );
  const service = await runtime.runPromise(Effect.map(EffectGameApi, (api) => api));

  const run = async <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
    signal?.throwIfAborted();
    try {
      return await runtime.runPromise(effect, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };

  const method =
    (name: string, call: (...args: ReadonlyArray<unknown>) => unknown) =>
    (...args: ReadonlyArray<unknown>): unknown => {
      const { signal } = (args.findLast(isOptions) ?? {}) as CallOptions;
      const result = call(...args);
      if (Stream.isStream(result)) {
        return untilAborted(
          Stream.toAsyncIterable(result as Stream.Stream<unknown, GameApiError>),
          signal,
        );
      }
      return name === "raw"
        ? openRaw(
            (effect) => run(effect, signal),
            result as Effect.Effect<RawResponse, GameApiError, Scope.Scope>,
          )
        : run(result as Effect.Effect<unknown, GameApiError>, signal);
    };

  const face = Object.fromEntries(
    Object.entries(service).map(([key, member]) => [
      key,
      typeof member === "function"
        ? method(key, member as never)
        : Object.fromEntries(
            Object.entries(member as object).map(([name, call]) => [name, method(name, call)]),
          ),
    ]),
  ) as unknown as PromiseFace<GameApiService>;

  return {
    ...face,
    withResponse: (call, { signal } = {}) => run(withResponse(call(service)), signal),
    close: () => runtime.dispose(),
  };
};

/** The entries, or the signal's reason in place of the interruption that it caused. */
const untilAborted = async function* <A>(
  entries: AsyncIterable<A>,
  signal: AbortSignal | undefined,
): AsyncIterable<A> {
  try {
    yield* entries;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};

const isOptions = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "signal" in value;

const openRaw = async (
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>,
  call: Effect.Effect<RawResponse, GameApiError, Scope.Scope>,
): Promise<RawAnswer> => {
  const scope = Scope.makeUnsafe();
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
  try {
    const { bytes, unpacked, ...answer } = await run(
      Effect.provideService(call, Scope.Scope, scope),
    );
    const iterate = (stream: Stream.Stream<Uint8Array, Transport>) =>
      Stream.toAsyncIterable(Stream.ensuring(stream, Scope.close(scope, Exit.void)));
    return { ...answer, bytes: iterate(bytes), unpacked: iterate(unpacked), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const fromFunction = (token: TokenFunction): CredentialsSource => {
  const ask = (refused?: string) =>
    Effect.tryPromise({
      try: async () => ({ token: Redacted.make(await token(refused)), scopes: undefined }),
      catch: (cause) => ({
        kind: "sign-in" as const,
        detail: cause instanceof Error ? cause.message : "no token",
      }),
    });
  return {
    current: ask(),
    renew: (refused) => ask(Redacted.value(refused)),
  };
};
