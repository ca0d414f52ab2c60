/**
 * A token store in Redis, for several servers.
 *
 * It takes any client through one function, so no driver comes along. Run Redis with
 * `maxmemory-policy noeviction` (other policies evict logins) and `appendfsync always`: with
 * `everysec`, or after an asynchronous failover, the last second of intents can be lost, and a
 * refresh token may be sent twice.
 *
 * @example
 * ```ts
 * import { redisStore } from "@game-data/oauth-pkce/redis";
 *
 * const replies = [null, 1];
 * const store = redisStore({ eval: async () => replies.pop() });
 * if (!(await store.write("user", undefined, { version: "1", text: "secret" })))
 *   throw new Error("the script said that it wrote");
 * ```
 *
 * @packageDocumentation
 */
import type { Backend } from "../Model.ts";

/** All that is needed of a Redis client. */
export interface RedisClient {
  /** Runs a Lua script (`EVAL`). */
  readonly eval: (
    script: string,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string>,
  ) => Promise<unknown>;
}

/** Options of a Redis store. */
export interface RedisStoreOptions {
  /** Stands before every key. Default: `oauth:`. */
  readonly prefix?: string;
}

const READ = `
local entry = redis.call('HMGET', KEYS[1], 'v', 'd')
local time = redis.call('TIME')
return { entry[1], entry[2], time[1], time[2] }`;

const WRITE = `
local version = redis.call('HGET', KEYS[1], 'v')
if ARGV[1] == '1' then
  if version ~= ARGV[2] then return 0 end
elseif version then
  return 0
end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
  return 1
end
redis.call('HSET', KEYS[1], 'v', ARGV[4], 'd', ARGV[5])
if ARGV[6] == '' then
  redis.call('PERSIST', KEYS[1])
elseif ARGV[6] ~= 'keep' then
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
end
return 1`;

/** Makes a store of a Redis client. `TokenStore.fromBackend` lifts it for Effect. */
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
  write: async (key, expected, next) => {
    const reply = await client.eval(
      WRITE,
      [prefix + key],
      [
        expected === undefined ? "0" : "1",
        expected ?? "",
        next === undefined ? "0" : "1",
        next?.version ?? "",
        next?.text ?? "",
        String(next?.ttlMillis ?? ""),
      ],
    );
    return Number(reply) === 1;
  },
});

const SCAN = `return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 500)`;

/**
 * Lists the keys of all entries under `prefix`, for `resealAll`; a key may come twice. Runs beside
 * traffic. A cluster needs one call for each of its nodes.
 */
export async function* listKeys(
  client: RedisClient,
  { prefix = "oauth:" }: RedisStoreOptions = {},
): AsyncGenerator<string, void> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const reply = (await client.eval(SCAN, [], [cursor, pattern])) as [unknown, Array<unknown>];
    cursor = String(reply[0]);
    for (const key of reply[1]) yield String(key).slice(prefix.length);
  } while (cursor !== "0");
}

/** Adapts a client of `ioredis`. */
export const fromIoredis = (client: {
  readonly eval: (script: string, count: number, ...rest: Array<string>) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
});

/** Adapts a client of `redis` (node-redis). */
export const fromNodeRedis = (client: {
  readonly eval: (
    script: string,
    options: { keys: Array<string>; arguments: Array<string> },
  ) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
});

/** Adapts the client that is built into Bun. */
export const fromBun = (client: {
  readonly send: (command: string, args: Array<string>) => Promise<unknown>;
}): RedisClient => ({
  eval: (script, keys, args) =>
    client.send("EVAL", [script, String(keys.length), ...keys, ...args]),
});
