/** Operations on a store besides following, on each database: jump, rebuild, quarantine. */
import { Effect, Fiber } from "effect";
import { expect, it } from "vitest";
import { jump, Lease, PageLog, Quarantine, Sink, Status, Verify } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import type { MadePage } from "./support/History.ts";
import { onEachDatabase } from "./support/hooks.ts";
import { KEY, quietly as run, tagOf } from "./support/Run.ts";
import type { Script } from "./support/ScriptedSource.ts";
import { derived, followedInto, listed, setBytes, stashesOf } from "./support/Stores.ts";

/** Three pages, and one that only a jump reaches. */
const pages: ReadonlyArray<MadePage> = [
  { id: "p0", nextId: "p1", stashes: [listed("a", "old", [{ id: "1" }])] },
  { id: "p1", nextId: "p2", stashes: [listed("a", "new", [{ id: "2" }]), listed("b", "two")] },
  {
    id: "p2",
    nextId: "p3",
    stashes: [listed("c", "three"), { id: "d".repeat(64), public: false }],
  },
];
const later: ReadonlyArray<MadePage> = [
  { id: "q0", nextId: "q1", stashes: [listed("e", "after the jump", [{ id: "4" }])] },
];

const followScript = (url: StoreUrl.StoreUrl, script: Script) =>
  run(Effect.andThen(followedInto(url, script), derived(url)));
const follow = (url: StoreUrl.StoreUrl, served = pages) =>
  followScript(url, { answer: answerHistory(served) });

onEachDatabase((newStore) => {
  it("jump moves the checkpoint and stores a gap, and a follower continues from there", async () => {
    const url = newStore();
    const layer = StoreUrl.layer(url);
    await follow(url);
    const before = await run(StoreUrl.statusOf(KEY, url));
    const moved = await run(Effect.provide(jump(KEY, "q0"), layer));
    expect(moved).toMatchObject({ nextId: "q0", seq: before.seq + 1n });
    expect(moved.epoch).toBeGreaterThan(before.epoch);
    // No page was fetched, so the lag keeps growing.
    const { receivedAt } = before;
    const after = { nextId: "q0", receivedAt, gaps: 1 };
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject(after);
    expect((await run(Effect.provide(jump(KEY, "q0"), layer))).seq).toBe(moved.seq);
    await follow(url, later);
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({
      nextId: "q1",
      seq: before.seq + 2n,
      rows: before.rows + 1,
    });
    const verified = Effect.provide(Verify.verify(KEY, { deep: true }), StoreUrl.logLayer(url));
    expect(await run(verified)).toMatchObject({ pages: 5, problems: [] });
  });

  it("a page that leads back to a stored page counts as a circle, but not after a jump to that page", async () => {
    const url = newStore();
    await follow(url);
    const back = { id: "p3", nextId: "p1", stashes: [listed("a", "older")] };
    const streams = new Map<string, Status.StreamRecord>();
    const again = followedInto(url, { answer: answerHistory([...pages, back]) });
    const fiber = Effect.runFork(Effect.provideService(again, Status.Streams, streams));
    const source = () => streams.get("stashes/pc")?.parts.get("source");
    await expect.poll(() => source()?.failure?.reason, { timeout: 10_000 }).toBe("cycle");
    await run(Fiber.interrupt(fiber));
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({ nextId: "p3", pages: 3 });
    await run(Effect.provide(jump(KEY, "p1"), StoreUrl.layer(url)));
    await follow(url);
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({ nextId: "p3", pages: 6 });
  });

  it("jump fails with StreamInUse while another process follows the stream", async () => {
    const url = newStore();
    await follow(url);
    const layer = StoreUrl.layer(url);
    const busy = Effect.scoped(
      Effect.andThen(
        Effect.flatMap(Lease.Lease, (lease) => lease.hold(KEY)),
        Effect.provide(Effect.exit(jump(KEY, "q0", { wait: "50 millis" })), layer),
      ),
    );
    expect(tagOf(await run(Effect.provide(busy, layer)))).toBe("StreamInUse");
    expect((await run(StoreUrl.statusOf(KEY, url))).nextId).toBe("p3");
  });

  it("jump fences a follower that is still running", async () => {
    const url = newStore();
    await follow(url);
    const layer = StoreUrl.layer(url);
    const { epoch } = await run(StoreUrl.statusOf(KEY, url));
    await run(Effect.provide(jump(KEY, "q0"), layer));
    const claim = Effect.flatMap(Sink.Sink, (sink) => sink.claim(KEY, epoch));
    expect(tagOf(await Effect.runPromiseExit(Effect.provide(claim, layer)))).toBe("Fenced");
  });

  it("rebuild derives the current stashes from the log, and refuses a log without its first pages", async () => {
    const url = newStore();
    await follow(url);
    const before = await stashesOf(url);
    await run(StoreUrl.rebuild(url, KEY));
    expect(await stashesOf(url)).toEqual(before);
    expect(await run(StoreUrl.statusOf(KEY, url))).toMatchObject({ rows: 3, items: 1 });
    await follow(url, [...pages, { id: "p3", nextId: "p4", stashes: [listed("f", "new")] }]);
    expect((await run(StoreUrl.statusOf(KEY, url))).rows).toBe(4);
    const prune = Effect.flatMap(PageLog.PageLog, (log) =>
      log.prune(KEY, { bytes: 0 }, { force: true }),
    );
    const pruned = await run(Effect.provide(prune, StoreUrl.logLayer(url)));
    expect(pruned).toMatchObject({ pages: 4, isAheadOfReaders: false });
    expect(tagOf(await Effect.runPromiseExit(StoreUrl.rebuild(url, KEY)))).toBe("HistoryExpired");
    expect((await run(StoreUrl.statusOf(KEY, url))).rows).toBe(4);
  });

  it("the quarantine keeps the bytes of an unreadable page, and replays the page once it is readable", async () => {
    const url = newStore();
    const fault = ({ id }: Seen) =>
      id === "p1" ? ({ kind: "malformed", keepHead: true } as const) : undefined;
    const script = { answer: answerHistory(pages), fault };
    const options = { badPageRetryDelays: [1, 1] };
    await run(Effect.andThen(followedInto(url, script, options), derived(url)));
    const [record] = await run(Quarantine.list(url));
    expect(record).toMatchObject({ kind: "page", errorTag: "MalformedPage", seq: 2n });
    expect(record).not.toHaveProperty("indexer");
    expect(Buffer.from(record!.bytes).toString()).toMatch(/^\{"next_change_id":"p2",/u);
    const report = await run(Quarantine.replay(url, { key: KEY }));
    expect(report).toMatchObject({ replayed: 0, remaining: 1, rows: 0 });

    // The bytes as a version would read them that can.
    const whole = JSON.stringify({ next_change_id: "p2", stashes: pages[1]!.stashes });
    await setBytes(url, "quarantine", record!.id, whole);
    const fixed = await run(Quarantine.replay(url, { key: KEY }));
    expect(fixed).toMatchObject({ replayed: 1, remaining: 0, rows: 2 });
    expect(await run(Quarantine.list(url))).toEqual([]);
    const state = await stashesOf(url);
    expect(JSON.parse(state.get("a".padStart(64, "0"))!)).toMatchObject({ stash: "new" });
    expect(state.size).toBe(4);
  });
});
