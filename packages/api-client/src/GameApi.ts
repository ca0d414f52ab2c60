/**
 * The typed client of the data API: one method for each operation of §4.2.
 *
 * Each call gets an access token, checks its scopes, waits for the rate limits, retries what may be
 * retried, and succeeds with the checked value or fails with an error of `Errors`.
 */
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
import type { GameApiService } from "./Api.ts";
import { type Account, makeCall, type Shared } from "./call/Call.ts";
import { anyJson } from "./call/decode.ts";
import { limiterError } from "./call/errors.ts";
import { limitedRouteName, type UnlistedRequest, unlistedRequest } from "./call/prepare.ts";
import { forCalls, runCall } from "./call/runCall.ts";
import { type Credentials, toTokenSource } from "./Credentials.ts";
import { defineGroups, groupMethods } from "./operations/methods.ts";
import {
  type CallOptions,
  type GameApiOptions,
  invalidLimiterOption,
  resolveOptions,
} from "./Options.ts";

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
 * The client.
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
    return GameApi.layerWithLimiter(options).pipe(Layer.provide(memoryLimiter(limiter)));
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
    return Layer.effect(
      GameApi,
      Effect.gen(function* () {
        const { credentials, settings } = yield* checkOptions(options);
        const shared: Shared = {
          settings,
          http: forCalls(yield* HttpClient.HttpClient),
          limiter: yield* PolicyLimiter,
          credit: { remaining: settings.retry.budget },
        };
        const account = { source: credentials, identity: credentials?.identity };
        return new UserApi(shared, account) as unknown as GameApiService;
      }),
    );
  }
}

const memoryLimiter = (options: LimiterOptions | undefined) =>
  PolicyLimiter.layerMemory(options).pipe(
    Layer.catchTag("LimiterOptionInvalid", (error) =>
      Layer.effect(PolicyLimiter, Effect.fail(invalidLimiterOption(error))),
    ),
  );

const toConfig = <A>(value: A | Config.Config<A>): Config.Config<A> =>
  Config.isConfig(value) ? (value as Config.Config<A>) : Config.succeed(value as A);

const checkOptions = (options: GameApiOptions) =>
  Effect.try({
    try: () => ({
      settings: resolveOptions(options),
      credentials:
        options.credentials === undefined ? undefined : toTokenSource(options.credentials),
    }),
    catch: (error) => error,
  }).pipe(
    Effect.catch((error) =>
      error instanceof ConfigurationInvalid ? Effect.fail(error) : Effect.die(error),
    ),
  );

/** Numbers the users whose credentials have no identity. */
let nextUser = 1;

/** The client of one user. `defineGroups` adds the groups of methods. */
class UserApi {
  readonly shared: Shared;
  readonly account: Account;

  constructor(shared: Shared, account: Account) {
    this.shared = shared;
    this.account = account;
  }

  static {
    defineGroups(UserApi, groupMethods);
  }

  request(request: UnlistedRequest, options: CallOptions = {}) {
    const { method = "GET", path, route = `${method} ${path}` } = request;
    return Effect.flatMap(
      makeCall(this, { operation: "request", route }, options, ({ settings }) =>
        unlistedRequest(settings, request),
      ),
      (call) => runCall(call, anyJson),
    );
  }

  forecast(operation: RouteName, count: number, options?: RealmOption) {
    const request = this.#limiterRequest(operation, options);
    return reportLimiter("forecast", request.route, this.shared.limiter.forecast(request, count));
  }

  limits(operation: RouteName, options?: RealmOption) {
    const request = this.#limiterRequest(operation, options);
    return reportLimiter("limits", request.route, this.shared.limiter.limits(request));
  }

  as(credentials: Credentials, { identity }: { readonly identity?: string } = {}): UserApi {
    const source = toTokenSource(credentials);
    return new UserApi(this.shared, {
      source,
      identity: identity ?? source.identity ?? `user-${nextUser++}`,
    });
  }

  #limiterRequest(operation: RouteName, { realm }: RealmOption = {}): LimiterRequest {
    return { route: limitedRouteName(operation, realm), identity: this.account.identity };
  }
}

interface RealmOption {
  readonly realm?: string;
}

const reportLimiter = <A>(
  operation: string,
  route: string,
  answer: Effect.Effect<A, LimiterStoreError>,
) => Effect.mapError(answer, (error) => limiterError({ operation, route, attempts: 0 }, error, []));
