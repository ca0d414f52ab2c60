/** The reader of pages, held against JSON.parse, and against pages that mean harm. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadPage, readPage } from "../src/core/readPage.ts";
import { type DecodeLevel, MalformedPage } from "../src/index.ts";
import { compareWithParse, damaged, type Outcome, share, written } from "./support/RandomPages.ts";

const bytes = (text: string) => Buffer.from(text);
const read = (raw: Uint8Array, level: DecodeLevel = "items", source = "stashes" as const) => {
  const found = readPage(raw, source, level);
  if (found instanceof MalformedPage) throw found;
  return found;
};
const page = (list: string) => bytes(`{"next_change_id":"1","stashes":${list}}`);
const good = (id: string, more = "") => `{"id":"${id}","public":true,"items":[{}]${more}}`;
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
/** What became of each row: the id, or the error. */
const rowsOf = (raw: Uint8Array, level?: DecodeLevel) =>
  read(raw, level).rows.map(({ error, stash }) => error ?? stash?.id);

/** Each of them is quick: mutants of the reader are tried with quick tests alone. */
const SEEDS = [1, 2, 3, 4, 5, 6];

describe("a page", () => {
  it.each(SEEDS)("is read as JSON.parse reads it, whatever it holds: %i", (seed) => {
    const runs = share(300);
    const counts = outcomes(runs, seed, fc.tuple(written, fc.constantFrom("envelope", "items")));
    // A reader that refuses everything would agree too often.
    expect(counts.equal).toBeGreaterThan(runs * 0.4);
    expect(counts["damaged row"]).toBe(0);
  });

  it.each(SEEDS)(
    "is read around its damage, or refused where JSON.parse refuses it: %i",
    (seed) => {
      const runs = share(300);
      const counts = outcomes(runs, seed, fc.tuple(damaged, fc.constant("items")));
      expect(counts["refused by both"]).toBeGreaterThan(runs * 0.3);
      expect(counts["damaged row"] + counts.equal).toBeGreaterThan(0);
    },
  );

  const next = '"next_change_id":"1"';
  // No place in a text that nobody has, and no invisible sign.
  it.each([
    ["a byte order mark stands first", `\uFEFF{${next},"stashes":[]}`],
    ["it nests too deep", "{".repeat(1_048_577)],
    ["its brackets or quotes do not match", `{${next},"stashes":[}`],
    ["its brackets or quotes do not match", "[]"],
    ["not an object", "null"],
    ["its list is missing", `{${next},"stashes":{},"markets":[]}`],
    ["next_change_id is missing", '{"stashes":[]}'],
    ["next_change_id is no text, or empty", '{"next_change_id":1,"stashes":[]}'],
    ["next_change_id is no text, or empty", '{"next_change_id":"","stashes":[]}'],
    [/^Bad control character\D+$/u, '{"next_change_id":"\u0001","stashes":[]}'],
    [/^Unexpected token\D+JSON$/u, `{${next},"x":[tru],"stashes":[]}`],
    [/^Unexpected token\D+JSON$/u, `{${next},"stashes":[tru],"stashes":[]}`],
  ])("is malformed, and told why: %s", (detail, text) => {
    const found = readPage(bytes(text), "stashes", "items");
    expect(found).toMatchObject({ _tag: "MalformedPage", detail: expect.stringMatching(detail) });
  });

  it.each([
    ["of a text, where its first bytes show one", "stashes", '"1-2"', "1-2"],
    ["of no text, which leads nowhere", "stashes", '""', undefined],
    ["of an hour", "exchange", "3600", "3600"],
    ["of a text, where an hour is to be", "exchange", '"3600 "', undefined],
    ["of a power, where an hour is to be", "exchange", '"1e3"', undefined],
    ["of an hour too large to be told apart", "exchange", "9007199254740993", undefined],
  ] as const)("that is malformed keeps the id %s", (_, source, id, headId) => {
    const found = readPage(bytes(`{"next_change_id":${id},"x":[`), source, "items");
    expect((found as MalformedPage).headId).toBe(headId);
  });

  it("whose id is not UTF-8 is malformed, and shows no id to go on from", () => {
    const text = '{"next_change_id":"1\uE000","stashes":[]}';
    const raw = Buffer.from(text.replace("\uE000", "\u00ff"), "latin1");
    const found = readPage(raw, "stashes", "items");
    expect(found).toMatchObject({ detail: "next_change_id is not UTF-8" });
    expect((found as MalformedPage).headId).toBe(undefined);
    // The same character as the service sent it is an id like another.
    const sent = bytes('{"next_change_id":"1\uFFFD","stashes":[]}');
    expect(read(sent).nextId).toBe("1\uFFFD");
  });
});

