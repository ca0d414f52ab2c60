/** Faulty sinks: each breaks a law, and the law reports it. */
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { Fenced, type PageCommit, type Sink, type StreamKey } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { sinkLaws, type SinkUnderTest } from "../src/testing/index.ts";

type Fault = (memory: SinkMemory.Memory, sink: Sink.SinkService) => Partial<Sink.SinkService>;

const opening =
  (fault: Fault, more: Partial<SinkUnderTest> = {}) =>
  async () => {
    const memory = SinkMemory.empty();
    const make = (): Sink.SinkService => {
      const sink = SinkMemory.make(memory);
      return { ...sink, ...fault(memory, sink) };
    };
    return {
      sink: make(),
      again: async () => make(),
      stashes: async () =>
        new Map([...memory.stashes].map(([id, change]) => [id, change?.json ?? null])),
      markets: async () => memory.markets.size,
      ...more,
    };
  };

/** Returns the laws that a sink breaks, of those whose name starts with `law`. */
const brokenBy = async (
  open: () => Promise<SinkUnderTest>,
  law = "",
): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = [];
  for (const { name, run } of sinkLaws(open))
    if (name.startsWith(law)) await run().catch(() => broken.push(name));
  return broken;
};

/** A sink that changes every page before it commits it. */
const committing =
  (change: (commit: PageCommit, memory: SinkMemory.Memory) => PageCommit): Fault =>
  (memory, sink) => ({
    commit: (commit, epoch) => Effect.suspend(() => sink.commit(change(commit, memory), epoch)),
  });

const positionOf = ({ checkpoints }: SinkMemory.Memory, { source, realm }: StreamKey) =>
  checkpoints.get(`${source}/${realm}`)?.seq ?? 0n;

const mapStashes = (change: (stashes: PageCommit["stashes"]) => PageCommit["stashes"]) =>
  committing((commit) => ({ ...commit, stashes: change(commit.stashes) }));

const mapIds = (change: (id: string) => string): readonly [fault: Fault, law: string] => [
  mapStashes((some) => some.map((one) => ({ ...one, id: change(one.id) }))),
  "stores rows with extreme values",
];

