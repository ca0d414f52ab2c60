/**
 * The store in Redis as a layer over `effect/persistence/Redis`, for example `NodeRedis.layer` of
 * `@effect/platform-node`.
 *
 * ```ts
 * import { PolicyLimiter } from "@game-data/rate-limit/effect";
 * import * as LimiterStoreRedis from "@game-data/rate-limit/effect/redis";
 * import { Layer } from "effect";
 *
 * export const limiter = PolicyLimiter.layer().pipe(
 *   Layer.provide(LimiterStoreRedis.layer({ prefix: "limits" })),
 * );
 * ```
 *
 * @packageDocumentation
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redis from "effect/persistence/Redis";
import { redisStore } from "./index.ts";
import type { RedisStoreOptions } from "./index.ts";
import { LimiterStore } from "../effect/PolicyLimiter.ts";

export type { RedisStoreOptions } from "./index.ts";

/** The store in Redis as a layer. */
export const layer = (options?: RedisStoreOptions): Layer.Layer<LimiterStore, never, Redis.Redis> =>
  Layer.effect(
    LimiterStore,
    Effect.gen(function* () {
      const redis = yield* Redis.Redis;
      return redisStore(
        ([command = "", ...args]) =>
          Effect.runPromise(
            Effect.catchTag(redis.send(command, ...args), "RedisError", ({ cause }) =>
              Effect.die(cause instanceof Error ? cause : new Error(String(cause))),
            ),
          ),
        options,
      );
    }),
  );
