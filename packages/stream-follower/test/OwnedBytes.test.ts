/** Bytes of pages are given back after their commit, and nobody else's. */
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { Follower, SinkError } from "../src/index.ts";
import { own, release } from "../src/core/ownedBytes.ts";
import type { PageCommit } from "../src/Model.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import type { SinkService } from "../src/Sink.ts";
import { tagOf, virtually, over } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

describe("bytes", () => {
  it("are released once, if they were marked and are all of their memory", () => {
    const bytes = own(new Uint8Array(65_536));
    release(bytes);
    expect(bytes.length).toBe(0);
    release(bytes);
    const foreign = new Uint8Array(65_536);
    release(foreign);
    expect(foreign.length).toBe(65_536);
  });

  it("stay where they are few, as those of a pool, or lie in the middle of others", () => {
    const small = own(new Uint8Array(65_535));
    release(small);
    expect(small.length).toBe(65_535);
    const whole = new Uint8Array(200_000).fill(7);
    const part = own(whole.subarray(1000, 100_000));
    release(part);
    expect(whole[1000]).toBe(7);
    expect(part.length).toBe(99_000);
  });
});

/** A page of some size, which compresses badly enough to be worth releasing. */
const large = (nextId: string, wordCount = 40_000) => {
  const note = Array.from({ length: wordCount }, (_, index) =>
    ((index * 2_654_435_761) % 4_294_967_296).toString(36),
  ).join(" ");
  const change = JSON.stringify({ id: `of ${nextId}`, public: true, items: [{ note }] });
  return Buffer.from(`{"next_change_id":"${nextId}","stashes":[${change}]}`);
};

/** Two pages in two pieces each; an empty one at the end. */
const answer = ({ id = "p0" }: { readonly id?: string | undefined }) => ({
  body: {
    p0: large("p1"),
    p1: large("p2"),
    p2: '{"next_change_id":"p2","stashes":[]}',
  }[id]!,
});

const follow = async (
  sink: SinkService,
  onCommitted: (pages: ReadonlyArray<PageCommit>) => void,
) => {
  const { source } = scripted({ answer, isZipped: true });
  const pieces: Array<Uint8Array> = [];
  const open: typeof source.open = (request) =>
    Effect.map(source.open(request), (response) => ({
      ...response,
      body: (async function* () {
        for await (const piece of response.body) {
          pieces.push(piece);
          yield piece;
        }
      })(),
    }));
  const exit = await virtually(
    Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1, onCommitted }).pipe(
      Effect.provide(over({ ...source, open }, sink)),
    ),
    { realMillis: 5 },
  );
  expect(tagOf(exit)).toBe(undefined);
  // What the source gave is whole.
  expect(pieces.every(({ length }) => length > 0)).toBe(true);
};

describe("a run", () => {
  it("leaves a sink that keeps a page empty bytes, never those of another page", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    const kept: Array<PageCommit> = [];
    const sizes: Array<number> = [];
    const sink: SinkService = {
      ...inner,
      commit: (batch, epoch) => {
        for (const each of batch.pages) {
          kept.push(each);
          sizes.push(each.page.raw.length);
        }
        return inner.commit(batch, epoch);
      },
    };
    const during: Array<number> = [];
    await follow(sink, (pages) => during.push(...pages.map(({ page }) => page.raw.length)));
    expect(sizes.every((size) => size > 200_000)).toBe(true);
    // The program that is told of a commit still has them.
    expect(during).toEqual(sizes);
    expect(kept).toHaveLength(2);
    for (const { page } of kept) expect([page.raw.length, page.wire.length]).toEqual([0, 0]);
    // A sink that read the rows has them.
    expect(JSON.parse(memory.stashes.get("of p2")!.change!.json)).toMatchObject({ id: "of p2" });
  });

  it("releases nothing that a commit which was given up may still read", async () => {
    const inner = SinkMemory.make(SinkMemory.empty());
    const kept: Array<PageCommit> = [];
    let calls = 0;
    const sink: SinkService = {
      ...inner,
      commit: (batch, epoch) => {
        calls += 1;
        kept.push(...batch.pages);
        return calls === 1
          ? Effect.fail(new SinkError({ operation: "commit", kind: "unavailable" }))
          : inner.commit(batch, epoch);
      },
    };
    await follow(sink, () => undefined);
    expect(kept[0]!.page.raw.length).toBeGreaterThan(200_000);
    expect(kept.at(-1)!.page.raw.length).toBe(0);
  });
});
