/** The scanner of pages, held against JSON.parse. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanPage } from "../src/core/scanPage.ts";
import { parsePage } from "../src/core/parsePage.ts";
import { MalformedPage } from "../src/index.ts";
import { compareWithParse, share, written } from "./support/RandomPages.ts";

const bytes = (text: string) => Buffer.from(text);

describe("a scanned page", () => {
  it("says what JSON.parse says, whatever the page holds", () => {
    // CI, where REQUIRE_SERVICES is set, tries all of them.
    const runs = share(3000);
    const counts = { equal: 0, refused: 0 };
    fc.assert(
      fc.property(written, (raw) => {
        counts[compareWithParse(raw)] += 1;
      }),
      { numRuns: runs, seed: 7 },
    );
    // A scanner that refuses everything agrees, too.
    expect(counts.equal).toBeGreaterThan(runs * 0.8);
  });

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
    expect(scanPage(raw)).toMatchObject({ changes: [{}, {}] });
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
