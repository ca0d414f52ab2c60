/** The scanner of pages, held against JSON.parse. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanPage } from "../src/core/scanPage.ts";
import { parsePage } from "../src/core/parsePage.ts";
import { MalformedPage } from "../src/index.ts";

const bytes = (text: string) => Buffer.from(text);

/** What the scanner says, in the form that a whole parse gives it. */
const scanned = (raw: Uint8Array) => {
  const found = scanPage(raw);
  if (found === undefined || found === "tooDeep") return undefined;
  return {
    nextId: found.envelope["next_change_id"],
    changes: found.changes.map(({ envelope, from, to }) => ({
      text: Buffer.from(raw.subarray(from, to)).toString(),
      columns: columnsOf(envelope),
      items: countOf(envelope["items"], "marker"),
    })),
  };
};

const COLUMNS = ["id", "public", "accountName", "stash", "stashType", "league"] as const;
const columnsOf = (value: Readonly<Record<string, unknown>>) =>
  COLUMNS.map((name) => (Array.isArray(value[name]) ? "array" : value[name]));

/** Objects and arrays in a list: what the scanner counts. */
const countOf = (list: unknown, kind: "marker" | "list") => {
  if (!Array.isArray(list)) return typeof list;
  if (kind === "marker") return (list[0] as number | undefined) ?? 0;
  return list.filter((item) => typeof item === "object" && item !== null).length;
};

/** The same by JSON.parse, where the page can be parsed and its list holds objects. */
const parsed = (raw: Uint8Array) => {
  const page = JSON.parse(Buffer.from(raw).toString()) as Record<string, unknown>;
  const list = page["stashes"] as ReadonlyArray<Record<string, unknown>>;
  return {
    nextId: Array.isArray(page["next_change_id"]) ? "array" : page["next_change_id"],
    changes: list.map((value) => ({
      value,
      columns: columnsOf(value),
      items: countOf(value["items"], "list"),
    })),
  };
};

const agree = (raw: Uint8Array): "equal" | "refused" => {
  const found = scanned(raw);
  if (found === undefined) return "refused";
  const { changes, nextId } = parsed(raw);
  const shown = Array.isArray(found.nextId) ? "array" : found.nextId;
  expect(shown).toEqual(nextId);
  expect(found.changes.map(({ text }) => JSON.parse(text))).toEqual(
    changes.map(({ value }) => value),
  );
  expect(found.changes.map(({ columns, items }) => ({ columns, items }))).toEqual(
    changes.map(({ columns, items }) => ({ columns, items })),
  );
  return "equal";
};

/** Strings that could mislead a walk over bytes. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    '"',
    "\\",
    '\\"',
    "}",
    "]",
    '"}],[{"',
    "items",
    "stashes",
    "\ud800",
    "\u0000",
    "é",
  ),
);
// V8 of Node 24 takes the key `\"` for `\` once an object with the key `\` was parsed, so
// JSON.parse is no oracle for keys that end with a backslash.
const key = fc.oneof(
  text.filter((name) => !name.endsWith("\\")),
  fc.constantFrom("id", "stashes", "items", "public", "next_change_id", "__proto__", "league"),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map(members),
  ),
}));

/** An object as text members, so that keys may come twice and in any order. */
class Members {
  readonly list: ReadonlyArray<readonly [string, unknown]>;
  constructor(list: ReadonlyArray<readonly [string, unknown]>) {
    this.list = list;
  }
}
function members(list: ReadonlyArray<readonly [string, unknown]>): Members {
  return new Members(list);
}

