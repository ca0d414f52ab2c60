/**
 * A store in Redis: one budget for all processes and machines that name the same prefix.
 *
 * Each reservation is one round trip to an atomic script, which counts in Redis' own time, so clocks
 * of machines do not matter. Processes that die give their places back when their leases end. All
 * keys of a prefix lie in one hash slot. If Redis loses its data, the processes tell it what they
 * know before anything is sent.
 *
 * `redisStore` takes a function that sends one command:
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { redisStore } from "@game-data/rate-limit/redis";
 *
 * // node-redis: (command) => client.sendCommand([...command]); ioredis: ([name, ...rest]) => client.call(name, ...rest)
 * const send = (command: ReadonlyArray<string>): Promise<unknown> => Promise.resolve(command);
 * createLimiter({ store: redisStore(send, { prefix: "limits" }) });
 * ```
 *
 * @packageDocumentation
 */
import { sharedStore } from "../store/shared.ts";
import type { SharedHit, SharedReply, SharedServer, SharedWindow } from "../store/shared.ts";
import type { Store } from "../Store.ts";

/** Settings of the store in Redis. */
export interface RedisStoreOptions {
  /** Processes that share a budget use the same one. Default: `game-data:limits`. */
  readonly prefix?: string | undefined;
}

/** Two days: longer than any window. */
const TTL = "172800000";
/** After a loss of data every process has this long to tell what it knows. */
const GRACE_MILLIS = 2000;
/** Windows may not be asked for that this script never saw; scores are end of lease in flight. */
const PRELUDE = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local meta = KEYS[1]
local seen = tonumber(redis.call('HGET', meta, 'now') or '0')
if now < seen then now = seen end
local n = #KEYS - 1
local function hits(i)
  local all = redis.call('ZRANGE', KEYS[i + 1], 0, -1, 'WITHSCORES')
  return all
end
`;

/**
 * ARGV: id, lease, then per window: places, width, number of hypotheses, and their sizes and
 * the bounds of their phases. Members are `sent|lease end|id`; the score is the end of the lease, then `received`.
 */
const RESERVE = `${PRELUDE}
if redis.call('HEXISTS', meta, 'born') == 0 then return { 2, now, 0, '' } end
redis.call('HSET', meta, 'now', now)
redis.call('PEXPIRE', meta, ${TTL})
local open = tonumber(redis.call('HGET', meta, 'opens') or '0')
local id, lease = ARGV[1], tonumber(ARGV[2])
local untilTime = open > now and open or 0
local a = 3
for i = 1, n do
  local places, width, m = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local cut = now - width
  a = a + 3
  for j = 1, m do
    local size, from, to = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
    local c = from + size * math.floor((now - width - to) / size) - 1
    if c < cut then cut = c end
    a = a + 3
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[i + 1], '-inf', '(' .. string.format('%.0f', now - width - 120000))
  local from = '(' .. string.format('%.3f', cut)
  local used = redis.call('ZCOUNT', KEYS[i + 1], from, '+inf')
  if used >= places then
    local first = redis.call('ZRANGEBYSCORE', KEYS[i + 1], from, '+inf', 'WITHSCORES', 'LIMIT', used - places, 1)
    local at = tonumber(first[2] or now) + width
    if at <= now then at = now + 1 end
    if at > untilTime then untilTime = at end
  end
end
if untilTime > 0 then
  local reply = { 0, now, untilTime, redis.call('HGET', meta, 'knowledge') or '' }
  for i = 1, n do reply[i + 4] = hits(i) end
  return reply
end
local ends = string.format('%.0f', now + lease)
local member = string.format('%.0f', now) .. '|' .. ends .. '|' .. id
for i = 1, n do
  redis.call('ZADD', KEYS[i + 1], ends, member)
  redis.call('PEXPIRE', KEYS[i + 1], ${TTL})
end
redis.call('HSET', meta, 'm:' .. id, member)
return { 1, now, 0, redis.call('HGET', meta, 'knowledge') or '' }`;

/** ARGV: id, and 1 to keep the hit or 0 to take it back. */
const SETTLE = `${PRELUDE}
redis.call('HSET', meta, 'now', now)
redis.call('PEXPIRE', meta, ${TTL})
local member = redis.call('HGET', meta, 'm:' .. ARGV[1])
if member then
  redis.call('HDEL', meta, 'm:' .. ARGV[1])
  for i = 1, n do
    if ARGV[2] == '1' then redis.call('ZADD', KEYS[i + 1], 'XX', now, member)
    else redis.call('ZREM', KEYS[i + 1], member) end
  end
