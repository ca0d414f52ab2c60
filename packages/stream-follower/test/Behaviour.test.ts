/**
 * The behaviour table, row by row, under a virtual clock. Rows of sinks, leases and processes have
 * files of their own.
 */
import { Exit } from "effect";
import { describe, expect, it } from "vitest";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { idOf, makeHistory } from "./support/History.ts";
import { differences, follow, tagOf, waitsOf } from "./support/Run.ts";

const pages = makeHistory({ pages: 6 });
const answer = answerHistory(pages);
const ids = pages.map((page) => page.id);

/** Bends so many requests for some ids. */
const bend = (...plan: ReadonlyArray<readonly [id: string, fault: Fault, times?: number]>) => {
  const left = new Map(plan.map(([id, fault, times = 1]) => [id, { fault, times }]));
  return (seen: Seen) => {
    const next = left.get(seen.id ?? "");
    return next !== undefined && (next.times -= 1) >= 0 ? next.fault : undefined;
  };
};

const asked = (seen: ReadonlyArray<Seen>, id: string) => seen.filter((one) => one.id === id);
/** Waits between requests for an id, in seconds. */
const secondsOf = (seen: ReadonlyArray<Seen>, id: string) =>
  waitsOf(seen, id).map((wait) => Math.round(wait / 1000));

const expectWhole = ({ exit, memory }: Awaited<ReturnType<typeof follow>>) => {
  expect(tagOf(exit)).toBe(undefined);
  expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
  expect(differences(memory, pages)).toEqual([]);
};

describe("following", () => {
  it("accepts every form of an unlisted stash: bare, with nulls, with stashType and empty items [NS-16]", async () => {
    const id = (letter: string) => letter.repeat(64);
    const forms = [
      { id: id("1"), public: false },
      { id: id("2"), public: false, accountName: null, stash: null, league: null },
      { id: id("3"), public: false, stashType: "PremiumStash", items: [], league: "Standard" },
      { id: id("4"), public: false, items: null, stashType: null },
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
      { limitMillis: 25_000 },
    );
    expect(secondsOf(seen, idOf(3)).slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
    expect(differences(memory, pages)).toEqual([]);
  });

  it("is reached by a page with rows that leads to its own id, and nothing is asked again", async () => {
    const body = '{"next_change_id":"same","stashes":[{"id":"x","public":false}]}';
    const { exit, seen } = await follow({ answer: () => ({ body }) }, { from: { id: "same" } });
    expect(exit).toEqual(Exit.succeed({ pages: 1, rows: 1, ended: "caughtUp" }));
    expect(seen).toHaveLength(1);
  });

  it("goes on from the id of an empty page that names another one", async () => {
    const { memory } = await follow(
      { answer: ({ id = "moved" }) => ({ body: `{"next_change_id":"${id}","stashes":[]}` }) },
      { until: "forever" },
      { limitMillis: 10_000 },
    );
    expect(memory.checkpoints.get("stashes/pc")?.nextId).toBe("moved");
  });

  it("asks for one id less than twice a second, and applies data under it once, by its hash", async () => {
    const body = '{"next_change_id":"same","stashes":[{"id":"x","public":false}]}';
    const { memory, seen } = await follow(
      { answer: () => ({ body }) },
      { until: "forever", from: { id: "same" }, pollInterval: { min: 1, max: 1 } },
      { limitMillis: 20_000 },
    );
    expect(memory.pages.length).toBe(1);
    expect(seen.length).toBeGreaterThan(10);
    expect(Math.min(...waitsOf(seen))).toBeGreaterThanOrEqual(500);
  });
});

describe("broken rules", () => {
  const rows = '"stashes":[{"id":"x","public":false}]';

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
      { limitMillis: 200_000 },
    );
    expect(memory.pages.length).toBe(2);
    expect(secondsOf(seen, "b").slice(0, 2)).toEqual([60, 60]);
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
    const fault = bend([ids[3]!, refusal, Infinity]);
    const { exit, memory, seen } = await follow({ answer, fault });
    expect(tagOf(exit)).toBe("ChangeIdRejected");
    expect(secondsOf(seen, ids[3]!)).toEqual([2, 8, 30]);
    expect(memory.checkpoints.get("stashes/pc")?.nextId).toBe(ids[3]);
  });

  it("reads ids again after starting over, and takes none of them for a circle", async () => {
    const { exit, memory } = await follow(
      { answer, fault: bend([ids[3]!, refusal, 4]) },
      { onIdRejected: "restartFromStart", onCycle: "halt" },
    );
    expect(tagOf(exit)).toBe(undefined);
    const read = [undefined, ...ids.slice(1)];
    expect(memory.pages.map((page) => page.requestedId)).toEqual([...read.slice(0, 3), ...read]);
    expect(memory.gaps).toEqual([{ kind: "restarted", from: ids[3], to: "" }]);
  });

  it("leaves the id that is read instead of a refused one all of its tries", async () => {
    const fault = bend([ids[2]!, refusal, 9], [ids[4]!, refusal, 3]);
    const jump = { onIdRejected: { jumpTo: ids[4]! } };
    const { exit, memory, seen } = await follow({ answer, fault }, jump);
    expect(tagOf(exit)).toBe(undefined);
    expect([2, 4].map((page) => asked(seen, ids[page]!).length)).toEqual([4, 4]);
    expect(memory.gaps).toEqual([{ kind: "jumped", from: ids[2], to: ids[4] }]);
  });
});