/** Faulty sinks, and the law that each breaks. */
const FAULTS: Readonly<Record<string, readonly [fault: Fault, law: string]>> = {
  "one that takes every page": [
    committing(({ page, ...rows }, memory) => ({
      ...rows,
      page: { ...page, previousSeq: positionOf(memory, page.key) },
    })),
    "refuses a page that does not continue its checkpoint",
  ],
  "one without a fence": [
    (_, sink) => ({
      claim: (key) => sink.claim(key, 1_000),
      commit: (commit) => sink.commit(commit, 1_000),
    }),
    "refuses an older epoch",
  ],
  "one that forgets its checkpoint": [
    (_, sink) => ({ claim: (key, epoch) => Effect.as(sink.claim(key, epoch), undefined) }),
    "keeps its checkpoint when it is opened again",
  ],
  "one with a position for all streams": [
    (_, sink) => ({
      claim: (key, epoch) => sink.claim({ ...key, source: "stashes", realm: "pc" }, epoch),
    }),
    "keeps streams apart",
  ],
  "one with a position for each source": [
    (_, sink) => ({ claim: (key, epoch) => sink.claim({ ...key, realm: "pc" }, epoch) }),
    "keeps streams apart",
  ],
  "one that expects the next number": [
    (_, sink) => ({
      commit: (commit, epoch) =>
        commit.page.seq - commit.page.previousSeq === 1n
          ? sink.commit(commit, epoch)
          : Effect.fail(new Fenced({ epoch, detail: "not the next page" })),
    }),
    "stores markets by hour, league and pair",
  ],
  "one without the hours of markets": [
    committing(({ markets, ...rest }) => ({
      ...rest,
      markets: markets.map((market) => ({ ...market, hour: 0 })),
    })),
    "stores markets by hour, league and pair",
  ],
  "one whose numbers lose digits": [
    mapStashes((some) => some.map((one) => ({ ...one, json: JSON.stringify(one.value) }))),
    "keeps text unchanged",
  ],
  "one that claims in two steps": [
    (memory, sink) => ({
      claim: (key, epoch) =>
        Effect.gen(function* () {
          const fence = memory.fences.get(`${key.source}/${key.realm}`) ?? 0;
          yield* Effect.sleep(1);
          if (fence > epoch) return yield* sink.claim(key, epoch);
          memory.fences.delete(`${key.source}/${key.realm}`);
          return yield* sink.claim(key, epoch);
        }),
    }),
    "keeps the highest epoch of two claims",
  ],
  "one without tombstones of stashes that were never listed": [
    committing(({ stashes, ...rest }, memory) => ({
      ...rest,
      stashes: stashes.filter(({ id, isPublic }) => isPublic || memory.stashes.has(id)),
    })),
    "replaces a stash by its later appearance",
  ],
  "one that takes a thousand rows": [
    mapStashes((some) => some.slice(0, 1000)),
    "stores each of many rows",
  ],
  "one whose texts have 65,535 characters": [
    mapStashes((some) => some.map((one) => ({ ...one, json: one.json.slice(0, 65_535) }))),
    "stores each of many rows",
  ],
  "one that loses tombstones": [
    mapStashes((some) => some.filter(({ isPublic }) => isPublic)),
    "replaces a stash by its later appearance",
  ],
  "one that keeps the first appearance": [
    mapStashes((some) => some.toReversed()),
    "replaces a stash by its later appearance",
  ],
  "one that leaves out ids that a text column cannot hold": [
    mapStashes((some) => some.filter(({ id }) => !/\0/u.test(id))),
    "stores rows with extreme values",
  ],
  "one that ignores the case of ids": mapIds((id) => id.toLowerCase()),
  "one that ignores spaces around ids": mapIds((id) => id.trim()),
  "one that keeps 64 characters of ids": mapIds((id) => id.slice(0, 64)),
  "one whose text ends at U+0000": [
    mapStashes((some) => some.map((one) => ({ ...one, json: one.json.replaceAll("\\u0000", "") }))),
    "keeps text unchanged",
  ],
  "one whose ids to go on from lose U+0000": [
    committing(({ page, ...rows }) => ({
      ...rows,
      page: { ...page, nextId: page.nextId.replaceAll("\0", "") },
    })),
    "keeps ids that text columns cannot hold",
  ],
};

describe("the laws of a sink", () => {
  it("sinkLaws runs each law in a store of its own, and passes a sink that keeps all laws", async () => {
    let opened = 0;
    let closed = 0;
    const open = opening(() => ({}));
    const laws = sinkLaws(async () => {
      opened += 1;
      return { ...(await open()), close: async () => void (closed += 1) };
    });
    for (const { run } of laws) await run();
    expect([opened, closed]).toEqual([laws.length, laws.length]);
  });

  it.each(Object.entries(FAULTS))(
    "sinkLaws fails the law that a faulty sink breaks: %s",
    async (_, [fault, law]) => {
      expect(await brokenBy(opening(fault), law)).not.toEqual([]);
    },
  );

  it("sinkLaws fails a sink with a separate store for each process, and a sink with wrong counts", async () => {
    const separate = opening(() => ({}), {
      again: async () => SinkMemory.make(SinkMemory.empty()),
    });
    expect(await brokenBy(separate)).toEqual([
      "keeps its checkpoint when it is opened again",
      "refuses the previous writer once another process has claimed the stream",
      "lets one of two writers through when both begin at the same page",
    ]);
    expect(await brokenBy(opening(() => ({}), { markets: async () => 3 }))).toEqual([
      "stores markets by hour, league and pair",
    ]);
  });
});
