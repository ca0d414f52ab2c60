/**
 * Watches of the API, over a sandbox whose clock is moved.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RunningIndex, startIndex } from "./support/running.ts";

let index: RunningIndex;

beforeAll(async () => {
  index = await startIndex();
});

afterAll(async () => {
  await index?.close();
});

/** Opens a stream of events; gives them one by one, and ends with its signal. */
const watch = async (path: string, headers: Record<string, string> = {}) => {
  const abort = new AbortController();
  const response = await fetch(`${index.origin}/api/${path}`, { signal: abort.signal, headers });
  const texts = async function* () {
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const all = (rest + chunk).split("\n\n");
      rest = all.pop()!;
      yield* all;
    }
  };
  return { response, texts: texts(), abort: () => abort.abort() };
};

describe("live", () => {
  it("streams what is listed and what is sold of a watched search", async () => {
    // Which leagues a small world trades in is its seed's affair.
    const [{ name }] = (await index.get("status")).leagues;
    const { abort, response, texts } = await watch(`watch?league=${encodeURIComponent(name)}`);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const kinds = new Set<string>();
    const isDone = () => kinds.has("listed") && kinds.has("sold");
    const advance = (async () => {
      for (let i = 0; i < 100 && !isDone(); i++) {
        await index.advance("2 minutes");
        await sleep(400);
      }
    })();
    for await (const text of texts) {
      kinds.add(/"kind":"(\w+)"/u.exec(text)![1]!);
      if (isDone()) break;
    }
    abort();
    await advance;
    expect(kinds).toContain("sold");
  });

  it("goes on after the last event that a client has, and names an id that it cannot use", async () => {
    await index.settle();
    const first = await listedAfter();
    expect(first.place).toMatch(/^\d+-\d+$/u);
    await index.advance("8 minutes");
    await index.settle();
    const all = await listedAfter(first.place, 3);
    expect(all.listed.length).toBeGreaterThanOrEqual(3);
    // Cut off after the first of them: the others come again, and it does not.
    const again = await listedAfter(all.ids[0], all.listed.length - 1);
    expect(again.listed).toEqual(all.listed.slice(1));
    // An index that was built anew has not come as far: the watch begins now.
    expect((await listedAfter("999999999-0")).place).toMatch(/^\d{1,8}-\d+$/u);
    const { response } = await watch("watch", { "last-event-id": "yesterday" });
    expect(await response.json()).toMatchObject({ status: 400, parameter: "last-event-id" });
  });

  /** Watches after a place until so many listings came; gives their numbers and ids. */
  const listedAfter = async (after?: string, wanted = 0) => {
    const from = after === undefined ? {} : { "last-event-id": after };
    const { abort, texts } = await watch("watch?league=Standard", from);
    const listed: Array<number> = [];
    const ids: Array<string> = [];
    let place: string | undefined;
    for await (const text of texts) {
      const [, id = "", data = "{}"] = /^id: (.+)\ndata: (.+)$/u.exec(text) ?? [];
      place ??= id;
      const { kind, no } = JSON.parse(data) as { kind: string; no: number };
      if (kind === "listed") {
        listed.push(no);
        ids.push(id);
      }
      if (listed.length >= wanted) break;
    }
    abort();
    return { place, listed, ids };
  };
});

// Before others follow the same stream in this process.

it("opens 16 streams for an address, tells the others, and gives their places back", async () => {
  const open = () => watch("watch?league=Standard");
  const all = await Promise.all(Array.from({ length: 40 }, open));
  const refused = all.filter(({ response }) => response.status === 429);
  expect(refused.length).toBe(24);
  expect(refused[0]!.response.headers.get("retry-after")).toBe("1");
  expect(await refused[0]!.response.json()).toMatchObject({ title: "Too Many Requests" });
  for (const { abort } of all) abort();
  await vi.waitFor(async () => {
    const { abort, response } = await open();
    abort();
    expect(response.status).toBe(200);
  }, 10_000);
});
