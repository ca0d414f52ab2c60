/** Options that cannot work are told by name, and harm nobody. */
import { Cause, Effect, Exit } from "effect";
import { describe, expect, it } from "vitest";
import { checkPolicyLimiterOptions, PolicyLimiter } from "../src/effect/index.ts";
import { fileStore } from "../src/file/index.ts";
import { ConfigurationInvalidError, createLimiter, limitFetch } from "../src/index.ts";
import type { LimiterOptions, LimiterRequest } from "../src/index.ts";
import { explain, forecast, snapshot } from "../src/inspect.ts";
import { limitRequest } from "../src/node/index.ts";
import { limitDispatch } from "../src/undici/index.ts";

const NUMBERS = [
  "maxWait",
  "maxInFlight",
  "concurrencyWithoutHeaders",
  "inFlightTimeout",
  "maxClientErrors",
  "clientErrorWindow",
  "firewallCooldown",
] as const;
const OTHERS = [
  "store",
  "dialect",
  "key",
  "scopes",
  "countsAsError",
  "bucketSizes",
  "reserve",
  "onEvent",
] as const;

const make = (options: Record<string, unknown>) => () => createLimiter(options as LimiterOptions);

/** What a call throws. */
const thrown = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("createLimiter", () => {
  it.each(
    NUMBERS.flatMap((name) =>
      [Number.NaN, -1, "soon", null, {}, true].map((value) => [name, value] as const),
    ),
  )("refuses %s: %o", (option, value) => {
    const error = thrown(make({ [option]: value }));
    expect(error).toBeInstanceOf(ConfigurationInvalidError);
    expect(error).toMatchObject({ option, isRetryable: false });
  });

  it.each(
    OTHERS.flatMap((name) => [null, Number.NaN, 7, true].map((value) => [name, value] as const)),
  )("refuses %s: %o", (option, value) => {
    expect(thrown(make({ [option]: value }))).toMatchObject({ option });
  });

  it.each([
    [{ maxInFlight: 0 }, "maxInFlight"],
    [{ maxInFlight: 1.5 }, "maxInFlight"],
    [{ maxInFlight: Infinity }, "maxInFlight"],
    [{ inFlightTimeout: Infinity }, "inFlightTimeout"],
    [{ bucketSizes: [1000, 0] }, "bucketSizes[1]"],
    [{ scopes: { ip: "all" } }, "scopes.ip"],
    [{ reserve: { 1: -1 } }, "reserve.1"],
    [{ reserve: { high: 1 } }, "reserve.high"],
    [{ maxInflight: 4 }, "maxInflight"],
    [{ store: {} }, "store"],
    [{ key: "" }, "key"],
  ])("refuses %o by its name", (options, option) => {
    expect(thrown(make(options))).toMatchObject({ option });
  });

  it("says what it expected, and what it got", () => {
    expect(thrown(make({ maxInFlight: 0 }))).toMatchObject({
      message: "Invalid configuration: maxInFlight must be an integer of at least 1, not 0.",
    });
    const unknown = thrown(make({ timeout: 5 })) as Error;
    expect(unknown.message).toContain("timeout must be one of store, dialect, key");
  });

  it("takes what fits, and a wait without an end", () => {
    expect(make({ maxWait: Infinity, bucketSizes: [], key: undefined })).not.toThrow();
    expect(make({ maxWait: 0, reserve: { 2: 0 }, scopes: {} })).not.toThrow();
  });
});

describe("run", () => {
  it.each([
    ["priority", Number.NaN],
    ["priority", Infinity],
    ["priority", "high"],
    ["maxWait", -1],
    ["maxWait", Number.NaN],
    ["maxWait", null],
    ["route", undefined],
    ["route", 7],
    ["identity", null],
  ])("refuses %s: %o, and goes on serving others", async (name, value) => {
    const limiter = createLimiter();
    const request = { route: "GET /a", [name]: value } as unknown as LimiterRequest;
    let sent = 0;
    const send = () => {
      sent++;
      return { status: 200 };
    };
    await expect(limiter.run(request, send)).rejects.toMatchObject({
      name: "ConfigurationInvalidError",
      option: name,
    });
    await limiter.run({ route: "GET /b" }, send);
    expect(sent).toBe(1);
    expect(limiter.waiting()).toBe(0);
  });
});

