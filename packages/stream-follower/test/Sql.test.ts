/** Rows of the SQL stores as values: ids and wide numbers as they were written. */
import * as fc from "fast-check";
import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import * as Sql from "../src/core/sql.ts";
import { HOURS, KEY } from "./support/Run.ts";

const claim = { seq: "9007199254740993", epoch: "3", last_checksum: "c", last_event_at: "5" };
const idOf = (next_id: string) => Sql.checkpointOf({ ...claim, next_id })?.nextId;

it("an id is stored as text that every database keeps, and read as it was", () => {
  for (const id of ["a", "json:a", 'json:"a"', "a\u0000", "\ud800", "json", ""]) {
    const stored = Sql.storableId(id);
    expect([stored.isWellFormed(), stored.includes("\u0000"), idOf(stored)]).toEqual([
      true,
      false,
      id,
    ]);
    expect(stored === id).toBe(id.isWellFormed() && !/^json:|\0/u.test(id));
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (id) => idOf(Sql.storableId(id)) === id),
    { numRuns: 50, seed: 1 },
  );
});

it("a checkpoint is one once it has an id", () => {
  expect(Sql.checkpointOf({ ...claim, next_id: null })).toBe(undefined);
  expect(Sql.checkpointOf({ ...claim, next_id: "a" })).toEqual({
    ...{ nextId: "a", seq: 9007199254740993n, epoch: 3, checksum: "c", receivedAt: 5 },
  });
});

const position = {
  ...({
    source: "exchange",
    realm: "game2",
    next_id: 'json:"b"',
    seq: 9n,
    log_bytes: "7",
  } as const),
};
const counters = { epoch: 1n, pages: "4", last_event_at: 5, quarantined: "2", gaps: 1n };
const indexer = { name: "other", seq: "5", listed: 1, items: 2, quarantined: 3 };
const row = {
  ...({ encoding: "gzip", checksum: "c", state: "ok", bounds: new Uint8Array() } as const),
  ...{ seq: "9", requested_id: null, next_id: "b", received_at: "5", raw_bytes: 3n, changes: 2 },
  ...{ body: new Uint8Array(1), gap: 0 },
};

it.each([
  [{}, { requestedId: undefined, followsGap: false }],
  [
    { requested_id: 'json:"a"', gap: 1 },
    { requestedId: "a", followsGap: true },
  ],
  [
    { gap: true, state: "unread" },
    { followsGap: true, state: "unread" },
  ],
] as const)("a page of the log: %o", (more, expected) => {
  expect(Sql.pageOf(KEY, { ...row, ...more })).toEqual({
    ...{ key: KEY, seq: 9n, requestedId: undefined, nextId: "b", receivedAt: 5, rawBytes: 3 },
    ...{ followsGap: false, state: "ok", encoding: "gzip", body: row.body, checksum: "c", rows: 2 },
    ...{ bounds: [], ...expected },
  });
});

it.each([
  [null, undefined],
  ["3", 3n],
])("a stream stands where its log ends, and begins at %o", (oldest, oldestSeq) => {
  const expected = { key: HOURS, nextId: "b", seq: 9n, oldestSeq, bytes: 7 };
  expect(Sql.positionOf({ ...position, oldest })).toEqual(expected);
});

it("a status has the counts of the state's indexer, and the distance of each", () => {
  const state = { ...indexer, name: "state", seq: 9n, listed: 10, items: 20, quarantined: 0 };
  const all = { ...position, ...counters, oldest: null, last_polled_at: null };
  const common = {
    ...{ key: HOURS, nextId: "b", seq: 9n, epoch: 1, pages: 4, quarantined: 2, gaps: 1 },
    ...{ receivedAt: 5, logBytes: 7 },
  };
  expect(Sql.statusOf(all, [])).toEqual({ ...common, rows: 0, items: 0, indexers: [] });
  const found = Sql.statusOf({ ...all, last_polled_at: "6", changes: 8 }, [indexer, state]);
  expect(found).toEqual({
    ...{ ...common, rows: 10, items: 20, polledAt: 6, changes: 8 },
    indexers: [
      { ...indexer, seq: 5n, behind: 4 },
      { ...state, behind: 0 },
    ],
  });
});

const kept = {
  ...({ id: 7n, source: "stashes", realm: "pc", seq: "9", kind: "row" } as const),
  ...{ requested_id: null, next_id: "b", error_tag: "E", message: "m", first_seen: 5n, tries: 4 },
  bytes_zstd: zstdCompressSync("bytes"),
};

it.each([
  [{}, {}],
  [
    { place: 0, indexer: "state" },
    { place: 0, indexer: "state" },
  ],
  [{ place: -1, indexer: null, requested_id: "a" }, { requestedId: "a" }],
  [{ place: null }, {}],
])("a record of the quarantine: %o", (more, expected) => {
  const { bytes, ...found } = Sql.recordOf({ ...kept, ...more });
  expect(Buffer.from(bytes).toString()).toBe("bytes");
  expect(found).toStrictEqual({
    ...{ id: 7, key: KEY, seq: 9n, kind: "row", requestedId: undefined, nextId: "b" },
    ...{ errorTag: "E", message: "m", firstSeen: 5, tries: 4, ...expected },
  });
});

it("a log waits for a reader with as much again, and 100 MB at least", () => {
  expect([1, 1e9].map(Sql.mostUnread)).toEqual([100_000_001, 2e9]);
});
