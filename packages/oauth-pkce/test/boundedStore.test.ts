/** Calls of a store that end in time, tries again, and writes that say whether they arrived. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest";
import { TokenStoreFailed } from "../src/index.ts";
import { bounded, thrice, writeSurely } from "../src/internal/boundedStore.ts";
import { later, unheard, within } from "../src/internal/within.ts";
import { memoryStore, type Backend } from "../src/promise/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => undefined);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a bounded store", () => {
  it("ends each call in time, with the operation and a code", async () => {
    const store = bounded({ read: never, write: never }, 100);
    const failures = Promise.all([
      failureOf(store.read("k")),
      failureOf(store.write("k", undefined, undefined)),
    ]);
    await vi.advanceTimersByTimeAsync(99);
    assert.strictEqual(vi.getTimerCount(), 2);
    await vi.advanceTimersByTimeAsync(1);
    const [read, written] = await failures;
    assert.deepInclude(read, { operation: "read", reason: "ETIMEDOUT" });
    assert.deepInclude(written, { operation: "write", reason: "ETIMEDOUT" });
  });

  it("gives what came in time, and the failure of ours as it is", async () => {
    const own = new TokenStoreFailed({ operation: "open", reason: "EACCES" });
    const coded = Object.assign(new Error("sentinel"), { code: "ECONNRESET" });
    const of = (read: Backend["read"]) => bounded({ read, write: never }, 100).read("k");
    assert.isUndefined(await of(async () => undefined));
    assert.strictEqual(await failureOf(of(() => Promise.reject(own))), own);
    assert.deepInclude(await failureOf(of(() => Promise.reject(coded))), { reason: "ECONNRESET" });
    assert.deepInclude(await failureOf(of(() => Promise.reject(new Error("sentinel")))), {
      reason: "the store failed",
    });
    assert.strictEqual(vi.getTimerCount(), 0);
  });
});

describe("timers", () => {
  it("longer than 32 bits do not end at once, and late answers have a substitute", async () => {
    let isOver = false;
    const long = within(Infinity, never(), () => "late").then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
    assert.isFalse(isOver);
    await vi.advanceTimersByTimeAsync(1);
    assert.isTrue(await long);
  });

  it("of later work keep no process alive", () => {
    const unref = vi.fn<() => void>();
    vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce({ unref } as never);
    later(5, () => undefined);
    assert.strictEqual(unref.mock.calls.length, 1);
    let runs = 0;
    later(5, () => (runs += 1));
    vi.advanceTimersByTime(5);
    assert.strictEqual(runs, 1);
  });

  it("are not needed for what a callback gives by mistake", async () => {
    const rejected = Promise.reject(new Error("nobody hears this"));
    assert.strictEqual(unheard(rejected), rejected);
    assert.strictEqual(unheard(3), 3);
  });
});

describe("trying again", () => {
  it("pauses before each of three tries, and fails with the last failure", async () => {
    const at: Array<number> = [];
    const started = Date.now();
    const failed = failureOf(
      thrice((tries) => {
        at.push(Date.now() - started);
        return Promise.reject(new Error(`${tries}`));
      }),
    );
    await vi.runAllTimersAsync();
    assert.propertyVal(await failed, "message", "3");
    assert.deepStrictEqual(at, [0, 100, 600]);
  });

  const next = { version: "2", text: "t" };
  it("tells a write that arrived from one that did not", async () => {
    const store = memoryStore();
    const write = (expected: string | undefined) =>
      writeSurely(store, { key: "k", expected, next });
    assert.isUndefined(await write(undefined));
    // It has arrived already.
    assert.isUndefined(await write("1"));
    await store.write("k", "2", { version: "3", text: "u" });
    assert.deepInclude((await write("1"))?.found, { version: "3", text: "u" });
    await store.write("k", "3", undefined);
    assert.deepStrictEqual(await write("1"), { found: undefined });
  });

  it("takes a write that failed after it arrived for what it is", async () => {
    const memory = memoryStore();
    let writes = 0;
    const store: Backend = {
      read: memory.read,
      write: async (...all) => {
        writes += 1;
        await memory.write(...all);
        throw new Error("the response was lost");
      },
    };
    const first = failureOf(writeSurely(store, { key: "k", expected: undefined, next }));
    await vi.runAllTimersAsync();
    assert.propertyVal(await first, "message", "the response was lost");
    assert.strictEqual(writes, 3);
    const recovering: Backend = { read: memory.read, write: memory.write };
    assert.isUndefined(await writeSurely(recovering, { key: "k", expected: undefined, next }));
  });
});