it("waits at least as long as Retry-After says, and asks for nothing ahead meanwhile", async () => {
  const limit = { kind: "status", status: 429, headers: { "retry-after": "17" } } as const;
  const followed = await follow({ answer, fault: bend([ids[2]!, limit]) });
  expectWhole(followed);
  const limited = asked(followed.seen, ids[2]!)[0]!.at;
  const after = followed.seen.map(({ at }) => at).filter((at) => at > limited);
  expect(Math.min(...after) - limited).toBeGreaterThanOrEqual(17_000);
});

/** Tries are counted per answer: what went wrong with one page is forgotten with the next. */
describe("a good answer", () => {
  const malformed = { kind: "malformed", keepHead: true } as const;
  const broken = { kind: "status", status: 503 } as const;

  it.each([
    ["the spaced tries before it", bend([ids[1]!, malformed, 3], [ids[2]!, malformed, 3]), {}],
    ["the retries before it", bend([ids[1]!, broken, 2], [ids[3]!, broken, 2]), { maxRetries: 2 }],
  ])("forgets %s: another page has all of its own", async (_, fault, options) => {
    const followed = await follow({ answer, fault }, options);
    expectWhole(followed);
    expect(followed.memory.quarantine).toEqual([]);
  });
});

describe("bad pages", () => {
  it("quarantines malformed pages whose heads show the next id, each after all of its tries", async () => {
    const malformed = { kind: "malformed", keepHead: true } as const;
    const fault = bend([ids[1]!, malformed, Infinity], [ids[2]!, malformed, Infinity]);
    const { exit, memory, seen } = await follow({ answer, fault });
    expect(tagOf(exit)).toBe(undefined);
    expect(secondsOf(seen, ids[1]!)).toEqual([2, 8, 30]);
    expect(memory.quarantine).toMatchObject([
      { kind: "page", requestedId: ids[1], seq: 2n, tries: 4 },
      { kind: "page", requestedId: ids[2], seq: 3n, tries: 4 },
    ]);
    expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
    const others = pages.filter((page) => page.id !== ids[1] && page.id !== ids[2]);
    expect(differences(memory, others)).toEqual([]);
  });

  it("never advances past a page that shows no id: halts, or pauses by policy", async () => {
    const fault = () => bend([ids[2]!, { kind: "malformed", keepHead: false }, 6]);
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

  it("skips a page beyond the size limit by policy, its head in the quarantine", async () => {
    const body = `{"next_change_id":"${ids[3]}","stashes":[${" ".repeat(3_000_000)}]}`;
    const fault = bend([ids[2]!, { kind: "replace", answer: { body } }, Infinity]);
    const skip = { maxPageBytes: 1_000_000, onPageTooLarge: "skip" } as const;
    const { memory, exit } = await follow({ answer, fault, isZipped: true }, skip);
    expect(tagOf(exit)).toBe(undefined);
    const aside = memory.quarantine.map(({ bytes, kind }) => [kind, bytes.length]);
    expect(aside).toEqual([["head", 65_536]]);
    expect(memory.pages.length).toBe(6);
  });
});

describe("transport faults", () => {
  const faults: ReadonlyArray<readonly [name: string, fault: Fault, tag: string]> = [
    ["a refused connection", { kind: "reset" }, "PageUnavailable"],
    ["a 503", { kind: "status", status: 503 }, "PageUnavailable"],
    [
      "a 500 with Retry-After",
      { kind: "status", status: 500, headers: { "retry-after": "3" } },
      "PageUnavailable",
    ],
    ["an answer that never begins", { kind: "hang" }, "PageTimeout"],
    ["a body that stalls", { kind: "stallAfter", at: 0.5 }, "PageTimeout"],
    ["a cut body", { kind: "cut", at: 0.5 }, "TruncatedBody"],
    ["a wrong Content-Length", { kind: "wrongLength" }, "TruncatedBody"],
    ["a wrong checksum", { kind: "corruptGzip" }, "TruncatedBody"],
  ];
  it.each(faults)("asks again after %s, and keeps what was asked ahead", async (_, fault, tag) => {
    const followed = await follow({ answer, fault: bend([ids[2]!, fault, 2]) });
    expectWhole(followed);
    expect(asked(followed.seen, ids[2]!).length).toBe(3);
    expect(asked(followed.seen, ids[4]!).length).toBe(1);
    // It is told where the retries are bounded.
    const bounded = { answer, fault: bend([ids[2]!, fault, Infinity]) };
    expect(tagOf((await follow(bounded, { maxRetries: 1 })).exit)).toBe(tag);
  });

  it("takes a body that is not gzip for a fault of transport, not for a page", async () => {
    const broken = { body: "plain", headers: { "content-encoding": "gzip" } };
    const fault = bend([ids[2]!, { kind: "replace", answer: broken }, Infinity]);
    const { exit } = await follow({ answer, fault, isZipped: true }, { maxRetries: 1 });
    expect(tagOf(exit)).toBe("DecompressError");
  });

  it("reads the codings that its source asks for alike, and refuses others unread", async () => {
    const zlib = await import("node:zlib");
    const encode: Record<string, (text: string) => Uint8Array> = {
      // At its lowest quality: the highest, Node's default, takes ten milliseconds a page.
      br: (text) =>
        zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
      zstd: zlib.zstdCompressSync,
      deflate: zlib.deflateSync,
      gzip: zlib.gzipSync,
      identity: Buffer.from,
    };
    for (const [name, encoder] of Object.entries(encode)) {
      const encoded = (seen: Seen) => ({
        body: encoder(answer(seen).body as string),
        headers: { "content-encoding": name },
      });
      const script = { answer: encoded, isZipped: true };
      expectWhole(await follow({ ...script, codings: ["br", "zstd", "deflate", "gzip"] }));
      if (name === "identity" || name === "gzip") continue;
      const { exit } = await follow(script, { maxRetries: 1 });
      expect(tagOf(exit)).toBe("DecompressError");
    }
  });
});
