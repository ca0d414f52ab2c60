/** Tests of the totals of a counting sink, compared with the content of the sink. */
import { Effect } from "effect";
import { expect, it } from "vitest";
import { Follower, Lease, PageSource, Sink } from "../src/index.ts";
import { SinkMemory } from "../src/memory/index.ts";
import * as CountingSink from "../src/CountingSink.ts";
import { answerHistory } from "./support/FaultServer.ts";
import type { MadePage } from "./support/History.ts";
import { scripted } from "./support/ScriptedSource.ts";

const stash = (name: string, items: number, isPublic = true) => ({
  id: name.padStart(64, "0"),
  public: isPublic,
  stashType: "PremiumStash",
  ...(isPublic && { items: Array.from({ length: items }, () => ({})) }),
});

const pages = [
  { id: "p0", nextId: "p1", stashes: [stash("a", 9), stash("b", 1)] },
  { id: "p1", nextId: "p2", stashes: [stash("a", 2), stash("c", 3), { id: 7 }] },
  { id: "p2", nextId: "p3", stashes: [stash("b", 0, false), stash("unheard of", 0, false)] },
] as unknown as ReadonlyArray<MadePage>;

it("counts what became durable, a stash as its last page has it", async () => {
  const memory = SinkMemory.empty();
  const seen: Array<readonly [pages: number, stashes: number, items: number]> = [];
  const { sink, counts } = CountingSink.make(SinkMemory.make(memory), (now) =>
    seen.push([now.pages, now.stashes, now.items]),
  );
  const summary = await Effect.runPromise(
    Follower.run({ source: "stashes", until: "caughtUp", decode: "envelope" }).pipe(
      Effect.provideService(Sink.Sink, sink),
      Effect.provideService(
        PageSource.PageSource,
        scripted({ answer: answerHistory(pages) }).source,
      ),
      Effect.provide(Lease.none),
    ),
  );
  expect(seen).toEqual([
    [1, 2, 10],
    [2, 3, 6],
    [3, 2, 5],
  ]);
  const held = [...memory.stashes.values()].flatMap(({ change }) => change ?? []);
  expect(counts()).toMatchObject({
    pages: summary.pages,
    rows: summary.rows,
    stashes: held.length,
    items: held.reduce((sum, { itemCount }) => sum + itemCount, 0),
    quarantined: memory.quarantine.length,
    markets: [],
  });
  expect(counts().quarantined).toBe(1);
  expect(counts().bytes).toBeGreaterThan(500);
});

it("ends a run after so many pages", async () => {
  const { after, sink, counts } = CountingSink.make(SinkMemory.make(SinkMemory.empty()));
  const options = { source: "stashes", until: "forever", batchPages: 1 } as const;
  const { ended } = await Effect.runPromise(
    Follower.run({ ...options, stopWhen: after(2) }).pipe(
      Effect.provideService(Sink.Sink, sink),
      Effect.provideService(
        PageSource.PageSource,
        scripted({ answer: answerHistory(pages) }).source,
      ),
      Effect.provide(Lease.none),
    ),
  );
  expect(ended).toBe("stopped");
  expect(counts().pages).toBeGreaterThanOrEqual(2);
  await Effect.runPromise(after(1));
});

it("counts nothing that the sink refuses", async () => {
  const memory = SinkMemory.empty();
  const { sink, counts } = CountingSink.make({
    ...SinkMemory.make(memory),
    commit: () => Effect.die("the disk is full"),
  });
  await Effect.runPromiseExit(
    Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
      Effect.provideService(Sink.Sink, sink),
      Effect.provideService(
        PageSource.PageSource,
        scripted({ answer: answerHistory(pages) }).source,
      ),
      Effect.provide(Lease.none),
    ),
  );
  expect(counts().pages).toBe(0);
});