/** Writes a value with the spaces and escapes of `style`. */
const write = (value: unknown, style: Style): string => {
  const { newline, escape } = style;
  if (value instanceof Members) {
    const rows = value.list.map(
      ([name, member]) => `${quote(name, escape)}:${newline}${write(member, style)}`,
    );
    return `{${newline}${rows.join(`,${newline}`)}${newline}}`;
  }
  if (Array.isArray(value)) {
    return `[${newline}${value.map((one) => write(one, style)).join(`${newline},`)}${newline}]`;
  }
  if (typeof value === "string") return quote(value, escape);
  return JSON.stringify(value) ?? "null";
};
interface Style {
  readonly newline: string;
  readonly escape: boolean;
}
const quote = (value: string, escape: boolean): string => {
  const json = JSON.stringify(value);
  return escape
    ? json.replaceAll(/[a-z{}[\]]/gu, (char, at: number) =>
        json[at - 1] === "\\" || /\\u[0-9a-f]{0,3}$/u.test(json.slice(Math.max(0, at - 5), at))
          ? char
          : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : json;
};

const change = fc
  .record({
    id: text,
    public: fc.oneof(fc.boolean(), anything),
    items: fc.oneof(fc.array(anything, { maxLength: 4 }), anything),
    more: fc.array(fc.tuple(key, anything), { maxLength: 3 }),
  })
  .map(({ id, items, more, public: listed }) =>
    members([["id", id], ["public", listed], ...more, ["items", items]]),
  );
const page = fc
  .record({
    next: fc.oneof(text, anything),
    stashes: fc.array(change, { maxLength: 4 }),
    before: fc.array(fc.tuple(key, anything), { maxLength: 2 }),
    after: fc.array(fc.tuple(key, anything), { maxLength: 2 }),
    isIdFirst: fc.boolean(),
  })
  .map(({ after, before, isIdFirst, next, stashes }) => {
    const own: ReadonlyArray<readonly [string, unknown]> = [
      ["next_change_id", next],
      ["stashes", stashes],
    ];
    return members([...before, ...(isIdFirst ? own : own.toReversed()), ...after]);
  });
const style = fc.record({
  newline: fc.constantFrom("", " ", "\n", "\r\n\t "),
  escape: fc.boolean(),
});

describe("a scanned page", () => {
  it("says what JSON.parse says, whatever the page holds", () => {
    const runs = Number(process.env["SCAN_RUNS"] ?? 3000);
    const counts = { equal: 0, refused: 0 };
    fc.assert(
      fc.property(page, style, (value, how) => {
        const raw = bytes(write(value, how));
        const whole = JSON.parse(raw.toString()) as { stashes: unknown };
        const isList =
          Array.isArray(whole.stashes) &&
          whole.stashes.every(
            (row) => typeof row === "object" && row !== null && !Array.isArray(row),
          );
        const outcome = isList ? agree(raw) : "refused";
        if (!isList) expect(scanned(raw)).toBe(undefined);
        counts[outcome] += 1;
      }),
      { numRuns: runs, seed: 7 },
    );
    // A scanner that refuses everything agrees, too.
    expect(counts.equal).toBeGreaterThan(runs * 0.8);
  }, 600_000);

  it("reports each change's place, its own members and how many items it lists", () => {
    const raw = bytes(
      '{"next_change_id":"1-2","stashes":[ {"id":"é","public":true,"items":[{"a":[1,[]]},{}]},\n{"id":"b","public":false}]}\n',
    );
    expect(scanPage(raw)).toMatchObject({
      envelope: { next_change_id: "1-2" },
      changes: [
        { envelope: { id: "é", public: true, items: [2] }, depth: 5 },
        { envelope: { id: "b", public: false }, depth: 1 },
      ],
    });
    const found = scanPage(raw);
    if (found === undefined || found === "tooDeep") throw new Error("refused");
    const texts = found.changes.map(({ from, to }) => raw.toString("utf8", from, to));
    expect(texts).toEqual([
      '{"id":"é","public":true,"items":[{"a":[1,[]]},{}]}',
      '{"id":"b","public":false}',
    ]);
  });

  it.each([
    ["a cut", '{"next_change_id":"1","stashes":[{"id":"a"'],
    ["crossed brackets", '{"next_change_id":"1","stashes":[{"id":"a","items":[{]}]}'],
    ["a missing comma between changes", '{"next_change_id":"1","stashes":[{"id":"a"}{"id":"b"}]}'],
    ["a comma too many", '{"next_change_id":"1","stashes":[{"id":"a"},]}'],
    ["a change that is no object", '{"next_change_id":"1","stashes":[{"id":"a"},7]}'],
    ["bytes after the end", '{"next_change_id":"1","stashes":[{"id":"a"}]}}'],
    ["a second value", '{"next_change_id":"1","stashes":[]}{}'],
    ["a byte order mark", '\uFEFF{"next_change_id":"1","stashes":[]}'],
    ["a control character in the id", '{"next_change_id":"\u0001","stashes":[]}'],
    ["no list", '{"next_change_id":"1"}'],
    ["an open string", '{"next_change_id":"1","stashes":[{"id":"a\\"}]}'],
    ["a list at the top", '[{"id":"a"}]'],
    ["nothing", ""],
  ])("leaves to JSON.parse: %s", (_, raw) => {
    expect(scanPage(bytes(raw))).toBe(undefined);
  });

  it("leaves broken UTF-8 to JSON.parse", () => {
    const raw = Buffer.concat([
      bytes('{"next_change_id":"1","stashes":[{"id":"'),
      Buffer.from([0xff]),
      bytes('"}]}'),
    ]);
    expect(scanPage(raw)).toBe(undefined);
    expect(parsePage(raw, "stashes", "items")).toMatchObject({ nextId: "1" });
  });

  it("accepts what is wrong inside an item alone; whoever parses the change finds it", () => {
    const raw = bytes(
      '{"next_change_id":"1","stashes":[{"id":"a","public":true,"items":[{"a":tru}]},{"id":"b","public":true,"items":[{}]}]}',
    );
    expect(scanned(bytes(raw.toString()))?.changes).toHaveLength(2);
    const page_ = parsePage(raw, "stashes", "items");
    if (page_ instanceof MalformedPage) throw page_;
    expect(page_.rows.map(({ error, stash }) => error ?? stash?.id)).toEqual([
      expect.stringContaining("not JSON"),
      "b",
    ]);
  });
});

describe("a change that nests too deep", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  it.each(["envelope", "items", "full"] as const)(
    "is rejected alone at level %s, however deep",
    (level) => {
      for (const depth of [5000, 100_000]) {
        const raw = bytes(
          `{"next_change_id":"1","stashes":[{"id":"a","public":true,"items":[${nested(depth)}]},{"id":"b","public":false}]}`,
        );
        const found = parsePage(raw, "stashes", level);
        if (found instanceof MalformedPage) throw found;
        expect(found.rows[0]!.error).toContain(`nested ${depth + 2} levels deep`);
        expect(found.rows[0]!.json).toContain("[[[[");
        expect(found.rows[1]!.stash?.id).toBe("b");
      }
    },
  );

  it("makes the page malformed past a million levels", () => {
    const raw = bytes(`{"next_change_id":"1","stashes":[{"id":"a","items":${nested(1_100_000)}}]}`);
    expect(parsePage(raw, "stashes", "envelope")).toBeInstanceOf(MalformedPage);
  });
});
