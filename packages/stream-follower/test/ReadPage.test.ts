/** The reader of pages, compared with `JSON.parse`, and hostile pages. */
import { Effect } from "effect";
import * as fc from "fast-check";
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { describe, expect, it } from "vitest";
import { MalformedPage, type Row, type StreamSource } from "../src/index.ts";
import { readRows, scanPage } from "../src/readPage.ts";
import { damaged, written } from "./support/RandomPages.ts";

const bytes = (text: string) => Buffer.from(text);
const latin1 = (text: string) => Buffer.from(text, "latin1");
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

interface ReadPage {
  readonly nextId: string;
  readonly damage: string | undefined;
  readonly rows: ReadonlyArray<Row>;
}

/** Reads a page both ways, which have to agree. */
const read = async (
  raw: Uint8Array,
  source: StreamSource = "stashes",
): Promise<ReadPage | MalformedPage> => {
  const scanned = await Effect.runPromise(Effect.result(scanPage(raw, source)));
  const rows = await Effect.runPromise(Effect.result(readRows(raw, source)));
  if (scanned._tag === "Failure") {
    expect(rows).toMatchObject({ failure: { detail: scanned.failure.detail } });
    return scanned.failure;
  }
  assert.ok(rows._tag === "Success");
  expect(rows.success.length).toBe(scanned.success.rowCount);
  return { ...scanned.success, rows: rows.success };
};

const readable = async (raw: Uint8Array, source?: StreamSource): Promise<ReadPage> => {
  const page = await read(raw, source);
  if (page instanceof MalformedPage) throw page;
  return page;
};

const page = (list: string) => bytes(`{"next_change_id":"1","stashes":${list}}`);
const good = (id: string, more = "") => `{"id":"${id}","public":true,"items":[{}]${more}}`;
/** The id of each row, or its error. */
const outcomes = ({ rows }: ReadPage) => rows.map(({ error, stash }) => error ?? stash?.id);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Outcome = "equal" | "malformed" | "refused by both" | "damaged";

/**
 * Fails if the reader contradicts `JSON.parse`. The reader may reject a row whose bytes are not UTF-8,
 * and read a page around a row that is not JSON, which `JSON.parse` refuses as a whole.
 */
const compare = async (raw: Uint8Array): Promise<Outcome> => {
  const found = await read(raw);
  let whole: unknown;
  try {
    whole = JSON.parse(Buffer.from(raw).toString());
  } catch {
    return found instanceof MalformedPage ? "refused by both" : "damaged";
  }
  const { next_change_id: nextId, stashes } = (whole ?? {}) as Record<string, unknown>;
  const isPage = isRecord(whole) && Array.isArray(stashes) && typeof nextId === "string";
  if (!isPage || nextId === "" || (!isUtf8(raw) && nextId.includes("\uFFFD"))) {
    assert.ok(found instanceof MalformedPage);
    return "malformed";
  }
  if (found instanceof MalformedPage) throw found;
  assert.equal(found.nextId, nextId);
  assert.equal(found.rows.length, stashes.length);
  for (const [index, value] of stashes.entries()) compareRow(found.rows[index]!, value);
  // The bytes of the rows, joined again, are the list.
  const joined = found.rows.map(({ json }) => json).join(",");
  assert.deepStrictEqual(JSON.parse(`[${joined}]`), stashes);
  return "equal";
};

const compareRow = (row: Row, value: unknown): void => {
  assert.deepStrictEqual(row.value, value);
  if (!isUtf8(row.bytes)) return assert.equal(row.error, "not UTF-8");
  const error = expectedError(value);
  assert.equal(row.error, error);
  if (error !== undefined || !isRecord(value)) return;
  const text = (name: string) => (typeof value[name] === "string" ? value[name] : null);
  const { account, id, isPublic, itemCount, items, league, name, type } = row.stash!;
  const listed = isPublic ? (value["items"] as ReadonlyArray<unknown>) : [];
  assert.deepStrictEqual(
    [id, isPublic, account, name, type, league, itemCount, items],
    [
      ...[value["id"], value["public"], text("accountName"), text("stash"), text("stashType")],
      ...[text("league"), listed.length, listed],
    ],
  );
};

const expectedError = (value: unknown): string | undefined => {
  if (!isRecord(value)) return "a stash that is not an object";
  if (typeof value["id"] !== "string" || value["id"] === "") return "a stash without id";
  if (typeof value["public"] !== "boolean") return "a stash without public";
  const isWhole = !value["public"] || Array.isArray(value["items"]);
  return isWhole ? undefined : "a listed stash without items";
};