end
local reply = { 1, now, 0, redis.call('HGET', meta, 'knowledge') or '' }
for i = 1, n do reply[i + 4] = hits(i) end
return reply`;

/** ARGV: what is known, or for a restored store: grace, then number of hits and hits per window. */
const PUBLISH = `${PRELUDE}
redis.call('HSET', meta, 'knowledge', ARGV[1])
redis.call('HSETNX', meta, 'born', now)
redis.call('PEXPIRE', meta, ${TTL})
return { 1, now, 0, '' }`;

const RESTORE = `${PRELUDE}
if redis.call('HSETNX', meta, 'born', now) == 1 and tonumber(ARGV[1]) > 0 then
  redis.call('HSET', meta, 'opens', now + tonumber(ARGV[1]))
end
redis.call('PEXPIRE', meta, ${TTL})
local a = 2
for i = 1, n do
  local count = tonumber(ARGV[a])
  a = a + 1
  for j = 1, count do
    redis.call('ZADD', KEYS[i + 1], 'NX', ARGV[a], ARGV[a + 1])
    a = a + 2
  end
  redis.call('PEXPIRE', KEYS[i + 1], ${TTL})
end
return { 1, now, 0, '' }`;

type Reply = ReadonlyArray<number | string | ReadonlyArray<string>>;

const hitOf = (member: string, score: number, now: number): SharedHit => {
  const [sent, ends, ...id] = member.split("|");
  const lostAt = Number(ends);
  return {
    id: id.join("|"),
    sent: Number(sent),
    received: score === lostAt && lostAt > now ? Number.POSITIVE_INFINITY : score,
    lostAt,
  };
};

const parse = (value: unknown): SharedReply => {
  const [status, now, until, knowledge, ...windows] = value as Reply;
  const time = Number(now);
  return {
    now: time,
    granted: Number(status) === 1,
    isEmpty: Number(status) === 2,
    until: Number(until),
    knowledge: knowledge === "" ? undefined : String(knowledge),
    hits:
      windows.length === 0
        ? undefined
        : windows.map((flat) => {
            const list = flat as ReadonlyArray<string>;
            const hits: Array<SharedHit> = [];
            for (let index = 0; index < list.length; index += 2)
              hits.push(hitOf(String(list[index]), Number(list[index + 1]), time));
            return hits;
          }),
  };
};

/** The store. `send` sends one command and resolves with its reply. */
export const redisStore = (
  send: (command: ReadonlyArray<string>) => Promise<unknown>,
  options: RedisStoreOptions = {},
): Store => sharedStore(redisServer(send, options));

const redisServer = (
  send: (command: ReadonlyArray<string>) => Promise<unknown>,
  options: RedisStoreOptions,
): SharedServer => {
  const prefix = options.prefix ?? "game-data:limits";
  const metaOf = (key: string): string => `{${prefix}}:${key}`;
  const keysOf = (key: string, windows: ReadonlyArray<SharedWindow>): ReadonlyArray<string> => [
    metaOf(key),
    ...windows.map((window) => `${metaOf(key)}:${window.policy}:${window.key}:${window.scope}`),
  ];
  const run = async (
    script: string,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>,
  ): Promise<SharedReply> =>
    parse(await send(["EVAL", script, String(keys.length), ...keys, ...args.map(String)]));
  return {
    reserve: (key, id, lease, windows) =>
      run(RESERVE, keysOf(key, windows), [
        id,
        lease,
        ...windows.flatMap(({ hypotheses, places, width }) => [
          places,
          width,
          hypotheses.length,
          ...hypotheses.flat(),
        ]),
      ]),
    settle: (key, id, windows) => run(SETTLE, keysOf(key, windows), [id, 1]),
    release: async (key, id, windows) => {
      await run(SETTLE, keysOf(key, windows), [id, 0]);
    },
    publish: async (key, knowledge) => {
      await run(PUBLISH, [metaOf(key)], [knowledge]);
    },
    restore: async (key, windows) => {
      const known = windows.some(({ hits }) => hits.length > 0);
      await run(RESTORE, keysOf(key, windows), [
        known ? GRACE_MILLIS : 0,
        ...windows.flatMap(({ hits }) => [
          hits.length,
          ...hits.flatMap(({ id, lostAt, received, sent }) => [
            Number.isFinite(received) ? received.toFixed(0) : lostAt.toFixed(0),
            `${sent.toFixed(0)}|${lostAt.toFixed(0)}|${id}`,
          ]),
        ]),
      ]);
    },
  };
};
