/**
 * The behaviour table, row by row, under a virtual clock. Rows of sinks, leases and processes have
 * files of their own.
 */
import { Exit } from "effect";
import { describe, expect, it } from "vitest";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import { idOf, makeHistory } from "./support/History.ts";
import type { Status } from "../src/index.ts";
import { differences, follow, tagOf, waitsOf } from "./support/Run.ts";

const pages = makeHistory({ pages: 6 });
const answer = answerHistory(pages);
const ids = pages.map((page) => page.id);

/** Waits between requests for an id, in seconds. */
const secondsOf = (seen: ReadonlyArray<Seen>, id: string) =>
  waitsOf(seen, id).map((wait) => Math.round(wait / 1000));

describe("following", () => {
  it("a follower accepts every form of an unlisted stash: bare, with nulls, with empty items [NS-16]", async () => {
    const id = (letter: string) => letter.repeat(64);
    const forms = [
      { id: id("1"), public: false },
      { id: id("2"), public: false, accountName: null, stash: null, league: null },
      { id: id("3"), public: false, stashType: "PremiumStash", items: [], league: "Standard" },
      { id: id("4"), public: false, items: null, stashType: null },
    ];
    const history = [{ id: "p0", nextId: "p1", stashes: forms as never }];
    const { memory } = await follow({ answer: answerHistory(history) });
    expect(memory.stashes.size).toBe(4);
    expect([...memory.stashes.values()].every((stash) => stash === undefined)).toBe(true);
    expect(memory.quarantine).toEqual([]);
  });
});

