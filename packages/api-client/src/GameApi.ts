/**
 * The typed client of the data API: one method per endpoint of §4.2.
 *
 * Every call takes the endpoint's parameters in one object, and `CallOptions`. It obtains the
 * access token, checks the scopes, waits for the rate limits, retries what may be retried, and
 * succeeds with the checked result or fails with one of the errors in `Errors`. Absent leagues,
 * matches, characters and stashes are `null`, not errors.
 *
 * @example
 * ```ts
 * import { GameApi } from "@game-data/api-client";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const api = yield* GameApi;
 *   return yield* api.leagues.list({ limit: 1 });
 * });
 * const layer = GameApi.layerTransport({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport: fixtureTransport({ "leagues.list": { body: { leagues: [{ id: "Standard" }] } } }),
 * });
 * const [league] = await Effect.runPromise(Effect.provide(program, layer));
 * if (league?.id !== "Standard") throw new Error("no league");
 * ```
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { PolicyLimiter } from "@game-data/rate-limit";
import type { LimiterOptions } from "@game-data/rate-limit";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as HttpClient from "effect/http/HttpClient";
import * as Layer from "effect/Layer";
import { effectKit } from "./effectKit.ts";
import type { GameApiOptions, GameApiService } from "./GameApiService.ts";
import { httpClientTransport } from "./httpClientTransport.ts";
import { checkClientOptions } from "./operations/clientOptions.ts";
import { makeApi } from "./operations/makeApi.ts";
import { limiterInMemory } from "./pipeline/limiterBridge.ts";
import type { Transport } from "./Transport.ts";

/** The client. */
export class GameApi extends Context.Service<GameApi, GameApiService>()(
  "@game-data/api-client/GameApi",
) {
  /**
   * A client with a limiter of its own, in the memory of this process. Make one per budget: two of
   * them do not know of each other's requests.
   */
  static layer(
    options: GameApiOptions & { readonly limiter?: LimiterOptions | undefined },
  ): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient> {
    return GameApi.layerWithLimiter(options).pipe(Layer.provide(ownLimiter(options)));
  }

  /** A client over a `PolicyLimiter` of yours, for example one that shares its state in Redis. */
  static layerWithLimiter(
    options: GameApiOptions,
  ): Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient | PolicyLimiter> {
    return Layer.effect(
      GameApi,
      Effect.flatMap(httpClientTransport, (transport) => makeGameApi({ ...options, transport })),
    );
  }

  /** A client over a transport other than Effect's `HttpClient`, with a limiter of its own. */
  static layerTransport(
    options: GameApiOptions & {
      readonly transport: Transport;
      readonly limiter?: LimiterOptions | undefined;
    },
  ): Layer.Layer<GameApi, ConfigurationInvalid> {
    return Layer.effect(GameApi, makeGameApi(options)).pipe(Layer.provide(ownLimiter(options)));
  }
}

/** Makes a client over a transport and the `PolicyLimiter` of the context. */
const makeGameApi = (
  options: GameApiOptions & { readonly transport: Transport },
): Effect.Effect<GameApiService, ConfigurationInvalid, PolicyLimiter> =>
  Effect.flatMap(PolicyLimiter, (limiter) =>
    configured(() => {
      checkClientOptions(options);
      return makeApi(options, effectKit(limiter)) as GameApiService;
    }),
  );

/** The limiter of a client, once all options of the client are checked. */
const ownLimiter = (
  options: GameApiOptions & { readonly limiter?: LimiterOptions | undefined },
): Layer.Layer<PolicyLimiter, ConfigurationInvalid> =>
  Layer.unwrap(
    configured(() => {
      checkClientOptions(options);
      return limiterInMemory(options.limiter);
    }),
  );

/** What is made of options, or what is wrong with them. */
const configured = <A>(make: () => A): Effect.Effect<A, ConfigurationInvalid> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(make());
    } catch (cause) {
      if (cause instanceof ConfigurationInvalid) return Effect.fail(cause);
      throw cause;
    }
  });
