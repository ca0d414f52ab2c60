/** The typed client of the data API: one method for each operation of §4.2. */
import type { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { PolicyLimiter } from "@game-data/rate-limit";
import * as Config from "effect/Config";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as HttpClient from "effect/http/HttpClient";
import * as Layer from "effect/Layer";
import * as Record from "effect/Record";
import type { GameApiService } from "./Api.ts";
import { makeApi, makeServices } from "./operations/UserApi.ts";
import {
  type GameApiLayerOptions,
  type GameApiOptions,
  resolveOptions,
  type Settings,
} from "./Options.ts";

/** Options of a client, each of which may be a `Config`. */
export type GameApiConfig = {
  readonly [Name in keyof GameApiLayerOptions]:
    | GameApiLayerOptions[Name]
    | Config.Config<GameApiLayerOptions[Name]>;
};

/**
 * The client. Each call gets an access token, checks its scopes, waits for the rate limits, retries
 * if that is safe, and succeeds with the checked value or fails with an error of `Errors`.
 */
export class GameApi extends Context.Service<GameApi, GameApiService>()(
  "@game-data/api-client/GameApi",
) {
  /**
   * Makes a client with a limiter in the memory of this process. Make one client for each budget,
   * because two clients do not know of each other's requests.
   *
   * @example
   * ```ts no-run
   * import { GameApi } from "@game-data/api-client";
   * import { Effect, Layer } from "effect";
   * import { FetchHttpClient } from "effect/http";
   *
   * const layer = GameApi.layer({
   *   baseUrl: "https://api.example.com",
   *   credentials: () => process.env["ACCESS_TOKEN"] ?? "",
   *   userAgent: { clientId: "my-program", version: "1.0.0", contact: "me@example.com" },
   * }).pipe(Layer.provide(FetchHttpClient.layer));
   * const leagues = GameApi.use((api) => api.leagues.list());
   * console.log(await Effect.runPromise(Effect.provide(leagues, layer)));
   * ```
   */
  static layer(
    options: GameApiLayerOptions,
  ): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient> {
    return checked(options, (settings) => {
      const limiter = Layer.orDie(PolicyLimiter.layerMemory(options.limiter));
      return Layer.provide(clientLayer(settings), limiter);
    });
  }

  /** Makes the client of `layer` with options of a `ConfigProvider`, by default the environment. */
  static layerConfig(
    options: GameApiConfig,
  ): Layer.Layer<GameApi, Config.ConfigError | ConfigurationInvalid, HttpClient.HttpClient> {
    const configs = Record.map({ ...options } as Record<string, unknown>, (value) =>
      Config.isConfig(value) ? value : Config.succeed(value),
    );
    const values = Config.all(configs) as unknown as Config.Config<GameApiLayerOptions>;
    return Layer.unwrap(Effect.map(values, GameApi.layer));
  }

  /** Makes a client over your own `PolicyLimiter`, for example to share its state in Redis. */
  static layerWithLimiter(
    options: GameApiOptions,
  ): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient | PolicyLimiter> {
    return checked(options, clientLayer);
  }
}

const checked = <E, R>(
  options: GameApiLayerOptions,
  make: (settings: Settings) => Layer.Layer<GameApi, E, R>,
): Layer.Layer<GameApi, ConfigurationInvalid | E, R> =>
  Layer.unwrap(
    Effect.try({
      try: () => make(resolveOptions(options)),
      catch: (error) => error as ConfigurationInvalid,
    }),
  );

const clientLayer = (settings: Settings) =>
  Layer.effect(
    GameApi,
    Effect.map(makeServices, (services) => makeApi(settings, Effect.succeed(services))),
  );
