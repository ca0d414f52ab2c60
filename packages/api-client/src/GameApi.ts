/** The typed client of the data API: one method for each operation of §4.2. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import type { RouteName } from "@game-data/contract/routes";
import type { UserAgent } from "@game-data/contract/UserAgent";
import {
  type LimiterOptions,
  type LimiterRequest,
  type LimiterStoreError,
  PolicyLimiter,
} from "@game-data/rate-limit";
import * as Config from "effect/Config";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import * as Layer from "effect/Layer";
import type { GameApiService, UnlistedRequest } from "./Api.ts";
import { type Caller, makeCall, type Shared } from "./call/Call.ts";
import { anyJson } from "./call/decode.ts";
import { limiterError } from "./call/errors.ts";
import { limitedRouteName, unlistedRequest } from "./call/prepare.ts";
import { forCalls, runCall } from "./call/runCall.ts";
import { type Credentials, toTokenSource, type TokenSource } from "./Credentials.ts";
import { defineGroups, groupMethods } from "./operations/methods.ts";
import { type CallOptions, checkLimiter, type GameApiOptions, resolveOptions } from "./Options.ts";

/** Options of a client with a limiter of its own. */
export interface GameApiLayerOptions extends GameApiOptions {
  /** Options of the rate limiter. Its `maxWait` does not apply; the client's does. */
  readonly limiter?: LimiterOptions | undefined;
}

/** Options of a client. Those that differ between environments may be a `Config`. */
export interface GameApiConfig extends Omit<GameApiLayerOptions, FromEnvironment> {
  readonly baseUrl: string | Config.Config<string>;
  readonly userAgent: UserAgent | Config.Config<UserAgent>;
  readonly credentials?: Credentials | Config.Config<Credentials | undefined> | undefined;
}
type FromEnvironment = "baseUrl" | "credentials" | "userAgent";

/**
 * The client. Each call gets an access token, checks its scopes, waits for the rate limits, retries
 * what may be retried, and succeeds with the checked value or fails with an error of `Errors`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect";
 * import * as Layer from "effect/Layer";
 * import * as FetchHttpClient from "effect/http/FetchHttpClient";
 * import { GameApi } from "@game-data/api-client";
 *
 * const live = GameApi.layer({
 *   baseUrl: "https://api.example",
 *   credentials: "a token",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 * }).pipe(Layer.provide(FetchHttpClient.layer));
 *
 * const program = Effect.gen(function* () {
 *   const api = yield* GameApi;
 *   return yield* api.characters.list();
 * }).pipe(Effect.provide(live));
 * ```
 */
export class GameApi extends Context.Service<GameApi, GameApiService>()(
  "@game-data/api-client/GameApi",
) {
  /**
   * A client with a limiter in the memory of this process. Make one client for each budget, because
   * two of them do not know of each other's requests.
   */
  static layer({
    limiter,
    ...options
  }: GameApiLayerOptions): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient> {
    const checked = Effect.as(
      checking(() => checkLimiter(limiter)),
      Layer.orDie(PolicyLimiter.layerMemory(limiter)),
    );
    return Layer.provide(GameApi.layerWithLimiter(options), Layer.unwrap(checked));
  }

  /** The same client with options from a `ConfigProvider`, by default the environment. */
  static layerConfig({
    baseUrl,
    credentials,
    userAgent,
    ...options
  }: GameApiConfig): Layer.Layer<
    GameApi,
    Config.ConfigError | ConfigurationInvalid,
    HttpClient.HttpClient
  > {
    const values = Config.all({
      baseUrl: toConfig(baseUrl),
      userAgent: toConfig(userAgent),
      credentials: toConfig(credentials),
    });
    return Layer.unwrap(Effect.map(values, (loaded) => GameApi.layer({ ...options, ...loaded })));
  }

  /** A client over a `PolicyLimiter` of yours, for example one that shares its state in Redis. */
  static layerWithLimiter(
    options: GameApiOptions,
  ): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient | PolicyLimiter> {
    const make = Effect.gen(function* () {
      const settings = yield* checking(() => resolveOptions(options));
      const { credentials } = options;
      const source = yield* checking(() =>
        credentials === undefined ? undefined : toTokenSource(credentials),
      );
      const shared: Shared = {
        settings,
        http: forCalls(yield* HttpClient.HttpClient),
        limiter: yield* PolicyLimiter,
        credit: { remaining: settings.retry.budget },
      };
      return new UserApi(shared, source, source?.identity) as unknown as GameApiService;
    });
    return Layer.effect(GameApi, make);
  }
}

const checking = <A>(check: () => A): Effect.Effect<A, ConfigurationInvalid> =>
  Effect.try({ try: check, catch: (error) => error as ConfigurationInvalid });

const toConfig = <A>(value: A | Config.Config<A>): Config.Config<A> =>
  Config.isConfig(value) ? (value as Config.Config<A>) : Config.succeed(value as A);

/** Numbers the users whose credentials have no identity. */
let nextUser = 1;

/** The client of one user. `defineGroups` adds the groups of methods. */
class UserApi implements Caller {
  readonly shared: Shared;
  readonly source: TokenSource | undefined;
  readonly identity: string | undefined;

  constructor(shared: Shared, source: TokenSource | undefined, identity: string | undefined) {
    this.shared = shared;
    this.source = source;
    this.identity = identity;
  }

  static {
    defineGroups(UserApi, groupMethods);
  }

  request(request: UnlistedRequest, options: CallOptions = {}) {
    const { method = "GET", path, route = `${method} ${path}` } = request;
    const call = makeCall(this, { operation: "request", route }, options, (settings) =>
      unlistedRequest(settings, request),
    );
    return Effect.flatMap(call, (made) => runCall(made, anyJson));
  }

  forecast(operation: RouteName, count: number, where?: Where) {
    return this.#fromLimiter("forecast", operation, where, (request) =>
      this.shared.limiter.forecast(request, count),
    );
  }

  limits(operation: RouteName, where?: Where) {
    return this.#fromLimiter("limits", operation, where, this.shared.limiter.limits);
  }

  as(credentials: Credentials, options: { readonly identity?: string } = {}): UserApi {
    const source = toTokenSource(credentials);
    const identity = options.identity ?? source.identity ?? `user-${nextUser++}`;
    return new UserApi(this.shared, source, identity);
  }

  #fromLimiter<A>(
    operation: "forecast" | "limits",
    name: RouteName,
    { realm }: Where = {},
    read: (request: LimiterRequest) => Effect.Effect<A, LimiterStoreError>,
  ) {
    const route = limitedRouteName(name, realm);
    return Effect.mapError(read({ route, identity: this.identity }), (error) =>
      limiterError({ operation, route, attempts: 0 }, error),
    );
  }
}

interface Where {
  readonly realm?: string;
}