describe.each([
  ["limitFetch", "run", (limiter: any, options: any) => limitFetch(limiter, fetch, options)],
  ["limitRequest", "acquire", (limiter: any, options: any) => limitRequest(limiter, options)],
  ["limitDispatch", "acquire", (limiter: any, options: any) => limitDispatch(limiter, options)],
] as const)("%s", (_, method, adapt) => {
  it.each([
    [{ priority: Number.NaN }, "priority"],
    [{ maxWait: "x" }, "maxWait"],
    [{ rout: 1 }, "rout"],
    [{ route: 5 }, "route"],
    [null, "options"],
  ])("refuses %o by its name", (options, option) => {
    expect(thrown(() => adapt(createLimiter(), options))).toMatchObject({ option });
  });

  it.each([undefined, null, {}])("refuses %o in place of a limiter", (limiter) => {
    const expected = { option: "limiter", expected: `an object with ${method}` };
    expect(thrown(() => adapt(limiter, {}))).toMatchObject(expected);
  });
});

describe("what looks at a limiter", () => {
  const where = { route: "GET /a" };
  const invalid = (option: string) => expect.objectContaining({ option });
  it.each([undefined, null, {}])("refuses %o in place of one, or of a route", async (none) => {
    expect(thrown(() => explain(none as never))).toEqual(invalid("limiter"));
    await expect(snapshot(none as never, where)).rejects.toEqual(invalid("limiter"));
    await expect(forecast(none as never, where, 1)).rejects.toEqual(invalid("limiter"));
    const option = none ? "route" : "where";
    await expect(snapshot(createLimiter(), none as never)).rejects.toEqual(invalid(option));
    const exit = await Effect.runPromiseExit(
      Effect.flatMap(PolicyLimiter, (limiter) => limiter.forecast(none as never, 1)).pipe(
        Effect.provide(PolicyLimiter.layerMemory()),
      ),
    );
    expect(exit).toEqual(Exit.die(invalid(option)));
  });
});

describe("fileStore", () => {
  it.each([undefined, null, 5, ""])("refuses %o in place of a path", (path) => {
    expect(thrown(() => fileStore(path as string))).toMatchObject({ option: "path" });
  });
});

describe("the limiter for Effect", () => {
  it.each([
    [{ maxWait: "soon" }, "maxWait"],
    [{ maxWait: Number.NaN }, "maxWait"],
    [{ inFlightTimeout: "-1 second" }, "inFlightTimeout"],
    [{ bucketSizes: ["one"] }, "bucketSizes[0]"],
    [{ maxInFlight: null }, "maxInFlight"],
  ])("refuses %o by its name", (options, option) => {
    expect(thrown(() => checkPolicyLimiterOptions(options as never))).toMatchObject({ option });
  });

  it.each([null, 5, "memory"])("refuses %o in place of options", async (options) => {
    const layer = PolicyLimiter.layerMemory(options as never);
    const exit = await Effect.runPromiseExit(Effect.provide(PolicyLimiter, layer));
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
      name: "ConfigurationInvalidError",
      option: "options",
    });
  });

  it("refuses a priority that is none, and goes on serving others", async () => {
    const run = (priority: number) =>
      Effect.flatMap(PolicyLimiter, (limiter) =>
        limiter.run(
          { route: "GET /a", priority },
          () => Effect.void,
          () => ({ status: 200 }),
        ),
      );
    const exits = Effect.all([Effect.exit(run(Number.NaN)), Effect.exit(run(1))]);
    const [bad, good] = await Effect.runPromise(Effect.provide(exits, PolicyLimiter.layerMemory()));
    expect([Exit.hasDies(bad), Exit.isSuccess(good)]).toEqual([true, true]);
  });
});

it("tells the members of a request that nobody knows", async () => {
  const { acquire, run } = createLimiter();
  const nothing = () => undefined;
  const report = () => ({ status: 200 });
  const misspelt = { route: "GET /a", maxwait: 100 } as never;
  await expect(run(misspelt, nothing)).rejects.toMatchObject({
    option: "maxwait",
    expected: "one of route, identity, priority, maxWait, signal, report",
  });
  await expect(acquire(misspelt)).rejects.toMatchObject({ option: "maxwait" });
  const reported = { route: "GET /a", report } as never;
  await expect(acquire(reported)).rejects.toMatchObject({ option: "report" });
  await expect(run({ route: "GET /a", report }, nothing)).resolves.toBe(undefined);
  const face = Effect.flatMap(PolicyLimiter, (limiter) =>
    limiter.run(misspelt, () => Effect.void, report),
  );
  const running = Effect.runPromise(Effect.provide(face, PolicyLimiter.layerMemory()));
  await expect(running).rejects.toMatchObject({ option: "maxwait" });
});
