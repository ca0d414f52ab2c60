/**
 * The limiter's knowledge in Redis: one budget for all processes and machines that name the same
 * prefix.
 *
 * It stands on `effect/persistence/Redis`; give it, for example, `NodeRedis.layer` of
 * `@effect/platform-node`. A change is read with Redis' own time and written by a script that
 * compares first, so two processes never spend the same permit and clocks of machines do not
 * matter. Keys expire after two days without use; the permits in them carry leases, so a process
 * that dies with requests in flight gives them back.
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Random from "effect/Random";
import * as Redis from "effect/persistence/Redis";
import { LimiterStore, LimiterStoreError } from "./LimiterStore.ts";
import type { LimiterStoreService } from "./LimiterStore.ts";

/** Settings of the store in Redis. */
export interface RedisStoreOptions {
  /**
   * Stands before every key: processes that share a budget use the same one. Default:
   * `game-data:limits`.
   */
  readonly prefix?: string | undefined;
}

const READ = Redis.script((key: string) => [key], {
  numberOfKeys: 1,
  lua: `local value = redis.call('HMGET', KEYS[1], 'version', 'state')
local time = redis.call('TIME')
return { value[1] or '', value[2] or '', time[1], time[2] }`,
}).withReturnType<readonly [version: string, state: string, seconds: string, micros: string]>();

/**
 * Writes only when nobody wrote since the version that was read; an empty state removes the key.
 */
const WRITE = Redis.script(
  (key: string, seen: string, version: string, state: string, ttl: number) => [
    key,
    seen,
    version,
    state,
    ttl,
  ],
  {
    numberOfKeys: 1,
    lua: `if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return 1`,
  },
).withReturnType<number>();

const TTL = 172_800_000;
/**
 * Under 64 competing processes a change gets through in fewer rounds; beyond that something else is
 * wrong.
 */
const ROUNDS = 200;

const failed = (error: Redis.RedisError) =>
  new LimiterStoreError({
    detail: error.cause instanceof Error ? error.cause.message : String(error.cause),
    cause: error.cause,
  });

/** The store in Redis. */
export const makeRedisStore = Effect.fnUntraced(function* (options: RedisStoreOptions = {}) {
  const redis = yield* Redis.Redis;
  const prefix = options.prefix ?? "game-data:limits";
  const modify: LimiterStoreService["modify"] = Effect.fnUntraced(
    function* <S, A>(
      name: string,
      change: (value: S | undefined, now: number) => readonly [A, S | undefined],
    ) {
      const key = `${prefix}:${name}`;
      for (let round = 0; round < ROUNDS; round++) {
        const [seen, text, seconds, micros] = yield* redis.eval(READ)(key);
        const value = text === "" ? undefined : (JSON.parse(text) as S);
        const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
        const [result, next] = change(value, now);
        if (next === value) return result;
        const version = `${now}-${yield* Random.nextIntBetween(0, 2 ** 31)}`;
        const state = next === undefined ? "" : JSON.stringify(next);
        const written = yield* redis.eval(WRITE)(key, seen, version, state, TTL);
        if (written === 1) return result;
        yield* Effect.sleep(yield* Random.nextBetween(0, Math.min(50, 2 + round * 2)));
      }
      return yield* new LimiterStoreError({ detail: `too many writers on ${name}` });
    },
    Effect.catchTag("RedisError", (error) => Effect.fail(failed(error))),
  );
  return { shared: true, modify } satisfies LimiterStoreService;
});

/** The store in Redis as a layer. */
export const layer = (options?: RedisStoreOptions): Layer.Layer<LimiterStore, never, Redis.Redis> =>
  Layer.effect(LimiterStore, makeRedisStore(options));
