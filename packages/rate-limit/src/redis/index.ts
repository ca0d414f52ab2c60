/**
 * A store in Redis: one budget for all processes and machines that name the same prefix.
 *
 * Each reservation is one round trip to an atomic script, which counts in Redis' own time, so
 * clocks
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
 * // node-redis: (command) => client.sendCommand([...command])
 * // ioredis: ([name, ...rest]) => client.call(name, ...rest)
 * const send = (command: ReadonlyArray<string>): Promise<unknown> => Promise.resolve(command);
 * createLimiter({ store: redisStore(send, { prefix: "limits" }) });
 * ```
 *
 * @packageDocumentation
 */
import { callback, checkOption, checkOptions, text as word } from "../options.ts";
import { sharedStore } from "../store/shared.ts";
import type { Reading } from "../core/Log.ts";
import type { SharedHit, SharedReply, SharedServer, SharedWindow } from "../store/SharedServer.ts";
import type { Store } from "../Store.ts";

/** Settings of the store in Redis. */
export interface RedisStoreOptions {
  /** Processes that share a budget use the same one. Default: `game-data:limits`. */
  readonly prefix?: string | undefined;
}

/** Two days: longer than any window. */
const TTL = 172_800_000;
/** Hits are kept for so long after the last cut-off that asked for them. */
const MEMORY_MILLIS = 120_000;
/** An empty store may have lost its data: every process has this long to tell what it knows. */
const GRACE_MILLIS = 2500;
/**
 * KEYS: a hash of what concerns all, then a sorted set for each window. A member is
 * `sent|end of lease|id`, its score the end of the lease and then the time of the response.
 * ARGV[1] is the version of what the process knows of the others; then comes for each window the
 * time since which hits matter.
 */
const PRELUDE = `local t = redis.call('TIME')
local meta = KEYS[1]
local now = math.max(t[1] * 1000 + math.floor(t[2] / 1000), tonumber(redis.call('HGET', meta, 'now') or '0'))
local n = #KEYS - 1
local version = redis.call('HGET', meta, 'version') or '0'
local function reply(status, opens)
  local out = { status, now, opens, version, version ~= ARGV[1] and redis.call('HGET', meta, 'knowledge') or '' }
  for i = 1, n do
    out[i + 5] = redis.call('ZRANGEBYSCORE', KEYS[i + 1], ARGV[i + 1], '+inf', 'WITHSCORES')
    out[n + i + 5] = redis.call('HGET', meta, KEYS[i + 1]) or ''
  end
  return out
end
`;

/** Further: id, lease, then for each window the cut-off and the limit. */
const RESERVE = `${PRELUDE}
if redis.call('HEXISTS', meta, 'born') == 0 then return reply(2, 0) end
local opens = tonumber(redis.call('HGET', meta, 'opens') or '0')
if opens > now then return reply(0, opens) end
local id, lease = ARGV[n + 2], tonumber(ARGV[n + 3])
for i = 1, n do
  local old = string.format('%.0f', tonumber(ARGV[i + 1]) - ${MEMORY_MILLIS})
  redis.call('ZREMRANGEBYSCORE', KEYS[i + 1], '-inf', '(' .. old)
  local cut, limit = ARGV[n + 2 + 2 * i], tonumber(ARGV[n + 3 + 2 * i])
  if redis.call('ZCOUNT', KEYS[i + 1], cut, '+inf') >= limit then return reply(0, 0) end
end
redis.call('HSET', meta, 'now', now)
redis.call('PEXPIRE', meta, ${TTL})
local ends = string.format('%.0f', now + lease)
local member = string.format('%.0f', now) .. '|' .. ends .. '|' .. id
for i = 1, n do
  redis.call('ZADD', KEYS[i + 1], ends, member)
  redis.call('PEXPIRE', KEYS[i + 1], ${TTL})
end
return reply(1, 0)`;

/**
 * Further, if there is a request: 1 to keep it or 0 to take it back, its member, the time of its
 * response, if that came earlier, and for each window the count that it told, if any. `now` is
 * rounded down, so a response is received by `now + 1`: a request that was sent in the same
 * millisecond may have been counted before it.
 */
const SETTLE = `${PRELUDE}
if redis.call('HEXISTS', meta, 'born') == 0 then return reply(2, 0) end
redis.call('HSET', meta, 'now', now)
local member = ARGV[n + 3]
local at = math.min(now + 1, tonumber(ARGV[n + 4]) or now + 1)
for i = 1, member and n or 0 do
  if ARGV[n + 2] == '1' then redis.call('ZADD', KEYS[i + 1], 'XX', string.format('%.0f', at), member)
  else redis.call('ZREM', KEYS[i + 1], member) end
  local count = ARGV[n + 4 + i] or ''
  if count ~= '' then redis.call('HSET', meta, KEYS[i + 1], string.format('%.0f', at) .. '|' .. count .. '|' .. member) end
end
return reply(1, 0)`;

