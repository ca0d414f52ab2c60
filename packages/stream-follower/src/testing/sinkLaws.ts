/** The laws of a sink: the behaviour that a follower relies on. */
import assert from "node:assert/strict";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Fenced, SinkError } from "../Errors.ts";
import type { PageCommit, StreamKey } from "../Model.ts";
import type { SinkService } from "../Sink.ts";
import { makePage } from "./pages.ts";
import { listed, POISON_PAGES, stashId } from "./rows.ts";

/** An empty store, and functions by which the laws read it. */
export interface SinkUnderTest {
  readonly sink: SinkService;
  /** Opens the same store once more, as another process would. */
  readonly again: () => Promise<SinkService>;
  /** Returns the stashes of all streams: JSON text by stash id, `null` for a tombstone. */
  readonly stashes: () => Promise<ReadonlyMap<string, string | null>>;
  /** Returns the number of markets, each counted once by hour, league and pair. */
  readonly markets: () => Promise<number>;
  /** Returns the number of stashes, if ids may look alike as text. Default: size of `stashes`. */
  readonly count?: () => Promise<number>;
  /** Closes the store at the end of each law. */
  readonly close?: () => Promise<void>;
}

/** One law. `run` rejects, with an `AssertionError` or the sink's own error, if it is broken. */
export interface SinkLaw {
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Check = (under: SinkUnderTest) => Promise<void>;

/** Returns the laws that a sink must keep. Each law calls `open` once, and needs an empty store. */
export const sinkLaws = (open: () => Promise<SinkUnderTest>): ReadonlyArray<SinkLaw> =>
  Object.entries({ ...POSITION, ...FENCE, ...ROWS }).map(([name, check]) => ({
    name,
    run: async () => {
      const under = await open();
      try {
        await check(under);
      } finally {
        await under.close?.();
      }
    },
  }));

const KEY: StreamKey = { source: "stashes", realm: "pc" };
const HOURS: StreamKey = { source: "exchange", realm: "game2" };

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect);

const page = (seq: bigint, rows: ReadonlyArray<unknown> = [], key = KEY): PageCommit =>
  makePage({ key, seq, rows, checksum: `hash of ${seq}` });

/** Returns whether the store refused an operation because of another writer. */
const isFenced = async (result: Effect.Effect<unknown, SinkError | Fenced>): Promise<boolean> => {
  const outcome = await run(Effect.result(result));
  if (Result.isSuccess(outcome)) return false;
  if (outcome.failure._tag === "Fenced") return true;
  throw outcome.failure;
};

const market = (id: string) => ({ league: "Standard", market_id: id, volume_traded: {} });

const documentOf = async ({ stashes }: SinkUnderTest, id: string): Promise<unknown> => {
  const json = (await stashes()).get(stashId(id));
  return json === undefined || json === null ? json : JSON.parse(json);
};

const POSITION: Readonly<Record<string, Check>> = {
  "has no checkpoint at first, and that of the last page afterwards": async ({ sink }) => {
    assert.equal(await run(sink.claim(KEY, 1)), undefined, "an empty store has a checkpoint");
    for (const seq of [1n, 2n]) await run(sink.commit(page(seq), 1));
    for (const epoch of [1, 4]) {
      const { recentIds: _, ...checkpoint } = (await run(sink.claim(KEY, epoch)))!;
      const second = { nextId: "2", seq: 2n, checksum: "hash of 2", receivedAt: 1000 };
      assert.deepEqual(checkpoint, { ...second, epoch });
    }
  },

  "keeps streams apart: a commit to one does not move the others": async ({ sink }) => {
    const others: ReadonlyArray<StreamKey> = [
      HOURS,
      { ...KEY, realm: "console_a" },
      { ...KEY, source: "exchange" },
    ];
    await run(sink.claim(KEY, 1));
    for (const other of others) await run(sink.claim(other, 7));
    await run(sink.commit(page(1n), 1));
    for (const other of others)
      assert.equal(await run(sink.claim(other, 7)), undefined, "another stream moved");
  },

  "keeps its checkpoint when it is opened again": async ({ again, sink }) => {
    await run(sink.claim(KEY, 1));
    await run(sink.commit(page(1n), 1));
    assert.equal((await run((await again()).claim(KEY, 2)))?.seq, 1n);
  },

  "keeps ids that text columns cannot hold": async ({ sink }) => {
    await run(sink.claim(KEY, 1));
    const ids = ["a\u0000b", "\ud800", 'json:"x"', "plain"];
    for (const [index, nextId] of ids.entries()) {
      const requestedId = index === 0 ? undefined : ids[index - 1]!;
      const one = makePage({ seq: BigInt(index + 1), requestedId, nextId, checksum: "c" });
      await run(sink.commit(one, 1));
      assert.equal((await run(sink.claim(KEY, 1)))?.nextId, nextId, `id ${index} changed`);
    }
  },
};

