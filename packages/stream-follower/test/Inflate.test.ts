/** Bytes of pages on their way through a store: inflated, hashed, and as keys. */
import { Effect } from "effect";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { SinkError } from "../src/Errors.ts";
import type { PageRow } from "../src/Model.ts";
import type { ReplayedRows, StoredQuarantine } from "../src/Sink.ts";
import type { LoggedPage } from "../src/PageLog.ts";
import { blankPage, replayedPage } from "../src/core/blankPage.ts";
import { packBounds, unpackBounds } from "../src/core/bounds.ts";
import { checksum, checksumOf } from "../src/core/checksum.ts";
import { decodeBody } from "../src/core/decodeBody.ts";
import { indexedPage, textOrBody } from "../src/core/indexedPage.ts";
import { inflate, storedText } from "../src/core/inflate.ts";
import { release } from "../src/core/ownedBytes.ts";
import { idOfKey, oddId, stashKey } from "../src/core/stashKey.ts";
import { KEY, run, valueOf } from "./support/Run.ts";

const text = Buffer.from("123456789");
/** A trailer of gzip: CRC-32 and length. */
const trailer = (crc: number, size = text.length) => Buffer.from(Uint32Array.of(crc, size).buffer);
const within = (bytes: Uint8Array) => Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);

it.each<[string, Uint8Array, string, string]>([
  ["a text", text, "", "cbf43926-9"],
  ["a gzip body", gzipSync(text), "gzip", "cbf43926-9"],
  ["what zlib has compared already", trailer(1), "gzip", "00000001-9"],
  ["a body among others", within(trailer(0xfedcba98)), "gzip", "fedcba98-9"],
  ["the last of several members", trailer(1, 4), "gzip", "cbf43926-9"],
  ["a text that looks like one", trailer(1), "", "cbf43926-9"],
  ["a body that is cut", trailer(1).subarray(1), "gzip", "cbf43926-9"],
])("a checksum is CRC-32 and length of the text: %s", (_, wire, encoding, expected) => {
  expect(checksumOf(text, wire, encoding)).toBe(expected);
});

it("a checksum has eight digits", () => {
  expect(checksum(Buffer.from("33"))).toBe("0a6216d9-2");
});

it("the time of a body is that of its parts", async () => {
  const wire = gzipSync('{"next_change_id":"a","stashes":[]}');
  const body = { wire, encoding: "gzip", source: "stashes", level: "items", maxPageBytes: 99 };
  const decoded = Effect.delay(decodeBody(body as Parameters<typeof decodeBody>[0]), 1000);
  const found = await valueOf(decoded, { realMillis: 5 });
  expect(found).toMatchObject({ nextId: "a", inflateMillis: 0, parseMillis: 0 });
});

it("inflated bytes are ours to release, and those of a source are not", async () => {
  const raw = new Uint8Array(65_536).fill(0x20);
  const options = { limit: 65_536, encoding: "" };
  const same = await run(inflate(raw, options));
  release(same);
  expect([same === raw, raw.length]).toEqual([true, 65_536]);
  const inflated = await run(inflate(gzipSync(raw), { ...options, encoding: "gzip" }));
  expect(inflated.length).toBe(65_536);
  release(inflated);
  expect(inflated.length).toBe(0);
});

it.each([
  ["gzip", gzipSync("a").subarray(0, 9), { _tag: "TruncatedBody", received: 9 }],
  ["gzip", Buffer.from("no gzip"), { _tag: "DecompressError", encoding: "gzip" }],
  ["br", Buffer.from("unasked"), { _tag: "DecompressError", encoding: "br" }],
  ["gzip", gzipSync("aaa"), { _tag: "PageTooLarge", stage: "inflated", limit: 2 }],
])("what cannot be inflated says why: %s", async (encoding, wire, expected) => {
  const error = await run(Effect.flip(inflate(wire, { encoding, limit: 2 })));
  expect(error).toMatchObject(expected);
  if ("detail" in error) expect(error.detail).not.toBe("");
});

it("a stored text keeps its first character", () => {
  expect(storedText(zstdCompressSync("\uFEFFa"))).toBe("\uFEFFa");
});

it("a page that the log cannot give back is a damaged store, and is kept as it is", async () => {
  const body = gzipSync("a").subarray(0, 9);
  const page = {
    ...{ key: KEY, state: "ok", encoding: "gzip", rawBytes: 1 },
    body,
  } as unknown as LoggedPage;
  const error = await run(Effect.flip(indexedPage(page)));
  expect([error.operation, error.kind]).toEqual(["read", "corrupt"]);
  expect(error).toBeInstanceOf(SinkError);
  expect(await run(textOrBody(page))).toBe(body);
  expect(await run(textOrBody({ ...page, body: gzipSync("a") }))).toEqual(Buffer.from("a"));
});

it.each([
  ["a".repeat(64), "a".repeat(64), null],
  ["A".repeat(64), "982eab7d", "A".repeat(64)],
  ["a", "ffe9aaea", "a"],
  ["\ud800\u0000", "12c44577", "\uFFFD\uFFFD"],
  ["\ud801\u0000", "ee4bbd15", "\uFFFD\uFFFD"],
])("the key of a stash is 32 bytes, whatever its id: %j", (id, hex, odd) => {
  const key = stashKey(id);
  expect([key.length, Buffer.from(key).toString("hex").slice(0, hex.length)]).toEqual([32, hex]);
  expect(oddId(id)).toBe(odd);
  expect(idOfKey(key, odd)).toBe(odd ?? id);
});

it("bounds of rows are kept in nine bytes each", () => {
  const rows = [{}, { stash: { isPublic: true } }, { stash: { isPublic: false } }, { error: "no" }];
  const bounds = [5, 9, 300, 70_000, 70_001, 70_001, 4_000_000_000, 4_000_000_007];
  const packed = packBounds(bounds, rows as unknown as ReadonlyArray<PageRow>);
  expect(packed.length).toBe(36);
  expect(unpackBounds(within(packed))).toEqual(
    rows.map((row, index) => ({
      from: bounds[2 * index],
      to: bounds[2 * index + 1],
      isListed: row.stash?.isPublic === true,
      isRejected: "error" in row,
    })),
  );
});

it("a page without a body holds nothing but its place, or the rows that were won", () => {
  const place = { key: KEY, requestedId: "a", nextId: "b", seq: 3n };
  const empty = { encoding: "", checksum: "", bounds: [] };
  expect(blankPage({ ...place, receivedAt: 4 })).toEqual({
    ...{ ...place, ...empty, receivedAt: 4, previousSeq: 3n, rows: [], tries: 1 },
    ...{ wire: new Uint8Array(), raw: new Uint8Array(), quarantine: [], gaps: [] },
  });
  const record = { ...place, firstSeen: 4, place: undefined } as unknown as StoredQuarantine;
  const won = { stashes: [{ json: "1" }, { json: "2" }], markets: [] } as unknown as ReplayedRows;
  const page = {
    ...{ ...place, ...empty, receivedAt: 4, followsGap: false, state: "ok", rawBytes: 0, rows: 2 },
    ...{ body: new Uint8Array(), markets: [], rejected: [] },
  };
  const at = (...places: ReadonlyArray<number>) =>
    places.map((each, index) => ({ json: String(index + 1), place: each }));
  expect(replayedPage(record, won)).toEqual({ ...page, changes: at(0, 1) });
  expect(replayedPage({ ...record, place: 7 }, won)).toEqual({ ...page, changes: at(7, 7) });
});
