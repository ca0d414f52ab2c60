/** The stores of this package: the laws of sinks, replays, retention, and the meaning of errors. */
import { SqlError, UnknownError } from "effect/sql/SqlError";
import { describe, expect, it } from "vitest";
import { Quarantine, type QuarantineRecord } from "../src/index.ts";
import { sinkErrorReason } from "../src/sql/Database.ts";
import { makePage, sinkLaws } from "../src/testing/index.ts";
import { onEachDatabase, useCleanups } from "./support/hooks.ts";
import { HOURS, run } from "./support/Run.ts";
import { derivedAll, openStore, queryIndex, setBytes, stashesOf } from "./support/Stores.ts";

const { scoped } = useCleanups();

const market = (value: unknown, marketId = "a|b") => ({
  league: "Standard",
  market_id: marketId,
  value,
});

/** The hour `requestedId` as page `seq`. */
const hour = (seq: bigint, requestedId: string, rows: ReadonlyArray<unknown> = []) =>
  makePage({ key: HOURS, seq, rows, requestedId, previousSeq: seq - 3600n });

onEachDatabase((newStore) => {
  const laws = sinkLaws(async () => {
    const url = newStore();
    const again = async () => (await scoped(openStore(url))).sink;
    const count = async (table: string) => {
      await derivedAll(url);
      return (await queryIndex(url, `SELECT 1 AS found FROM ${table}`)).length;
    };
    return {
      sink: await again(),
      again,
      stashes: () => stashesOf(url),
      markets: () => count("market"),
      count: () => count("stash"),
    };
  });
  it.each(laws)("the sink of each database keeps the law: $name", async ({ run: law }) => {
    expect(await law()).toBe(undefined);
  });

  it("the replay of a page replaces markets of older pages, but no market of a newer page", async () => {
    const url = newStore();
    const { sink } = await scoped(openStore(url));
    await run(sink.claim(HOURS, 1));
    // The same hour twice, as after a restart of the history, each time after a page that was given up.
    for (const [seq, value] of [
      [3600n, "first"],
      [7200n, "second"],
    ] as const) {
      const { page, ...rows } = hour(seq, "3600", [market(value)]);
      const commit = { ...rows, page: { ...page, quarantine: [givenUp] } };
      await run(sink.commit(commit, 1));
    }
    await derivedAll(url);
    const [older, newer] = await run(Quarantine.list(url));
    const values = async () => {
      const rows = await queryIndex<{ doc: string }>(url, "SELECT doc FROM market");
      return rows.map(({ doc }) => (JSON.parse(doc) as { value: string }).value);
    };
    const replay = async (record: typeof older, value: string) => {
      const whole = JSON.stringify({ next_change_id: 7200, markets: [market(value)] });
      await setBytes(url, "quarantine", record!.id, whole);
      expect(await run(Quarantine.replay(url))).toMatchObject({ replayed: 1 });
    };
    await replay(older, "too late");
    expect(await values()).toEqual(["second"]);
    await replay(newer, "fixed");
    expect(await values()).toEqual(["fixed"]);
    expect(await run(Quarantine.list(url))).toEqual([]);
  });

  it("the indexer quarantines a market whose names are too long for an index, and applies the others", async () => {
    const url = newStore();
    const { sink } = await scoped(openStore(url));
    const rows = Array.from({ length: 40 }, (_, index) =>
      market("x", index % 20 === 3 ? `${index}${"é".repeat(20_000)}` : `a|${index}`),
    );
    await run(sink.claim(HOURS, 1));
    await run(sink.commit(makePage({ key: HOURS, seq: 1n, rows }), 1));
    await derivedAll(url);
    expect(await queryIndex(url, "SELECT 1 AS found FROM market")).toHaveLength(38);
    const records = await run(Quarantine.list(url));
    expect(records.map(({ errorTag, indexer, kind, place }) => [errorTag, indexer, kind, place]))
      // The record keeps the row's own bytes.
      .toEqual([3, 23].map((place) => ["Rejected", "state", "row", place]));
    expect(JSON.parse(Buffer.from(records[0]!.bytes).toString())).toEqual(rows[3]);
    expect((await run(sink.claim(HOURS, 1)))?.seq).toBe(1n);
  });

  it("a store deletes the oldest pages beyond its retention", async () => {
    const url = newStore();
    const { log, sink } = await scoped(openStore(url, { keepMillis: 10_000 }));
    await run(sink.claim(HOURS, 1));
    const now = Date.now();
    for (const [index, age] of [60_000, 50_000, 5000, 0].entries()) {
      const seq = BigInt(index + 1) * 3600n;
      const page = hour(seq, String(seq));
      await run(sink.commit({ ...page, page: { ...page.page, receivedAt: now - age } }, 1));
    }
    const [position] = await run(log.positions);
    expect(position).toMatchObject({ oldestSeq: 10_800n, seq: 14_400n });
  });
});

const givenUp: QuarantineRecord = {
  errorTag: "MalformedPage",
  message: "",
  bytes: Buffer.from("{}"),
};

describe("the code of a database error", () => {
  it.each([
    ["rowRejected", "22021 22P05 22003 23502 23514 54000"],
    ["diskFull", "53100"],
    ["unavailable", "08006 40001 40P01 53300 55P03 57014 57P01 57P05 25006 25P03"],
    ["corrupt", "XX001 XX002"],
    ["internal", "21000 23505 28P01 3D000 42P01 XX000"],
  ])("sinkErrorReason classifies errors of PostgreSQL as %s: %s", (reason, codes) => {
    const reasons = codes.split(" ").map((code) => sinkErrorReason(error({ code })));
    expect(reasons).toEqual(reasons.map(() => reason));
  });

  it.each([
    ["unavailable", [5, 6, 10, 14, 261]],
    ["diskFull", [13]],
    ["corrupt", [11, 26]],
    ["rowRejected", [18, 20]],
    ["internal", [1, 8]],
  ])("sinkErrorReason classifies errors of SQLite as %s: %j", (reason, codes) => {
    const reasons = codes.map((errcode) =>
      sinkErrorReason(error({ errcode, code: "ERR_SQLITE_ERROR" })),
    );
    expect(reasons).toEqual(reasons.map(() => reason));
  });

  it("sinkErrorReason classifies an error without a code as unavailable", () => {
    expect(sinkErrorReason(error(undefined))).toBe("unavailable");
  });
});

const error = (cause: unknown) =>
  new SqlError({ reason: new UnknownError({ cause, message: "", operation: "" }) });
