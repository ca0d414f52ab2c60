/** Stores, signals and callbacks that answer nonsense, through exported names alone. */
import {
  type Backend,
  createLimiter,
  type LimiterOptions,
  memoryStore,
  type Store,
} from "@game-data/rate-limit";
import { describe, expect, it } from "vitest";

/** A memory store with members of its backend replaced. */
const storeWith = (changed: Partial<Backend>): Store => {
  const memory = memoryStore();
  return {
    open: async (context) => ({ ...(await memory.open(context)), ...changed }),
  };
};

/** How a request ends, within five seconds of real time. */
const ending = async (options: LimiterOptions): Promise<unknown> => {
  const limiter = createLimiter({ maxWait: 200, ...options });
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, "late").unref());
  const run = limiter.run({ route: "/a" }, async () => new Response("ok"));
  return Promise.race([run.then((response) => response.status), late]).catch(
    (error: Error) => error.name,
  );
};

describe("a store whose", () => {
  it("reservation names a time in the past leaves turns to everything else", async () => {
    expect(await ending({ store: storeWith({ reserve: async () => 1 }) })).toBe(
      "RequestNotSentError",
    );
  });

  it.each([
    ["offset", { offset: () => Number.NaN }],
    ["offset is text", { offset: () => "soon" as never }],
    [
      "offset throws",
      {
        offset: () => {
          throw new Error("no");
        },
      },
    ],
    ["pollMillis", { pollMillis: Number.NaN }],
    ["pollMillis is zero", { pollMillis: 0 }],
    ["pollMillis is negative", { pollMillis: -1 }],
  ])("%s is no time serves requests all the same", async (_, changed) => {
    expect(await ending({ store: storeWith(changed) })).toBe(200);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["is no number", () => "many" as never],
    ["is negative", () => -5],
  ])("spare %s keeps no place free", async (_, spare) => {
    expect(await ending({ store: { ...memoryStore(), spare } })).toBe(200);
  });
});

describe("a request", () => {
  it.each([null, 5, "now", {}, []])(
    "with the signal %o is refused by name, before it waits",
    async (signal) => {
      const limiter = createLimiter({ maxInFlight: 1 });
      const asked = { route: "/a", signal: signal as never };
      await expect(limiter.acquire(asked)).rejects.toMatchObject({
        _tag: "ConfigurationInvalid",
        option: "signal",
      });
      const { settle } = await limiter.acquire({ route: "/a", maxWait: 0 });
      await settle({ status: 200 });
    },
  );

  it.each([null, undefined, "done", 5, []])(
    "settled with %o gives its place back",
    async (outcome) => {
      const limiter = createLimiter({ maxInFlight: 1 });
      const first = await limiter.acquire({ route: "/a" });
      await first.settle(outcome as never);
      const second = await limiter.acquire({ route: "/a", maxWait: 1_000 });
      await second.settle({ status: 200 });
      expect(second.permit).toBeDefined();
    },
  );

  it("without a route, or without a function that sends it, is refused by name", async () => {
    const limiter = createLimiter();
    await expect(limiter.acquire(null as never)).rejects.toMatchObject({
      _tag: "ConfigurationInvalid",
    });
    await expect(limiter.run({ route: "/a" }, 5 as never)).rejects.toMatchObject({
      _tag: "ConfigurationInvalid",
      option: "send",
    });
  });
});
