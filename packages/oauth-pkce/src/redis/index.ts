/**
 * A token store in Redis, for several servers.
 *
 * It takes any client through one function; `fromNodeRedis`, `fromIoredis` and `fromBun` adapt three
 * of them. Run Redis with `maxmemory-policy noeviction`, because other policies evict sessions, and
 * with `appendfsync always`. Otherwise the last second of intents can be lost, and a refresh token
 * may be sent twice.
 *
 * @packageDocumentation
 */
import type { Backend } from "../TokenStore.ts";

/** A Redis client that runs a Lua script (`EVAL`). */
export interface RedisClient {
  readonly eval: (script: string, keys: Array<string>, args: Array<string>) => Promise<unknown>;
}

/** Options of a Redis store. `prefix` precedes every key; its default is `oauth:`. */
export interface RedisStoreOptions {
  readonly prefix?: string;
}

const READ = `
local entry = redis.call('HMGET', KEYS[1], 'v', 'd')
local time = redis.call('TIME')
return { entry[1], entry[2], time[1], time[2] }`;

// ARGV: 1 if a version is expected, else 0; that version; the next version, text, and ttl or ''.
const WRITE = `
local version = redis.call('HGET', KEYS[1], 'v')
if (ARGV[1] == '1') ~= (version and true or false) then return 0 end
if version and version ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'd', ARGV[4])
if ARGV[5] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
return 1`;

/**
 * Makes a store from a Redis client. `TokenStore.fromBackend` lifts it for Effect.
 *
 * @example
 * ```ts no-run
 * import { fromNodeRedis, redisStore } from "@game-data/oauth-pkce/redis";
 * import { createClient } from "redis";
 *
 * const client = createClient({ url: "redis://127.0.0.1:6379" });
 * client.on("error", console.error);
 * await client.connect();
 * const store = redisStore(fromNodeRedis(client));
 * ```
 */
export const redisStore = (
  client: RedisClient,
  { prefix = "oauth:" }: RedisStoreOptions = {},
): Backend => ({
  read: async (key) => {
    const reply = (await client.eval(READ, [prefix + key], [])) as ReadonlyArray<unknown> | null;
    const [version, text, seconds, micros] = reply ?? [];
    if (typeof version !== "string" || typeof text !== "string") return undefined;
    return { version, text, now: Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) };
  },
  write: async (key, expected, { text, ttlMillis = "", version }) => {
    const before = expected === undefined ? ["0", ""] : ["1", expected];
    const args = [...before, version, text, String(ttlMillis)];
    return Number(await client.eval(WRITE, [prefix + key], args)) === 1;
  },
});

/** Adapts a client of the package `redis` (node-redis) for `redisStore`. */
export const fromNodeRedis = (client: {
  readonly eval: (
    script: string,
    options: { keys: Array<string>; arguments: Array<string> },
  ) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) => client.eval(script, { keys, arguments: args }),
});

/** Adapts a client of the package `ioredis` for `redisStore`. */
export const fromIoredis = (client: {
  readonly eval: (script: string, count: number, ...rest: Array<string>) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
});

/** Adapts the client that is built into Bun for `redisStore`. */
export const fromBun = (client: {
  readonly send: (command: string, args: Array<string>) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) =>
    client.send("EVAL", [script, String(keys.length), ...keys, ...args]),
});
