/** Bodies that never change: made once, compressed once, bounded. */
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createSandboxHandler } from "../../src/index.ts";
import type { SandboxOptions } from "../../src/Config.ts";
import { LruCache } from "../../src/internal/LruCache.ts";
import { nodePlatform } from "../../src/platform/node.ts";
import { StashStream } from "../../src/world/StashStream.ts";

it("forgets what was not used before what was", () => {
  const cache = new LruCache<string>(2);
  const made: Array<string> = [];
  for (const key of "abacab") cache.get(key, () => (made.push(key), key));
  expect(made.join("")).toBe("abcb");
});

it("counts what it keeps against its bound", () => {
  const cache = new LruCache<Uint8Array>(100, (bytes) => bytes.length);
  let made = 0;
  const ask = (key: number) => cache.get(`${key}`, () => new Uint8Array(40).fill(++made));
  for (let key = 0; key < 1000; key++) ask(key);
  // Two of 40 bytes fit; the one before them is gone.
  ask(999);
  ask(998);
  expect(made).toBe(1000);
  ask(997);
  expect(made).toBe(1001);
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
    const packed = vi.spyOn(nodePlatform, "compress");
    for (const coding of ["gzip", "identity", "gzip"]) {
      let id = "";
      for (let page = 0; page < 20; page++)
        id = `?id=${(JSON.parse(await pageOf(coding, id)) as { readonly next_change_id: string }).next_change_id}`;
      expect([built.mock.calls.length, packed.mock.calls.length]).toEqual([20, 20]);
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
