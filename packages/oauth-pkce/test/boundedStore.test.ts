/** Tries again, and writes that say whether they arrived. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest";
import { bounded, thrice, writeSurely } from "../src/internal/boundedStore.ts";
import { later } from "../src/internal/within.ts";
import { memoryStore, TokenStoreFailed, type Backend } from "../src/promise/index.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

it("a call ends in time, with its operation and a code, and leaves no timer", async () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = bounded({ read: never, write: never }, 100);
  const late = [hanging.read("k"), hanging.write("k", undefined, undefined)].map(failureOf);
  await vi.advanceTimersByTimeAsync(100);
  assert.deepInclude(await late[0], { operation: "read", reason: "ETIMEDOUT" });
  assert.deepInclude(await late[1], { operation: "write", reason: "ETIMEDOUT" });
  const of = (read: Backend["read"]) => failureOf(bounded({ read, write: never }, 100).read("k"));
  const own = new TokenStoreFailed({ operation: "open", reason: "EACCES" });
  const coded = Object.assign(new Error("sentinel"), { code: "ECONNRESET" });
  assert.strictEqual(await of(() => Promise.reject(own)), own);
  assert.deepInclude(await of(() => Promise.reject(coded)), { reason: "ECONNRESET" });
  assert.deepInclude(await of(() => Promise.reject(null)), { reason: "the store failed" });
  assert.isUndefined(await of(async () => undefined));
  assert.strictEqual(vi.getTimerCount(), 0);
});

it("a timer of later work keeps no process alive", () => {
  const unref = vi.fn<() => void>();
  vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce({ unref } as never);
  later(5, () => undefined);
  assert.strictEqual(unref.mock.calls.length, 1);
  let runs = 0;
  later(5, () => (runs += 1));
  vi.advanceTimersByTime(5);
  assert.strictEqual(runs, 1);
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
