/**
 * The behaviour table, row by row, under a virtual clock. Rows of sinks, leases and processes have
 * files of their own.
 */
import { Exit } from "effect";
import { describe, expect, it } from "vitest";
import { PageUnavailable } from "../src/index.ts";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { brotli } from "./support/brotli.ts";
import { bodyOf, idOf, makeHistory } from "./support/History.ts";
import { differences, follow, tagOf } from "./support/Run.ts";

const pages = makeHistory({ pages: 6 });
const answer = answerHistory(pages);
const ids = pages.map((page) => page.id);

/** Bends the n-th, and only the n-th, requests for one id. */
const bend = (id: string, fault: Fault, times = 1) => {
  let left = times;
  return (seen: Seen) => {
    if (seen.id !== id || left === 0) return undefined;
    left -= 1;
    return fault;
  };
};

const asked = (seen: ReadonlyArray<Seen>, id: string) => seen.filter((one) => one.id === id);

const expectWhole = ({ exit, memory }: Awaited<ReturnType<typeof follow>>) => {
  expect(tagOf(exit)).toBe(undefined);
  expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
  expect(differences(memory, pages)).toEqual([]);
};

describe("following", () => {
  it("passes every next_change_id as the next id, and applies each page once and in order [ST-06]", async () => {
    const followed = await follow({ answer });
    expectWhole(followed);
    expect(followed.seen.map((one) => one.id)).toEqual([undefined, ...ids.slice(1), idOf(6)]);
    expect(followed.memory.pages.map((page) => page.seq)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
  });

  it("tracks a stash by its id: a later appearance replaces the earlier one [ST-07]", async () => {
    const stash = (name: string) => ({ id: "a".repeat(64), public: true, stash: name, items: [] });
    const history = [
      { id: "p0", nextId: "p1", stashes: [stash("first")] },
      { id: "p1", nextId: "p2", stashes: [stash("second")] },
    ];
    const { memory } = await follow({ answer: answerHistory(history) });
    expect(memory.stashes.size).toBe(1);
    expect(memory.stashes.get("a".repeat(64))?.change?.name).toBe("second");
  });

  it("drops an unlisted stash and keeps a tombstone [ST-08]", async () => {
    const id = "b".repeat(64);
    const history = [
      { id: "p0", nextId: "p1", stashes: [{ id, public: true, stash: "s", items: [{}] }] },
      { id: "p1", nextId: "p2", stashes: [{ id, public: false }] },
    ];
    const { memory } = await follow({ answer: answerHistory(history as never) });
    expect(memory.stashes.get(id)).toEqual({ seq: 2n, change: undefined });
  });

  it("accepts every form of an unlisted stash: bare, with nulls, with stashType and empty items [NS-16]", async () => {
    const forms = [
      { id: "1".repeat(64), public: false },
      { id: "2".repeat(64), public: false, accountName: null, stash: null, league: null },
      {
        id: "3".repeat(64),
        public: false,
        stashType: "PremiumStash",
        items: [],
        league: "Standard",
      },
      { id: "4".repeat(64), public: false, items: null, stashType: null },
    ];
    for (const decode of ["envelope", "items", "full"] as const) {
      const { memory } = await follow(
        { answer: answerHistory([{ id: "p0", nextId: "p1", stashes: forms as never }]) },
        { decode },
      );
      expect(memory.stashes.size).toBe(4);
      expect([...memory.stashes.values()].every((stash) => stash.change === undefined)).toBe(true);
      expect(memory.quarantine).toEqual([]);
    }
  });

  it("asks for the realm that it is told, and for none that is left out [ST-03]", async () => {
    for (const realm of ["pc", "console_a", "console_b"] as const) {
      const followed = await follow({ answer }, { realm });
      expect(new Set(followed.seen.map((one) => one.realm))).toEqual(new Set([realm]));
      expectWhole(followed);
    }
  });
});

describe("the end of the stream", () => {
  it("takes an empty page for the end, and does not commit it [ST-09]", async () => {
    const { exit, memory } = await follow({ answer });
    expect(exit).toEqual(Exit.succeed({ pages: 6, rows: 30, ended: "caughtUp" }));
    expect(memory.pages.length).toBe(6);
  });

  it("polls the same id again after 1, 2, 4, 4 seconds until there is news [ST-10] [CL-14]", async () => {
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
      { stepMillis: 100, limitMillis: 25_000 },
    );
    const polls = asked(seen, idOf(3)).map((one) => one.at);
    const waits = polls.slice(1, 6).map((at, index) => Math.round((at - polls[index]!) / 1000));
    expect(waits).toEqual([1, 2, 4, 4, 4]);
    expect(differences(memory, pages)).toEqual([]);
  });

  it("goes on from the id of an empty page that names another one", async () => {
    const { memory } = await follow(
      {
        answer: (seen) =>
          seen.id === undefined
            ? { body: '{"next_change_id":"moved","stashes":[]}' }
            : { body: `{"next_change_id":"${seen.id}","stashes":[]}` },
      },
      { until: "forever" },
      { limitMillis: 10_000 },
    );
    expect(memory.checkpoints.get("stashes/pc")?.nextId).toBe("moved");
  });

  it("asks for one id less than twice a second, whatever the service answers", async () => {
    const always = { body: '{"next_change_id":"same","stashes":[{"id":"x","public":false}]}' };
    const { seen } = await follow(
      { answer: () => always },
      {
        until: "forever",
        from: { id: "same" },
        pollInterval: { min: 1, max: 1 },
      },
      { stepMillis: 50, limitMillis: 20_000 },
    );
    expect(seen.length).toBeGreaterThan(10);
    const waits = seen.slice(1).map((one, index) => one.at - seen[index]!.at);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
  });
});