/** How so many random pages were read. */
const outcomes = (
  numRuns: number,
  seed: number,
  pages: fc.Arbitrary<[raw: Uint8Array, level: DecodeLevel]>,
): Record<Outcome, number> => {
  const counts = {
    ...{ equal: 0, "refused by both": 0, "not UTF-8": 0, "damaged row": 0, malformed: 0 },
  };
  const count = ([raw, level]: [Uint8Array, DecodeLevel]) =>
    void (counts[compareWithParse(raw, level)] += 1);
  fc.assert(fc.property(pages, count), { numRuns, seed });
  return counts;
};

const LEVELS = ["envelope", "items", "full"] as const;

describe("a row that cannot be taken", () => {
  const none = '{"id":"z","public":false}';
  type Case = readonly [name: string, row: Buffer, error: string, isDamage: boolean];
  const cases: ReadonlyArray<Case> = [
    ["null", bytes("null"), "not an object", false],
    ["a number", bytes("12345678901234567890"), "not an object", false],
    ["a text", bytes('"},{"'), "not an object", false],
    ["a text that ends with an escape", bytes('"a\\\\"'), "not an object", false],
    ["a text with a quote", bytes('"a\\",{\\"b"'), "not an object", false],
    ["nested lists", bytes(nested(5000)), "not an object", false],
    ["a list with an object", bytes(`[[{"":0}],"]"]`), "not an object", false],
    ["an object like a marker", bytes('{"":0}'), "without id", false],
    ["an object of nothing", bytes("{}"), "without id", false],
    ["__proto__", bytes('{"__proto__":{"id":"a","public":false}}'), "without id", false],
    ["too deep", bytes(good("a", `,"b":${nested(4999)}`)), "nested 5000 levels", false],
    ["a control character", bytes(good("a", ',"b":"\u0001b"')), "control character", true],
    ["a line break in a text", bytes(good("a", ',"b":[{"c":"\nd"}]')), "control character", true],
    ["0xFF", latin1(good("a", ',"b":"\u00ff"')), "not UTF-8", true],
    ["0xE2 before a quote", latin1(good("a", ',"b":"\u00e2"')), "not UTF-8", true],
    ["a wrong literal", bytes(good("a", ',"b":tru')), "not JSON", true],
    ["a missing colon", bytes('{"id" "a"}'), "not JSON", true],
  ];

  it.each(cases)("is set aside alone, with its own bytes: %s", (_, row, error, isDamage) => {
    for (const level of LEVELS) {
      for (const [before, after] of [
        ["", ""],
        [`${none},`, `,${none}`],
        [" \n", "\t"],
        ["\r", `,\n${none}\r`],
      ] as const) {
        const { bounds, damage, rows } = read(pageWith(before, row, after), level);
        const place = before.includes("{") ? 1 : 0;
        expect(rows[place]!.error).toContain(error);
        expect(Buffer.from(rows[place]!.bytes).equals(row)).toBe(true);
        expect(bounds[place * 2 + 1]! - bounds[place * 2]!).toBe(row.length);
        expect(damage !== undefined).toBe(isDamage);
        const others = rows.filter((_row, index) => index !== place);
        expect(others.map(({ stash }) => stash?.id)).toEqual(others.map(() => "z"));
      }
    }
  });

  it.each(LEVELS)("does not free another from its check: every pair, at %s", (level) => {
    for (const [name, row, error] of cases) {
      for (const [other, second, otherError] of cases) {
        const both = Buffer.concat([row, bytes(","), second]);
        const found = read(pageWith(`${none},`, both, `,${none.replace("z", "y")}`), level).rows;
        expect([name, other, found.length]).toEqual([name, other, 4]);
        expect(found[1]!.error).toContain(error);
        expect(found[2]!.error).toContain(otherError);
        expect([found[0]!.stash?.id, found[3]!.stash?.id]).toEqual(["z", "y"]);
      }
    }
  });

  it.each(LEVELS)("may nest 256 levels and no more, however many there are: %s", (level) => {
    const deep = [255, 256, 99_999].map((depth) => good("a", `,"b":${nested(depth)}`));
    expect(rowsOf(page(`[${deep.join(",")}]`), level)).toEqual([
      level === "full" ? expect.stringContaining("Invalid PublicStashChange") : "a",
      "nested 257 levels deep, more than 256",
      "nested 100000 levels deep, more than 256",
    ]);
  });

  it("is named in the damage of its page, of which the first five are told", () => {
    const list = Array.from({ length: 7 }, (_, place) => (place === 1 ? good("a") : "{tru}"));
    const { damage } = read(page(`[${list.join(",")}]`));
    const told = [0, 2, 3, 4, 5].map((place) => `row ${place}: not JSON: [^:]+`);
    expect(damage).toMatch(new RegExp(`^${told.join(", ")}$`, "u"));
  });
});