/** ARGV: version, and what is known. */
const PUBLISH = `${PRELUDE}
if version ~= ARGV[1] then return reply(0, 0) end
redis.call('HSET', meta, 'knowledge', ARGV[2])
redis.call('HSETNX', meta, 'born', now)
redis.call('PEXPIRE', meta, ${TTL})
version = redis.call('HINCRBY', meta, 'version', 1)
return { 1, now, 0, version, '' }`;

/** ARGV: version, grace, then for each window the number of hits and their scores and members. */
const RESTORE = `${PRELUDE}
if redis.call('HSETNX', meta, 'born', now) == 1 then
  redis.call('HSET', meta, 'opens', now + tonumber(ARGV[2]))
end
redis.call('PEXPIRE', meta, ${TTL})
local a = 3
for i = 1, n do
  local count = tonumber(ARGV[a])
  a = a + 1
  for j = 1, count do
    redis.call('ZADD', KEYS[i + 1], 'NX', ARGV[a], ARGV[a + 1])
    a = a + 2
  end
  redis.call('PEXPIRE', KEYS[i + 1], ${TTL})
end
return 1`;

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

const readingOf = (text: string): Reading | undefined => {
  if (text === "") return undefined;
  const [received, count, sent, , ...id] = text.split("|");
  return {
    id: id.join("|"),
    count: Number(count),
    sent: Number(sent),
    received: Number(received),
  };
};

const parse = (value: unknown): SharedReply => {
  const [status, now, opensAt, version, knowledge, ...rest] = value as Reply;
  const windows = rest.slice(0, rest.length / 2);
  return {
    now: Number(now),
    granted: Number(status) === 1,
    isEmpty: Number(status) === 2,
    opensAt: Number(opensAt),
    version: Number(version),
    knowledge: knowledge === "" ? undefined : String(knowledge),
    readings: rest.slice(windows.length).map((each) => readingOf(String(each))),
    hits: windows.map((flat) => {
      const list = flat as ReadonlyArray<string>;
      const hits: Array<SharedHit> = [];
      for (let index = 0; index < list.length; index += 2)
        hits.push(hitOf(String(list[index]), Number(list[index + 1]), Number(now)));
      return hits;
    }),
  };
};

/** Numbers as whole milliseconds: Lua would write large ones with an exponent. */
const text = (value: string | number): string =>
  typeof value === "number" ? value.toFixed(0) : value;

const memberOf = ({ id, lostAt, sent }: SharedHit): string => `${text(sent)}|${text(lostAt)}|${id}`;

/** The store. `send` sends one command and resolves with its reply. */
export const redisStore = (
  send: (command: ReadonlyArray<string>) => Promise<unknown>,
  options: RedisStoreOptions = {},
): Store => {
  checkOption("send", send ?? null, callback);
  checkOptions(options, { prefix: word });
  return sharedStore(redisServer(send, options));
};

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
  const run = (
    script: string,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>,
  ): Promise<unknown> => send(["EVAL", script, String(keys.length), ...keys, ...args.map(text)]);
  return {
    reserve: async (key, version, { id, lease }, windows) =>
      parse(
        await run(RESERVE, keysOf(key, windows), [
          version,
          ...windows.map(({ since }) => Math.floor(since)),
          id,
          lease,
          ...windows.flatMap(({ cut, limit }) => [Math.floor(cut), limit]),
        ]),
      ),
    settle: async (key, version, request, windows) =>
      parse(
        await run(SETTLE, keysOf(key, windows), [
          version,
          ...windows.map(({ since }) => Math.floor(since)),
          ...(request
            ? [
                request.isSent ? 1 : 0,
                memberOf(request.hit),
                Number.isFinite(request.hit.received) ? Math.ceil(request.hit.received) : "",
                ...(request.counts ?? []).map((count) => count ?? ""),
              ]
            : []),
        ]),
      ),
    publish: async (key, version, knowledge) =>
      parse(await run(PUBLISH, [metaOf(key)], [version, knowledge])),
    restore: async (key, windows) => {
      await run(RESTORE, keysOf(key, windows), [
        0,
        GRACE_MILLIS,
        ...windows.flatMap(({ hits }) => [
          hits.length,
          ...hits.flatMap((hit) => [
            Math.ceil(Number.isFinite(hit.received) ? hit.received : hit.lostAt),
            memberOf(hit),
          ]),
        ]),
      ]);
    },
  };
};