describe("broken rules", () => {
  const rows = '"stashes":[{"id":"x","public":false}]';

  it("applies data under an unchanged id once, by its hash", async () => {
    const { memory, seen } = await follow(
      { answer: () => ({ body: `{"next_change_id":"same",${rows}}` }) },
      { until: "forever", from: { id: "same" } },
      { limitMillis: 20_000 },
    );
    expect(memory.pages.length).toBe(1);
    expect(seen.length).toBeGreaterThan(3);
  });

  it("gives up on an id that keeps changing its data without moving: StuckStream", async () => {
    const { exit } = await follow(
      { answer: (seen) => ({ body: `{"next_change_id":"same",${rows},"n":${seen.index}}` }) },
      { until: "forever", from: { id: "same" } },
    );
    expect(tagOf(exit)).toBe("StuckStream");
  });

  const circle = (seen: Seen) => ({
    body: `{"next_change_id":"${seen.id === undefined || seen.id === "b" ? "a" : "b"}",${rows}}`,
  });

  it("pauses where the ids lead in a circle, and asks again each minute", async () => {
    const { memory, seen } = await follow(
      { answer: circle },
      { until: "forever" },
      { stepMillis: 1000, limitMillis: 200_000 },
    );
    expect(memory.pages.length).toBe(2);
    const polls = asked(seen, "b").map((one) => one.at);
    expect(polls.length).toBeGreaterThanOrEqual(3);
    expect(polls[1]! - polls[0]!).toBeGreaterThanOrEqual(60_000);
  });

  it("halts or goes on at a circle where the policy says so", async () => {
    const halted = await follow({ answer: circle }, { onCycle: "halt" });
    expect(tagOf(halted.exit)).toBe("ProtocolViolation");
    const accepted = await follow(
      { answer: circle },
      { until: "forever", onCycle: "accept" },
      { limitMillis: 10_000 },
    );
    const seqs = accepted.memory.pages.map((page) => page.seq);
    expect(seqs.length).toBeGreaterThan(5);
    expect(seqs).toEqual(seqs.map((_, index) => BigInt(index + 1)));
  });

  it("does not trust the early id: the parsed one decides, and what was asked ahead is thrown away", async () => {
    const { memory, seen } = await follow({
      answer: (one) => {
        if (one.id === undefined) {
          return { body: `{"next_change_id":"wrong",${rows},"next_change_id":"right"}` };
        }
        return { body: `{"next_change_id":"${one.id}","stashes":[]}` };
      },
    });
    expect(seen.map((one) => one.id)).toContain("wrong");
    expect(memory.pages.map((page) => page.nextId)).toEqual(["right"]);
    expect(seen.at(-1)?.id).toBe("right");
  });
});

