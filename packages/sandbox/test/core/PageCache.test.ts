/** Bodies that never change: made once, compressed once, bounded; edits show at once. */
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createSandboxHandler, type SandboxHandler, startSandbox } from "../../src/index.ts";
import { PageCache, pages } from "../../src/internal/PageCache.ts";
import { StashStream } from "../../src/world/StashStream.ts";

const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);

describe("the page cache", () => {
  it("makes a body once, and compresses it once for equal requests at a time", async () => {
    const cache = new PageCache();
    let made = 0;
    const plain = () => cache.plain("a", () => bytes(10, ++made));
    expect([plain(), plain()]).toEqual([bytes(10, 1), bytes(10, 1)]);
    let packed = 0;
    const coded = () =>
      cache.coded("a", "gzip", async () => {
        await Promise.resolve();
        return bytes(5, ++packed);
      });
    expect(await Promise.all([coded(), coded()])).toEqual([bytes(5, 1), bytes(5, 1)]);
    expect(await coded()).toEqual(bytes(5, 1));
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

  it("keeps nothing of a compression that failed", async () => {
    const cache = new PageCache();
    await expect(cache.coded("a", "gzip", () => Promise.reject(new Error("full")))).rejects.toThrow(
      "full",
    );
    expect(await cache.coded("a", "gzip", () => Promise.resolve(bytes(1)))).toEqual(bytes(1));
  });
});

type Send = (request: Request) => Promise<Response>;
type Addressed = Pick<SandboxHandler, "baseUrl" | "token">;

const textOf = async (send: Send, url: string, token: string, coding: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": coding };
  const response = await send(new Request(url, { headers }));
  const body = Buffer.from(await response.arrayBuffer());
  return (body[0] === 0x1f ? gunzipSync(body) : body).toString();
};

const pageOf = async ({ baseUrl, token }: Addressed, send: Send, coding: string, id = "") => {
  const own = await token({ clientId: "example-service", scopes: ["service:psapi"] });
  return textOf(send, `${baseUrl}/public-stash-tabs${id}`, own, coding);
};

const world = { streamHistoryPages: 3, streamPageSize: 20 };
const onPorts = await startSandbox({ seed: 3, world });
const inProcess = await createSandboxHandler({ seed: 3, world });
afterAll(() => Promise.all([onPorts.close(), inProcess.close()]));

describe("full pages of the stream", () => {
  it("are the same plain and compressed, over ports and in process", async () => {
    const texts: Array<string> = [];
    for (const coding of ["identity", "gzip", "gzip"]) {
      texts.push(await pageOf(onPorts, fetch, coding));
      texts.push(await pageOf(inProcess, inProcess.fetch, coding));
    }
    expect(new Set(texts).size).toBe(1);
  });

  it("are built and packed once each where twenty are asked in turn", async () => {
    const sandbox = await createSandboxHandler({ seed: 1, rates: "off" });
    const built = vi.spyOn(StashStream.prototype, "page");
    const packed = vi.spyOn(pages, "coded");
    const counts: Array<readonly number[]> = [];
    for (const coding of ["gzip", "identity", "gzip"]) {
      let id = "";
      for (let page = 0; page < 20; page++)
        id = `?id=${(JSON.parse(await pageOf(sandbox, sandbox.fetch, coding, id)) as { readonly next_change_id: string }).next_change_id}`;
      const made = packed.mock.settledResults.map(({ value }) => value as Uint8Array);
      counts.push([built.mock.calls.length, new Set(made).size]);
    }
    expect(counts).toEqual([
      [20, 20],
      [20, 20],
      [20, 20],
    ]);
    vi.restoreAllMocks();
    await sandbox.close();
  });

  it("hide no edit: it shows in the next answer, plain and compressed, on both adapters", async () => {
    for (const [sandbox, send] of [
      [onPorts, fetch],
      [inProcess, inProcess.fetch],
    ] as const) {
      const stream = await pageOf(sandbox, send, "gzip");
      const account = sandbox.accounts[0]!.name;
      const token = await sandbox.token({ scopes: ["account:stashes"], account });
      const ask = (coding: string) =>
        textOf(send, `${sandbox.baseUrl}/stash/Standard`, token, coding);
      const [, id] = /"id":"(\w+)"/u.exec(await ask("gzip"))!;
      const path = `/accounts/${encodeURIComponent(account)}/stashes/pc/Standard/${id}`;
      for (const coding of ["gzip", "identity"]) {
        await sandbox.control("PATCH", path, { name: `edited for ${coding}` });
        expect(await ask(coding)).toContain(`edited for ${coding}`);
      }
      expect(await pageOf(sandbox, send, "gzip")).toBe(stream);
    }
  });

  it("of worlds in one process do not mix", async () => {
    const texts = [await pageOf(inProcess, inProcess.fetch, "gzip")];
    for (const [seed, streamPageSize] of [
      [4, 20],
      [3, 10],
    ] as const) {
      const sandbox = await createSandboxHandler({ seed, world: { ...world, streamPageSize } });
      texts.push(await pageOf(sandbox, sandbox.fetch, "gzip"));
      await sandbox.close();
    }
    expect(new Set(texts).size).toBe(3);
  });
});