const FENCE: Readonly<Record<string, Check>> = {
  "refuses an older epoch, in claim and in commit, and writes nothing": async (under) => {
    const { sink } = under;
    await run(sink.claim(KEY, 2));
    await run(sink.claim(KEY, 3));
    const stale = page(1n, [listed("z", "stale")]);
    assert(await isFenced(sink.commit(stale, 2)), "an older epoch committed");
    assert(await isFenced(sink.claim(KEY, 2)), "an older epoch claimed");
    assert.equal((await under.stashes()).size, 0, "a refused page was written");
    assert(!(await isFenced(sink.commit(stale, 3))), "the owner was refused");
  },

  "keeps the highest epoch of two claims that run at once": async ({ again, sink }) => {
    const other = await again();
    await Promise.all([isFenced(sink.claim(KEY, 3)), isFenced(other.claim(KEY, 2))]);
    assert(await isFenced(sink.claim(KEY, 2)), "the lower epoch was written last");
  },

  "refuses the previous writer once another process has claimed the stream": async (under) => {
    const { again, sink } = under;
    await run(sink.claim(KEY, 1));
    await run(sink.commit(page(1n, [listed("a", "first")]), 1));
    const successor = await again();
    assert.equal((await run(successor.claim(KEY, 2)))?.epoch, 2);
    const late = page(2n, [listed("a", "late")]);
    assert(await isFenced(sink.commit(late, 1)), "a writer that was replaced committed");
    assert.deepEqual(await documentOf(under, "a"), listed("a", "first"));
    assert(!(await isFenced(successor.commit(late, 2))), "the successor was refused");
  },

  "refuses a page that does not continue its checkpoint": async (under) => {
    const { sink } = under;
    await run(sink.claim(KEY, 1));
    await run(sink.commit(page(1n, [listed("a", "first")]), 1));
    const repeated = page(1n, [listed("a", "again")]);
    const ahead = page(3n, [listed("a", "ahead")]);
    assert(await isFenced(sink.commit(repeated, 1)), "a page was applied twice");
    assert(await isFenced(sink.commit(ahead, 1)), "a page was left out");
    assert.deepEqual(await documentOf(under, "a"), listed("a", "first"));
  },

  "lets one of two writers through when both begin at the same page": async (under) => {
    const { again, sink } = under;
    await run(sink.claim(KEY, 1));
    const writers = [sink, await again()];
    const refused = await Promise.all(
      writers.map((writer, index) =>
        isFenced(writer.commit(page(1n, [listed("a", `${index}`)]), 1)),
      ),
    );
    assert.equal(refused.filter(Boolean).length, 1, "one of two has to be refused");
    assert.deepEqual(await documentOf(under, "a"), listed("a", refused[0]! ? "1" : "0"));
  },
};

const ROWS: Readonly<Record<string, Check>> = {
  "replaces a stash by its later appearance, within one page too, and keeps tombstones": async (
    under,
  ) => {
    const { sink, stashes } = under;
    await run(sink.claim(KEY, 1));
    const first = page(1n, [listed("a", "old"), listed("b", "gone"), listed("a", "new")]);
    const unlisted = ["b", "d"].map((id) => ({ id: stashId(id), public: false }));
    const second = page(2n, [listed("c", "one"), ...unlisted]);
    for (const each of [first, second]) await run(sink.commit(each, 1));
    assert.deepEqual(await documentOf(under, "a"), listed("a", "new"));
    assert.deepEqual(await documentOf(under, "c"), listed("c", "one"));
    assert.equal(await documentOf(under, "b"), null, "an unlisted stash has no tombstone");
    assert.equal(await documentOf(under, "d"), null, "a stash that was never listed has none");
    await run(sink.commit(page(3n, [{ id: stashId("a"), public: false }]), 1));
    assert.equal((await stashes()).get(stashId("a")), null);
  },

  "stores markets by hour, league and pair": async ({ markets, sink }) => {
    await run(sink.claim(HOURS, 1));
    const other = { ...market("chaos|divine"), league: "Hardcore" };
    const rows = [market("chaos|divine"), market("chaos|exalted"), other, market("chaos|divine")];
    for (const hour of [3600, 7200]) {
      const place = { seq: BigInt(hour), previousSeq: BigInt(hour - 3600) };
      const ids = { requestedId: String(hour), nextId: String(hour + 3600) };
      await run(sink.commit(makePage({ key: HOURS, rows, ...place, ...ids }), 1));
    }
    assert.equal(await markets(), 6);
  },

  "keeps text unchanged: digits, quotes, line ends, other scripts, U+0000": async (under) => {
    await run(under.sink.claim(KEY, 1));
    const odd = {
      ...listed("a", '"\r\n\u2028 이름 e\u0301 \u0000 \ud83d\ude00'),
      accountName: "é\u0000",
    };
    const json = JSON.stringify(odd).replace('"items":[', '"items":[{"n":1e400,"m":1.0},');
    const text = `{"next_change_id":"1","stashes":[${json}]}`;
    await run(under.sink.commit(makePage({ seq: 1n, text }), 1));
    assert.equal((await under.stashes()).get(stashId("a")), json);
  },

  "stores each of many rows of a page, and a text of a megabyte": async ({ sink, stashes }) => {
    await run(sink.claim(KEY, 1));
    const long = listed("long", "x".repeat(1_100_000));
    const rows = Array.from({ length: 1100 }, (_, index) => listed(`${index}`, "one of many"));
    await run(sink.commit(page(1n, [...rows, long]), 1));
    const stored = await stashes();
    assert.equal(stored.size, 1101, "rows are missing");
    assert.equal(stored.get(long.id), JSON.stringify(long), "a long text was changed");
  },

  "stores rows with extreme values, and the rows beside them": async (under) => {
    const { count, sink, stashes } = under;
    await run(sink.claim(KEY, 1));
    let seq = 0n;
    let rowsOfAll = 0;
    for (const rows of POISON_PAGES) {
      seq += 1n;
      rowsOfAll += rows.length;
      await run(sink.commit(page(seq, rows), 1));
      const found = count === undefined ? (await stashes()).size : await count();
      assert.equal(found, rowsOfAll, `a row of poison page ${seq} is missing`);
    }
  },
};