describe("refused ids", () => {
  const refusal = { kind: "status", status: 404 } as const;

  it("asks three more times, spaced out, then halts with ChangeIdRejected", async () => {
    const { exit, memory, seen } = await follow({
      answer,
      fault: bend(ids[3]!, refusal, Infinity),
    });
    expect(tagOf(exit)).toBe("ChangeIdRejected");
    const tries = asked(seen, ids[3]!).map((one) => one.at);
    expect(tries.length).toBe(4);
    const waits = tries.slice(1).map((at, index) => Math.round((at - tries[index]!) / 1000));
    expect(waits).toEqual([2, 8, 30]);
    expect(memory.checkpoints.get("stashes/pc")?.nextId).toBe(ids[3]);
  });

  it("reads ids again after starting over, and takes none of them for a circle", async () => {
    const { exit, memory } = await follow(
      { answer, fault: bend(ids[3]!, refusal, 4) },
      { onIdRejected: "restartFromStart", onCycle: "halt" },
    );
    expect(tagOf(exit)).toBe(undefined);
    const read = [undefined, ...ids.slice(1)];
    expect(memory.pages.map((page) => page.requestedId)).toEqual([...read.slice(0, 3), ...read]);
    expect(memory.gaps).toEqual([{ kind: "restarted", from: ids[3], to: "" }]);
  });
});

describe("tokens and limits", () => {
  it("waits at least as long as Retry-After says, and asks for nothing ahead meanwhile", async () => {
    const fault = bend(ids[2]!, { kind: "status", status: 429, headers: { "retry-after": "17" } });
    const followed = await follow({ answer, fault });
    expectWhole(followed);
    const limited = asked(followed.seen, ids[2]!)[0]!.at;
    const after = followed.seen.filter((one) => one.at > limited);
    expect(Math.min(...after.map((one) => one.at)) - limited).toBeGreaterThanOrEqual(17_000);
  });
});

describe("bad pages", () => {
  it("quarantines a malformed page whose head shows the next id, together with the advance", async () => {
    const fault = bend(ids[2]!, { kind: "malformed", keepHead: true }, Infinity);
    const { exit, memory, seen } = await follow({ answer, fault });
    expect(tagOf(exit)).toBe(undefined);
    const tries = asked(seen, ids[2]!).map((one) => one.at);
    const waits = tries.slice(1).map((at, index) => Math.round((at - tries[index]!) / 1000));
    expect(waits).toEqual([2, 8, 30]);
    expect(
      memory.quarantine.map((record) => [record.kind, record.requestedId, record.seq]),
    ).toEqual([["page", ids[2], 3n]]);
    expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
    expect(
      differences(
        memory,
        pages.filter((page) => page.id !== ids[2]),
      ),
    ).toEqual([]);
  });

  it("never advances past a page that shows no id: halts, or pauses by policy", async () => {
    const fault = () => bend(ids[2]!, { kind: "malformed", keepHead: false }, 6);
    const halted = await follow({ answer, fault: fault() });
    expect(tagOf(halted.exit)).toBe("MalformedPage");
    expect(halted.memory.checkpoints.get("stashes/pc")?.nextId).toBe(ids[2]);
    const paused = await follow({ answer, fault: fault() }, { onMalformedPage: "pause" });
    expectWhole(paused);
  });

  it("sets one bad stash aside and commits the rest of its page", async () => {
    const good = { id: "c".repeat(64), public: true, items: [], stash: "good" };
    const bad = [{ id: 7, public: true }, { id: "d".repeat(64) }, "nonsense"];
    const history = [{ id: "p0", nextId: "p1", stashes: [bad[0], good, bad[1], bad[2]] }];
    const { memory } = await follow({ answer: answerHistory(history as never) });
    expect([...memory.stashes.keys()]).toEqual(["c".repeat(64)]);
    const aside = memory.quarantine.map((record) =>
      JSON.parse(Buffer.from(record.bytes).toString()),
    );
    expect(aside).toEqual(bad);
  });

  it("stops at the size limit, on the wire and inflated, and halts", async () => {
    const bomb = { body: `{"next_change_id":"n","stashes":[${" ".repeat(3_000_000)}]}` };
    const inflated = await follow({ answer: () => bomb }, { maxPageBytes: 1_000_000 });
    expect(tagOf(inflated.exit)).toBe("PageTooLarge");
    expect(String(inflated.exit)).toContain("inflated");
    const plain = { ...bomb, headers: { "content-encoding": "identity" } };
    const wire = await follow({ answer: () => plain }, { maxPageBytes: 1_000_000 });
    expect(String(wire.exit)).toContain("wire");
  });

  it("skips a page beyond the size limit by policy, its head in the quarantine", async () => {
    const bomb = `{"next_change_id":"${ids[3]}","stashes":[${" ".repeat(3_000_000)}]}`;
    const fault = bend(ids[2]!, { kind: "replace", answer: { body: bomb } }, Infinity);
    const { memory, exit } = await follow(
      { answer, fault },
      { maxPageBytes: 1_000_000, onPageTooLarge: "skip" },
    );
    expect(tagOf(exit)).toBe(undefined);
    expect(memory.quarantine.map((record) => [record.kind, record.bytes.length])).toEqual([
      ["head", 65_536],
    ]);
    expect(memory.pages.length).toBe(6);
  });
});

