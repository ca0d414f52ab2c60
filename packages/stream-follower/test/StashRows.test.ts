import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { changesOf, split } from "../src/core/stashRows.ts";

const bytes = (text: string) => Buffer.from(text);
const page = (stashes: ReadonlyArray<unknown>) =>
  bytes(JSON.stringify({ next_change_id: "1-2", stashes }));
const listed = (id: string, items: ReadonlyArray<unknown> = []) => ({ id, public: true, items });

describe("a page taken apart stash by stash", () => {
  it("says what parsing the page as a whole says, whatever it holds", () => {
    const stash = fc.record({
      id: fc.string(),
      public: fc.boolean(),
      stash: fc.string({ unit: "grapheme" }),
      items: fc.array(fc.jsonValue(), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(stash, fc.jsonValue()), { maxLength: 6 }), (stashes) => {
        const raw = page(stashes);
        const found = split(raw);
        const whole = JSON.parse(raw.toString()) as { stashes: ReadonlyArray<unknown> };
        if (found !== undefined) expect([...found.rows]).toEqual(whole.stashes);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it("is how a page of the live form is read, its id before or after the list, full or empty", () => {
    const stashes = [listed("a", [{ id: "i" }]), { id: "b", public: false }, listed("c")];
    for (const raw of [
      page(stashes),
      bytes(`{"stashes":${JSON.stringify(stashes)},"next_change_id":"1-2"}`),
    ]) {
      const found = split(raw);
      expect(found?.nextId).toBe("1-2");
      expect([...(found?.rows ?? [])]).toEqual(stashes);
    }
    expect(split(page([]))).toMatchObject({ nextId: "1-2", rows: [] });
  });

  it("gives each stash's own text to the store, and its items when they are asked for", () => {
    const raw = bytes(
      '{"next_change_id":"1","stashes":[{"id":"a","public":true,"w":1.0,"items":[{"x":2.50}]},{"id":"b","public":false}]}',
    );
    const [first, second] = changesOf(split(raw)!.rows)!;
    expect(first?.json).toBe('{"id":"a","public":true,"w":1.0,"items":[{"x":2.50}]}');
    expect(first).toMatchObject({ itemCount: 1, items: [{ x: 2.5 }], isPublic: true });
    expect(second).toMatchObject({ itemCount: 0, items: [], isPublic: false });
  });

  it("looks for the list in the first kilobyte, and for the end of it in the last", () => {
    const list = '"stashes":[{"id":"a","public":false}]';
    const long = (text: string, length: number) =>
      text.replace("*", "x".repeat(length - Buffer.byteLength(text) + 1));
    // The opening bracket is the last byte that is looked at; then it is one too far.
    const before = (length: number) =>
      bytes(long('{"next_change_id":"*","stashes":[', length) + '{"id":"a","public":false}]}');
    expect(split(before(1024))?.rows).toHaveLength(1);
    expect(split(before(1025))).toBe(undefined);
    const after = (length: number) =>
      bytes(`{${list.slice(0, -1)}${long('],"next_change_id":"*"}', length)}`);
    expect(split(after(1024))?.rows).toHaveLength(1);
    expect(split(after(1025))).toBe(undefined);
  });

  it("tells where each row's text lies in the page", () => {
    const raw = page([listed("é"), { id: "b", public: false }]);
    const { bounds } = split(raw)!;
    expect(bounds).toHaveLength(4);
    expect(raw.toString("utf8", bounds[0], bounds[1])).toBe(JSON.stringify(listed("é")));
    expect(raw.toString("utf8", bounds[2], bounds[3])).toBe('{"id":"b","public":false}');
  });

  it("takes no bracket of the id for the end of the list", () => {
    expect(split(bytes('{"next_change_id":"]","stashes":['))).toBe(undefined);
    expect(split(bytes('{"next_change_id":"]","stashes":[]}'))?.nextId).toBe("]");
  });

  it("counts no items of a stash that is no longer listed", () => {
    const raw = page([{ id: "a", public: false, items: [{ id: "i" }] }]);
    expect(changesOf(split(raw)!.rows)?.[0]).toMatchObject({ itemCount: 0, items: [] });
  });

  it("learns nothing of a stash that the level items refuses", () => {
    const odd = bytes(
      '{"next_change_id":"1","stashes":[{"id":"a","public":true},{"id":"","public":false},{"id":"c"}]}',
    );
    expect(changesOf(split(odd)!.rows)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [
      "an item that looks like the next stash",
      page([listed("a", [{}, { id: "b", public: true }])]),
    ],
    ["a list of another object", bytes('{"x":{"stashes":[]},"next_change_id":"1","stashes":[7]}')],
    ["two ids", bytes('{"next_change_id":"1","stashes":[],"next_change_id":"2"}')],
    ["no id", bytes('{"stashes":[]}')],
    ["a control character in the id", bytes('{"next_change_id":"\u0001","stashes":[]}')],
    [
      "line breaks, which a text of one line cannot have",
      bytes('{"next_change_id":"1","stashes":[{\n"id":"a"}]}'),
    ],
    ["a comma too many", bytes('{"next_change_id":"1","stashes":[{"id":"a"},]}')],
    ["a missing comma", bytes('{"next_change_id":"1","stashes":[{"id":"a"}{"id":"b"}]}')],
    ["a cut", page([listed("a"), listed("b")]).subarray(0, -3)],
    ["bytes after the end", bytes('{"next_change_id":"1","stashes":[{"id":"a"}]}}')],
    ["a byte order mark", bytes('\uFEFF{"next_change_id":"1","stashes":[{"id":"a"}]}')],
  ])("leaves to the whole parse: %s", (_, raw) => {
    expect(split(raw)).toBeUndefined();
  });
});