describe("the end of the stream", () => {
  it("a follower takes an empty page for the end of the stream, and does not commit the page [ST-09]", async () => {
    const { exit, memory } = await follow({ answer });
    expect(exit).toEqual(Exit.succeed({ pages: 6, rows: 30, ended: "caughtUp" }));
    expect(memory.pages.length).toBe(6);
  });

  it("a follower polls the last id after 1, 2, 4 and 4 seconds until there is a new page [ST-10] [CL-14]", async () => {
    let served = 0;
    let visible = 3;
    const growing = answerHistory(pages, () => visible);
    const { memory, seen } = await follow(
      {
        answer: (one) => {
          if (one.id === idOf(3)) served += 1;
          if (served === 6) visible = 6;
          return growing(one);
        },
      },
      { until: "forever" },
      { limitMillis: 25_000 },
    );
    expect(secondsOf(seen, idOf(3)).slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
    expect(differences(memory, pages)).toEqual([]);
  });

  it("a follower continues from the next id of an empty page that leads to another id", async () => {
    const { memory } = await follow(
      { answer: ({ id = "moved" }) => ({ body: `{"next_change_id":"${id}","stashes":[]}` }) },
      { until: "forever" },
      { limitMillis: 10_000 },
    );
    expect(memory.checkpoints.get("stashes/pc")?.nextId).toBe("moved");
  });

  it("a follower requests the same id at most twice a second", async () => {
    const { seen } = await follow(
      { answer: () => ({ body: '{"next_change_id":"same","stashes":[]}' }) },
      { until: "forever", from: { id: "same" }, pollInterval: { min: 1, max: 1 } },
      { limitMillis: 20_000 },
    );
    expect(seen.length).toBeGreaterThan(10);
    expect(Math.min(...waitsOf(seen))).toBeGreaterThanOrEqual(500);
  });
});

describe("broken rules", () => {
  const rows = '"stashes":[{"id":"x","public":false}]';

  const repeated = `{"next_change_id":"same",${rows}}`;

  /**
   * Whether a run was at the end of the stream when it was interrupted, and the reason of its last
   * failed request.
   */
  const factsOf = (streams: ReadonlyMap<string, Status.StreamRecord>) => {
    const { facts, parts } = streams.get("stashes/pc")!;
    return { isAtTail: facts.tailAt !== undefined, reason: parts.get("source")?.failure?.reason };
  };

  it("a follower commits a page that leads to itself once, and reports a broken stream until it moves [ST-09]", async () => {
    const moved = (id?: string) => (id === "same" ? `{"next_change_id":"b",${rows}}` : end);
    const end = '{"next_change_id":"b","stashes":[]}';
    for (const [limitMillis, committed, isAtTail, reason] of [
      [80_000, ["same"], false, "repeated"],
      [200_000, ["same", "b"], true, undefined],
    ] as const) {
      const streams = new Map<string, Status.StreamRecord>();
      const { memory, seen } = await follow(
        { answer: ({ at, id }) => ({ body: at < 90_000 ? repeated : moved(id) }) },
        { until: "forever", from: { id: "same" } },
        { limitMillis, streams },
      );
      expect(memory.pages.map(({ nextId }) => nextId)).toEqual(committed);
      expect(secondsOf(seen, "same").slice(0, 2)).toEqual([1, 60]);
      expect(factsOf(streams)).toEqual({ isAtTail, reason });
    }
  });

  it("a run with `caughtUp` ends at an empty page, and not at a page that leads to itself [ST-09]", async () => {
    const { exit, memory, seen } = await follow({
      answer: ({ index }) => ({
        body:
          index < 2
            ? `{"next_change_id":"same",${rows},"n":${index}}`
            : '{"next_change_id":"same","stashes":[]}',
      }),
    });
    expect(tagOf(exit)).toBe(undefined);
    expect([memory.pages.length, seen.length]).toEqual([2, 3]);
  });

  it("a run fails with StuckStream if every response under an unchanged id has new data", async () => {
    const { exit } = await follow(
      { answer: (seen) => ({ body: `{"next_change_id":"same",${rows},"n":${seen.index}}` }) },
      { until: "forever", from: { id: "same" } },
    );
    expect(tagOf(exit)).toBe("StuckStream");
    expect(String(exit)).toContain("stays at same after 101 responses");
  });

  const circle = (seen: Seen) => ({
    body: `{"next_change_id":"${seen.id === undefined || seen.id === "b" ? "a" : "b"}",${rows}}`,
  });

  it("a follower requests a page every minute while the change ids lead in a circle", async () => {
    const streams = new Map<string, Status.StreamRecord>();
    const { memory, seen } = await follow(
      { answer: circle },
      { until: "forever" },
      { limitMillis: 200_000, streams },
    );
    expect(memory.pages.length).toBe(2);
    expect(factsOf(streams)).toEqual({ isAtTail: false, reason: "cycle" });
    expect(secondsOf(seen, "b").slice(0, 2)).toEqual([60, 60]);
  });
});

describe("refused ids", () => {
  it("a follower reads all ids again after a restart from the start, and takes no id for a circle", async () => {
    let refusals = 0;
    const fault = ({ id }: Seen) =>
      id === ids[3] && (refusals += 1) <= 4
        ? ({ kind: "status", status: 404 } as const)
        : undefined;
    const { exit, memory } = await follow({ answer, fault }, { onIdRejected: "restartFromStart" });
    expect(tagOf(exit)).toBe(undefined);
    const read = [undefined, ...ids.slice(1)];
    expect(memory.pages.map((page) => page.requestedId)).toEqual([...read.slice(0, 3), ...read]);
    expect(memory.gaps).toEqual([{ kind: "restarted", from: ids[3], to: "" }]);
  });
});

describe("bad pages", () => {
  it("a run fails with PageTooLarge for a page that exceeds the limit, on the wire or inflated", async () => {
    // One byte too many.
    const bomb = { body: `{"next_change_id":"n","stashes":[]}`.padEnd(1_000_001) };
    for (const [isZipped, stage] of [
      [true, "inflated"],
      [false, "wire"],
    ] as const) {
      const { exit } = await follow({ answer: () => bomb, isZipped }, { maxPageBytes: 1_000_000 });
      expect([tagOf(exit), String(exit)]).toEqual([
        "PageTooLarge",
        expect.stringContaining(`(${stage})`),
      ]);
    }
  });
});