describe("transport faults", () => {
  const faults: Record<string, Fault> = {
    "a refused connection": { kind: "reset" },
    "a 503": { kind: "status", status: 503 },
    "a 500 with Retry-After": { kind: "status", status: 500, headers: { "retry-after": "3" } },
    "an answer that never begins": { kind: "hang" },
    "a body that stalls": { kind: "stallAfter", at: 0.5 },
    "a cut body": { kind: "cut", at: 0.5 },
    "a wrong Content-Length": { kind: "wrongLength" },
    "a wrong checksum": { kind: "corruptGzip" },
  };
  for (const [name, fault] of Object.entries(faults)) {
    it(`asks again after ${name}, and keeps what was asked ahead`, async () => {
      const followed = await follow({ answer, fault: bend(ids[2]!, fault, 2) });
      expectWhole(followed);
      expect(asked(followed.seen, ids[2]!).length).toBe(3);
      expect(asked(followed.seen, ids[4]!).length).toBe(1);
    });
  }

  it("says which fault it was when the retries are bounded", async () => {
    const tags: Array<string | undefined> = [];
    for (const fault of Object.values(faults)) {
      const { exit } = await follow(
        { answer, fault: bend(ids[2]!, fault, Infinity) },
        { maxRetries: 1 },
      );
      tags.push(tagOf(exit));
    }
    expect(tags).toEqual([
      new PageUnavailable({ kind: "connection" })._tag,
      "PageUnavailable",
      "PageUnavailable",
      "PageTimeout",
      "PageTimeout",
      "TruncatedBody",
      "TruncatedBody",
      "TruncatedBody",
    ]);
  });

  it("takes a body that is not gzip for a fault of transport, not for a page", async () => {
    const broken = { body: "plain", headers: { "content-encoding": "gzip" } };
    const fault = bend(ids[2]!, { kind: "replace", answer: broken }, Infinity);
    const { exit } = await follow({ answer, fault }, { maxRetries: 1 });
    expect(tagOf(exit)).toBe("DecompressError");
  });

  it("reads the codings that its source asks for alike, and refuses others unread", async () => {
    const zlib = await import("node:zlib");
    const encode: Record<string, (text: string) => Uint8Array> = {
      br: brotli,
      zstd: (text) => zlib.zstdCompressSync(text),
      deflate: (text) => zlib.deflateSync(text),
      identity: (text) => Buffer.from(text),
    };
    for (const [name, encoder] of Object.entries(encode)) {
      const encoded = (seen: Seen) => ({
        body: encoder(answer(seen).body as string),
        headers: { "content-encoding": name },
      });
      expectWhole(await follow({ answer: encoded, codings: ["br", "zstd", "deflate"] }));
      if (name === "identity") continue;
      const { exit } = await follow({ answer: encoded }, { maxRetries: 1 });
      expect(tagOf(exit)).toBe("DecompressError");
    }
    expect(bodyOf(pages[0]!)).toContain("next_change_id");
  });
});
