/** Each dialect against a model of its service's own rules, in virtual time. */
import { describe, expect, it } from "vitest";
import { Queue } from "../src/core/Queue.ts";
import { discord, github, ietf, shopify } from "../src/dialects.ts";
import { queueOptions } from "../src/limiterOptions.ts";
import type { RateLimitDialect } from "../src/RateLimitDialect.ts";
import type { RequestOutcome } from "../src/Model.ts";
import { virtualClock } from "./model/queueTrace.ts";

/** What a service answers at a time, in milliseconds since 1970. */
type Service = (now: number) => RequestOutcome;

/** The most that a service serves in a time. */
interface Rules {
  readonly service: Service;
  readonly most: (millis: number) => number;
}

const START = 1_700_000_000_000;

/** Three callers for some minutes, each request 30 ms there and 30 ms back. */
const drive = async (dialect: RateLimitDialect, { most, service }: Rules, minutes: number) => {
  const { clock, pass } = virtualClock();
  const queue = new Queue(queueOptions({ dialect, maxWait: Infinity }), clock);
  const began = clock.now();
  let served = 0;
  let refused = 0;
  const call = (): void => {
    queue.submit(
      { route: "GET /a" },
      {
        granted: (_, grant) =>
          void clock.schedule(30, () => {
            const answer = service(START + clock.now());
            if (answer.status === 200) served++;
            else refused++;
            clock.schedule(30, () => {
              void queue.settle(grant, answer);
              call();
            });
          }),
        refused: ({ kind }) => expect.unreachable(kind),
        failed: (cause) => expect.unreachable(String(cause)),
      },
    );
  };
  for (let caller = 0; caller < 3; caller++) call();
  await pass(minutes * 60_000);
  return { share: served / most(clock.now() - began), refused };
};

/** Windows that begin with their first request and end after `period`. */
const fixedWindow =
  (
    max: number,
    period: number,
    answer: (count: number, left: number, resetMillis: number, now: number) => RequestOutcome,
  ) =>
  (): Rules => {
    let began = -Infinity;
    let count = 0;
    return {
      most: (millis) => max * Math.ceil(millis / period),
      service: (now) => {
        if (now >= began + period) {
          began = now;
          count = 0;
        }
        count++;
        return answer(count, Math.max(0, max - count), began + period - now, now);
      },
    };
  };

const githubRules = (resource: string, max: number, period: number, isSecondary = false) =>
  fixedWindow(max, period, (count, left, reset, now) => ({
    status: count > max ? 403 : 200,
    headers: {
      ...(count > max && isSecondary && { "retry-after": "60" }),
      date: new Date(now).toUTCString(),
      "x-ratelimit-limit": String(max),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": String(Math.ceil((now + reset) / 1000)),
      "x-ratelimit-resource": resource,
    },
  }));

const discordRules = (max: number, period: number) =>
  fixedWindow(max, period, (count, left, reset) => ({
    status: count > max ? 429 : 200,
    headers: {
      ...(count > max && { "retry-after": String(reset / 1000) }),
      "x-ratelimit-bucket": "abcd",
      "x-ratelimit-limit": String(max),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset-after": (reset / 1000).toFixed(3),
    },
  }));

const ietfRules = (
  name: (max: number, seconds: number, left: number, reset: number) => Record<string, string>,
) =>
  fixedWindow(100, 60_000, (count, left, reset) => ({
    status: count > 100 ? 429 : 200,
    headers: name(100, 60, left, Math.ceil(reset / 1000)),
  }));

const shopifyRules = (): Rules => {
  let level = 0;
  let at = START;
  return {
    most: (millis) => 40 + (millis / 1000) * 2,
    service: (now) => {
      level = Math.max(0, level - ((now - at) / 1000) * 2);
      at = now;
      const isRefused = level + 1 > 40;
      if (!isRefused) level++;
      return {
        status: isRefused ? 429 : 200,
        headers: {
          "x-shopify-shop-api-call-limit": `${Math.ceil(level)}/40`,
          ...(isRefused && { "retry-after": "2.0" }),
        },
      };
    },
  };
};

describe("a limiter with the dialect of", () => {
  it.each([
    ["GitHub, core", github, githubRules("core", 5000, 3_600_000), 130, 0.95],
    ["GitHub, search", github, githubRules("search", 30, 60_000), 60, 0.95],
    ["Discord, 5 in 2 s", discord, discordRules(5, 2000), 10, 0.9],
    ["Discord, 1 in 0.25 s", discord, discordRules(1, 250), 10, 0.65],
    [
      "IETF draft 6",
      ietf,
      ietfRules((max, seconds, left, reset) => ({
        "ratelimit-limit": `${max}, ${max};w=${seconds}`,
        "ratelimit-remaining": String(left),
        "ratelimit-reset": String(reset),
      })),
      60,
      0.95,
    ],
    [
      "IETF draft 7",
      ietf,
      ietfRules((max, seconds, left, reset) => ({
        "ratelimit-policy": `${max};w=${seconds}`,
        ratelimit: `limit=${max}, remaining=${left}, reset=${reset}`,
      })),
      60,
      0.95,
    ],
    [
      "IETF draft 6 without a policy",
      ietf,
      ietfRules((max, _, left, reset) => ({
        "ratelimit-limit": String(max),
        "ratelimit-remaining": String(left),
        "ratelimit-reset": String(reset),
      })),
      60,
      0.95,
    ],
    [
      "IETF draft 7 without a policy",
      ietf,
      ietfRules((max, _, left, reset) => ({
        ratelimit: `limit=${max}, remaining=${left}, reset=${reset}`,
      })),
      60,
      0.95,
    ],
    [
      "IETF draft 8",
      ietf,
      ietfRules((max, seconds, left, reset) => ({
        "ratelimit-policy": `"default";q=${max};w=${seconds}`,
        ratelimit: `"default";r=${left};t=${reset}`,
      })),
      60,
      0.95,
    ],
    ["Shopify", shopify, shopifyRules, 30, 0.9],
  ] as const)(
    "%s is never refused, and leaves little unused",
    async (_, dialect, rules, minutes, least) => {
      const { refused, share } = await drive(dialect, rules(), minutes);
      expect(refused).toBe(0);
      expect(share).toBeGreaterThanOrEqual(least);
    },
  );

  it("GitHub takes a 403 that names a wait for a refusal, not for a client error", async () => {
    const { clock } = virtualClock();
    const queue = new Queue(queueOptions({ dialect: github }), clock);
    const settle = (outcome: RequestOutcome): void => {
      queue.submit(
        { route: "GET /a" },
        {
          granted: (_, grant) => void queue.settle(grant, outcome),
          refused: () => undefined,
          failed: () => undefined,
        },
      );
    };
    settle({ status: 403, headers: { "retry-after": "60" } });
    const { state } = queue.store.backend!;
    const held = [...state.policies.values()].map(({ blockedUntil }) => blockedUntil - clock.now());
    expect(held).toEqual([61_000]);
  });
});