/** Counts how random pages were read. */
const count = async (numRuns: number, seed: number, pages: fc.Arbitrary<Uint8Array>) => {
  const counts: Record<Outcome, number> = {
    ...{ equal: 0, malformed: 0, "refused by both": 0, damaged: 0 },
  };
  await fc.assert(
    fc.asyncProperty(pages, async (raw) => void (counts[await compare(raw)] += 1)),
    { numRuns, seed },
  );
  return counts;
};

describe("a page", () => {
  it.each([1, 2])(
    "readRows reads a valid page as JSON.parse does (random pages, seed %i)",
    async (seed) => {
      const runs = 100;
      const counts = await count(runs, seed, written);
      // A reader that refuses everything would agree too often.
      expect(counts.equal).toBeGreaterThan(runs * 0.4);
      expect(counts.damaged).toBe(0);
    },
  );

  it.each([1, 2])(
    "readRows reads the undamaged rows of a page, or refuses the page as JSON.parse does (seed %i)",
    async (seed) => {
      const runs = 100;
      const counts = await count(runs, seed, damaged);
      expect(counts["refused by both"]).toBeGreaterThan(runs * 0.3);
      expect(counts.damaged + counts.equal).toBeGreaterThan(0);
    },
  );

  const next = '"next_change_id":"1"';
  it.each([
    ["not an object", `\uFEFF{${next},"stashes":[]}`],
    ["not an object", "null"],
    ["not an object", "[]"],
    ["it nests too deep", `{"x":${nested(300)},${next},"stashes":[]}`],
    ["too large beside its list", `{"x":"${"x".repeat(1_100_000)}",${next},"stashes":[]}`],
    ["more than 250000 rows", `{${next},"stashes":[${"0,".repeat(250_000)}0]}`],
    ["its brackets or quotes do not match", `{${next},"stashes":[}`],
    ["its brackets or quotes do not match", `{${next},"stashes":[1,]}`],
    ["its list is missing", `{${next},"stashes":{},"markets":[]}`],
    ["next_change_id is missing", '{"stashes":[]}'],
    ["next_change_id is not a text, or is empty", '{"next_change_id":1,"stashes":[]}'],
    ["next_change_id is not a text, or is empty", '{"next_change_id":"","stashes":[]}'],
    [/^Bad control character\D+$/u, '{"next_change_id":"\u0001","stashes":[]}'],
    [/^Unexpected token\D+JSON$/u, `{${next},"x":[tru],"stashes":[]}`],
  ])("scanPage names the fault of a malformed page: %s", async (detail, text) => {
    const found = await Effect.runPromise(Effect.flip(scanPage(bytes(text), "stashes")));
    expect(found).toMatchObject({ _tag: "MalformedPage", detail: expect.stringMatching(detail) });
  });

  it.each([
    ["a text", "stashes", '"1-2"', "1-2"],
    ["an empty text", "stashes", '""', undefined],
    ["an hour", "exchange", "3600", "3600"],
    ["a text in place of an hour", "exchange", '"3600"', undefined],
    ["an hour that a number cannot hold", "exchange", "9007199254740993", undefined],
  ] as const)(
    "scanPage finds the next id of a malformed page, if the id is valid: %s",
    async (_, source, id, headId) => {
      const found = await read(bytes(`{"next_change_id":${id},"x":[`), source);
      expect((found as MalformedPage).headId).toBe(headId);
    },
  );

  it("scanPage refuses a page whose next id is not UTF-8, and reports no next id", async () => {
    const text = '{"next_change_id":"1\uE000","stashes":[]}';
    const raw = latin1(text.replace("\uE000", "\u00ff"));
    const found = await read(raw);
    expect(found).toMatchObject({ detail: "next_change_id is not UTF-8" });
    expect((found as MalformedPage).headId).toBe(undefined);
    // U+FFFD itself is a character like another.
    const sent = bytes('{"next_change_id":"1\uFFFD","stashes":[]}');
    expect((await readable(sent)).nextId).toBe("1\uFFFD");
  });

  it.each([
    ['{"a":["stashes"],"stashes":[]', undefined],
    ['{"stashes":1,"stashes":[]', undefined],
    ['{"stashes":[1],"stash\\u0065s" :[]', "its list is named twice"],
  ])(
    "scanPage reads the last list of a page that has its list twice, and reports damage: %s",
    async (text, damage) => {
      const found = await readable(bytes(`${text},"next_change_id":"2"}`));
      expect(found).toEqual({ nextId: "2", rowCount: 0, damage, rows: [] });
    },
  );

  it("scanPage reads a page with bytes after its end, and reports them as damage", async () => {
    const found = await readable(bytes(`{${next},"stashes":[${good("a")}]} }\u0000`));
    expect(outcomes(found)).toEqual(["a"]);
    expect(found.damage).toBe("bytes after its end");
  });
});

