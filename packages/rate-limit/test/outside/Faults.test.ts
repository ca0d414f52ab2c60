/**
 * Every member of every collaborator fails in every way, through exported names and in virtual time:
 * each request ends within a bound, with a response or a typed error, and leaves no loose rejection.
 * The members come from the declarations, so that a new one is tried as well.
 */
import {
  type Backend,
  ConfigurationInvalidError,
  createLimiter,
  type LimiterOptions,
  memoryStore,
  RequestNotSentError,
  type Store,
  StoreError,
  xRateLimit,
} from "@game-data/rate-limit";
import { membersOf, VALUES, WAYS } from "@game-data/test-support";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const values: ReadonlyArray<unknown> = [...Object.values(VALUES), [], true];

/** A memory store of which one member of the backend is replaced. */
const storeWith = (member: string, value: unknown): Store => ({
  open: async (context) =>
    ({ ...(await memoryStore().open(context)), [member]: value }) as unknown as Backend,
});

const typed = [ConfigurationInvalidError, RequestNotSentError, StoreError];
const loose: Array<unknown> = [];
const note = (cause: unknown): void => void loose.push(cause);

beforeEach(() => {
  loose.length = 0;
  process.on("unhandledRejection", note);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  process.off("unhandledRejection", note);
});

/** How two requests end: the second tells whether the first one kept its place. */
const endings = async (make: () => LimiterOptions): Promise<ReadonlyArray<string>> => {
  let limiter: ReturnType<typeof createLimiter>;
  try {
    limiter = createLimiter({ maxWait: 60_000, maxInFlight: 1, ...make() });
  } catch (error) {
    return [typed.some((each) => error instanceof each) ? "typed" : `untyped ${String(error)}`];
  }
  const found = ["no answer", "no answer"];
  for (const index of found.keys())
    limiter
      .run({ route: "GET /a" }, () => ({ status: 200, headers: { "x-a": "1" } }))
      .then(
        () => (found[index] = "ok"),
        (error: unknown) => {
          const isTyped = typed.some((each) => error instanceof each);
          found[index] = isTyped ? "typed" : `untyped ${String(error)}`;
        },
      );
  await vi.advanceTimersByTimeAsync(30_000);
  // Before the end, which answers all that wait.
  const answered = [...found];
  void limiter.close().catch(() => undefined);
  await vi.advanceTimersByTimeAsync(30_000);
  return answered;
};

const isGood = (ending: string): boolean => ending === "ok" || ending === "typed";

describe("each member in each way", () => {
  const stores = new URL("../../src/Store.ts", import.meta.url);
  const backend = membersOf(stores, "Backend");
  const options = membersOf(
    new URL("../../src/limiterOptions.ts", import.meta.url),
    "LimiterOptions",
  );

  it("is one of those that the declarations list", () => {
    expect(backend).toEqual(
      expect.arrayContaining([
        "state",
        "offset",
        "pollMillis",
        "sync",
        "reserve",
        "settle",
        "close",
      ]),
    );
    expect(options).toEqual(expect.arrayContaining(["store", "dialect", "maxWait", "onEvent"]));
  });

  it.each(backend)("of a store's backend: %s", async (member) => {
    for (const [way, value] of [...Object.entries(WAYS), ...values.map((each) => ["", each])])
      for (const ending of await endings(() => ({ store: storeWith(member, value) })))
        expect([member, way, isGood(ending) || ending]).toEqual([member, way, true]);
    expect(loose).toEqual([]);
  });

  it.each(membersOf(stores, "Store"))("of a store: %s", async (member) => {
    for (const [way, value] of [...Object.entries(WAYS), ...values.map((each) => ["", each])]) {
      const store = { ...memoryStore(), [member]: value } as never;
      for (const ending of await endings(() => ({ store })))
        expect([member, way, isGood(ending) || ending]).toEqual([member, way, true]);
    }
    expect(loose).toEqual([]);
  });

  it.each(options)("of the options: %s", async (member) => {
    for (const value of [...Object.values(WAYS), ...values])
      for (const ending of await endings(() => ({ [member]: value }) as never))
        expect([member, String(value), isGood(ending) || ending]).toEqual([
          member,
          String(value),
          true,
        ]);
    expect(loose).toEqual([]);
  });

  it.each(["read", "refusals"])("of a dialect: %s", async (member) => {
    for (const [way, value] of [...Object.entries(WAYS), ...values.map((each) => ["", each])]) {
      const dialect = { ...xRateLimit, [member as string]: value } as never;
      for (const ending of await endings(() => ({ dialect })))
        expect([member, way, isGood(ending) || ending]).toEqual([member, way, true]);
    }
    expect(loose).toEqual([]);
  });
});
