/** Bodies that never change: made once, compressed once, bounded. */
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createSandboxHandler } from "../../src/index.ts";
import type { SandboxOptions } from "../../src/Config.ts";
import { PageCache, pages } from "../../src/internal/PageCache.ts";
import { StashStream } from "../../src/world/StashStream.ts";

const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);

describe("the page cache", () => {
  it("compresses a body once for equal requests at a time, and keeps nothing of a failure", async () => {
    const cache = new PageCache();
    let packed = 0;
    const coded = () =>
      cache.coded("a", "gzip", async () => {
        await Promise.resolve();
        packed += 1;
        if (packed === 1) throw new Error("full");
        return bytes(5, packed);
      });
    const failed = await Promise.allSettled([coded(), coded()]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await Promise.all([coded(), coded()])).toEqual([bytes(5, 2), bytes(5, 2)]);
    expect(await coded()).toEqual(bytes(5, 2));
  });

  it("forgets what was not used before what was", () => {
    const cache = new PageCache(2);
    const made: Array<string> = [];
    for (const key of "abacab")
      cache.plain(key, () => {
        made.push(key);
        return bytes(1);
      });
    expect(made.join("")).toBe("abcb");
  });

  it("counts plain and compressed bytes against one bound", async () => {
    const cache = new PageCache(100);
    let made = 0;
    const ask = (key: number) => cache.plain(`${key}`, () => bytes(30, ++made));
    for (let key = 0; key < 1000; key++) {
      ask(key);
      await cache.coded(`${key}`, "gzip", () => Promise.resolve(bytes(10)));
    }
    // Two pairs of 40 bytes fit; the one before them is gone.
    ask(999);
    ask(998);
    expect(made).toBe(1000);
    ask(997);
    expect(made).toBe(1001);
  });
});

const world = { streamHistoryPages: 20, streamPageSize: 10 };
const open = async (options: SandboxOptions, start = createSandboxHandler) => {
  const sandbox = await start({ seed: 3, rates: "off", world, ...options });
  afterAll(() => sandbox.close());
  const textOf = async (path: string, token: string, coding: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, "accept-encoding": coding };
    const response = await sandbox.fetch(new Request(sandbox.baseUrl + path, { headers }));
    const body = Buffer.from(await response.arrayBuffer());
    return (body[0] === 0x1f ? gunzipSync(body) : body).toString();
  };
  const pageOf = async (coding: string, id = "") => {
    const own = await sandbox.token({ clientId: "example-service", scopes: ["service:psapi"] });
    return textOf(`/public-stash-tabs${id}`, own, coding);
  };
  return { ...sandbox, textOf, pageOf };
};
describe("full pages of the stream", () => {
  it("are built and packed once each where twenty are asked in turn", async () => {
    const { pageOf } = await open({ seed: 1 });
    const built = vi.spyOn(StashStream.prototype, "page");
    const packed = vi.spyOn(pages, "coded");
    for (const coding of ["gzip", "identity", "gzip"]) {
      let id = "";
      for (let page = 0; page < 20; page++)
        id = `?id=${(JSON.parse(await pageOf(coding, id)) as { readonly next_change_id: string }).next_change_id}`;
      const made = packed.mock.settledResults.map(({ value }) => value as Uint8Array);
      expect([built.mock.calls.length, new Set(made).size]).toEqual([20, 20]);
    }
    vi.restoreAllMocks();
  });

  it("of worlds in one process do not mix", async () => {
    const texts: Array<string> = [];
    for (const options of [{}, { seed: 4 }, { world: { ...world, streamPageSize: 5 } }])
      texts.push(await (await open(options)).pageOf("gzip"));
    expect(new Set(texts).size).toBe(3);
  });
});