describe("a row that cannot be read", () => {
  const none = '{"id":"z","public":false}';
  type Case = readonly [name: string, row: Buffer, error: string, damage: string];
  const cases: ReadonlyArray<Case> = [
    ["null", bytes("null"), "not an object", ""],
    ["a number", bytes("12345678901234567890"), "not an object", ""],
    ["a text", bytes('"},{"'), "not an object", ""],
    ["a text that ends with an escape", bytes('"a\\\\"'), "not an object", ""],
    ["a text with a quote", bytes('"a\\",{\\"b"'), "not an object", ""],
    ["nested lists", bytes(nested(5000)), "nested 5000 levels", ""],
    ["a list with an object", bytes(`[[{"":0}],"]"]`), "not an object", ""],
    ["an object of nothing", bytes("{}"), "without id", ""],
    ["__proto__", bytes('{"__proto__":{"id":"a","public":false}}'), "without id", ""],
    ["too deep", bytes(good("a", `,"b":${nested(4999)}`)), "nested 5000 levels", ""],
    ["a control character", bytes(good("a", ',"b":"\u0001b"')), "control character", "a control"],
    ["a line break in a text", bytes(good("a", ',"b":[{"c":"\nd"}]')), "control", "a control"],
    ["0xFF", latin1(good("a", ',"b":"\u00ff"')), "not UTF-8", "not UTF-8"],
    ["0xE2 before a quote", latin1(good("a", ',"b":"\u00e2"')), "not UTF-8", "not UTF-8"],
    ["a wrong literal", bytes(good("a", ',"b":tru')), "not JSON", ""],
    ["a missing colon", bytes('{"id" "a"}'), "not JSON", ""],
    ["brackets of two kinds", bytes('{"id":"a","public":false,"b":[}}'), "not JSON", ""],
  ];
  const pageWith = (before: string, row: Buffer, after: string) =>
    Buffer.concat([bytes(`{"next_change_id":"1","stashes":[${before}`), row, bytes(`${after}]}`)]);

  it.each(cases)(
    "readRows rejects a damaged row with its own bytes, and reads the rows beside it: %s",
    async (_, row, error, damage) => {
      for (const [before, after] of [
        ["", ""],
        [`${none},`, `,${none}`],
        [" \n", "\t"],
        ["\r", `,\n${none}\r`],
      ] as const) {
        const found = await readable(pageWith(before, row, after));
        const place = before.includes("{") ? 1 : 0;
        expect(found.rows[place]!.error).toContain(error);
        expect(Buffer.from(found.rows[place]!.bytes).equals(row)).toBe(true);
        expect(found.damage ?? "").toMatch(damage === "" ? /^$/u : damage);
        const others = found.rows.filter((_row, index) => index !== place);
        expect(others.map(({ stash }) => stash?.id)).toEqual(others.map(() => "z"));
      }
    },
  );

  it("readRows rejects a row that nests deeper than 256 levels", async () => {
    const deep = [255, 256, 99_999].map((depth) => good("a", `,"b":${nested(depth)}`));
    expect(outcomes(await readable(page(`[${deep.join(",")}]`)))).toEqual([
      "a",
      "nested 257 levels deep, more than 256",
      "nested 100000 levels deep, more than 256",
    ]);
  });
});

describe("an hour of the exchange", () => {
  const market = (id: string, more = "") => `{"league":"L","market_id":"${id}"${more}}`;

  it.each(['"1000"', "1e400", "9007199254740993", "1.5", "-1", "0"])(
    "scanPage accepts the exchange's next_change_id %s only if it is a whole number of seconds",
    async (id) => {
      const found = await read(bytes(`{"next_change_id":${id},"markets":[]}`), "exchange");
      const detail = "next_change_id is not a whole number of seconds";
      expect(found).toMatchObject(id === "0" ? { nextId: "0", rows: [] } : { detail });
    },
  );

  it("readRows keeps every digit of a market's JSON text, and rejects rows that are not markets", async () => {
    const digits = market("a|b", ',"x":1e400,"y":123456789012345678901234567890,"z":1.0');
    const rows = [
      ...[digits, "null", '{"market_id":"a"}', '{"league":"a"}', market("a", ',"x":[tru]')],
      ...[market("c|d", `,"x":${nested(2500)}`), market("e|f")],
    ];
    const raw = bytes(`{"next_change_id":1000,"markets":[${rows.join(",")}]}`);
    const found = await readable(raw, "exchange");
    expect(found.nextId).toBe("1000");
    expect(found.rows.map(({ json }) => json)).toEqual(rows);
    expect(found.rows.map(({ error }) => error?.slice(0, 26))).toEqual([
      ...[undefined, "a market that is not an ob", "a market without league"],
      ...["a market without market_id", "not JSON: Unexpected token", "nested 2501 levels deep, m"],
      undefined,
    ]);
    expect(found.rows[6]!.market).toEqual({ league: "L", marketId: "e|f" });
  });
});