const latin1 = (text: string) => Buffer.from(text, "latin1");
const pageWith = (before: string, row: Buffer, after: string) =>
  Buffer.concat([bytes(`{"next_change_id":"1","stashes":[${before}`), row, bytes(`${after}]}`)]);

describe("a list", () => {
  it.each([
    ['{"a":["stashes"],"stashes":[]', undefined],
    ['{"stashes":1,"stashes":[]', undefined],
    ['{"stashes":[1],"stashes" :[]', "its list is named twice"],
  ])("is named twice by its name alone, where it would stand for another: %s", (text, damage) => {
    expect(read(bytes(`${text},"next_change_id":"2"}`))).toEqual({
      nextId: "2",
      rows: [],
      bounds: [],
      damage,
    });
  });

  it("leaves a wrong literal in an item to who parses the change, at level envelope", () => {
    const raw = page(`[{"id":"a","public":true,"items":[{"a":tru}]},${good("b")},{"id"}]`);
    const notJson = expect.stringContaining("not JSON");
    expect(rowsOf(raw, "envelope")).toEqual(["a", "b", notJson]);
    expect(rowsOf(raw, "items")).toEqual([notJson, "b", notJson]);
  });
});

describe("an hour of the exchange", () => {
  const market = (id: string, more = "") => `{"league":"L","market_id":"${id}"${more}}`;
  const hour = (list: string) => bytes(`{"next_change_id":1000,"markets":[${list}]}`);

  it.each(['"1000"', "1e400", "9007199254740993", "1.5", "-1", "0"])("follows %s", (id) => {
    const raw = bytes(`{"next_change_id":${id},"markets":[]}`);
    const detail = "next_change_id is no whole number of seconds";
    expect(readPage(raw, "exchange", "envelope")).toMatchObject(
      id === "0" ? { nextId: "0", rows: [] } : { detail },
    );
  });

  it.each([
    ['{"market_id":"a"}', "without league", "without league", "without league"],
    ['{"league":"a"}', ...Array<string>(3).fill("without market_id")],
    [market("a"), undefined, undefined, "Invalid Market at /"],
    [market("a", ',"x":[tru]'), undefined, "not JSON", "not JSON"],
  ])("has its rows checked as its level says: %s", (row, ...errors) => {
    for (const [index, error] of errors.entries()) {
      const found = readPage(hour(row!), "exchange", LEVELS[index]!) as ReadPage;
      const told = error === undefined ? undefined : expect.stringContaining(error);
      expect(found.rows[0]!.error).toEqual(told);
    }
  });

  it("goes the same way: each row keeps its own text, to the digit", () => {
    const digits = market("a|b", ',"x":1e400,"y":123456789012345678901234567890,"z":1.0');
    const raw = hour(`${digits},null,${market("c|d", `,"x":${nested(2500)}`)},${market("e|f")}`);
    for (const level of LEVELS) {
      const found = readPage(raw, "exchange", level);
      if (found instanceof MalformedPage) throw found;
      expect(found.nextId).toBe("1000");
      expect(found.rows[0]!.json).toBe(digits);
      expect(found.rows[1]!.error).toBe("a market that is not an object");
      expect(found.rows[2]!.error).toContain("nested 2501 levels");
      if (level !== "full") expect(found.rows[3]!.market).toEqual({ league: "L", marketId: "e|f" });
    }
  });
});
