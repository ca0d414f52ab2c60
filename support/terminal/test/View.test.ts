import { describe, expect, it } from "vitest";
import { clean, facts, render, styled, table, type View } from "../src/View.ts";

const plain = (view: View, width?: number) => render(view, { color: false, width });

describe("a table", () => {
  it("is as wide as its widest cells, with numbers to the right", () => {
    const rows = [
      [1, "Ab"],
      [100, "C"],
    ];
    expect(plain(table(["rank", "name"], rows))).toBe("rank  name\n   1  Ab\n 100  C");
  });

  it("measures columns of the terminal, not characters", () => {
    const rows = [
      ["宝石", 1],
      ["ab", 2],
    ];
    expect(plain(table(["name", "x"], rows))).toBe("name  x\n宝石  1\nab    2");
  });

  it("is cut to the width of the terminal, in its widest column of text", () => {
    const rows = [["a".repeat(60), "b".repeat(20), 123_456]];
    const lines = plain(table(["long", "short", "number"], rows), 50).split("\n");
    expect(lines.map((line) => line.length)).toEqual([50, 50]);
    expect(lines[1]).toMatch(/^a{17,19}…  b{16,20}…?  123456$/u);
  });

  it("is not cut in a pipe", () => {
    expect(plain(table(["long"], [["a".repeat(300)]]))).toContain("a".repeat(300));
  });

  it("prints a sentence if it is empty", () => {
    expect(plain(table(["name"], [], "No tabs."))).toBe("No tabs.");
  });
});

describe("control characters", () => {
  it("are replaced in cells and facts", () => {
    const evil = "a\u001B]0;owned\u0007b\u009B2Jc\r\n";
    for (const shown of [
      plain(table(["name"], [[evil]])),
      plain(facts([["name", evil]])),
      clean(evil),
    ])
      // oxlint-disable-next-line no-control-regex
      expect(shown).not.toMatch(/[\u001B\u0007\u009B\r]/u);
  });
});

describe("facts", () => {
  it("omit those without a value, and keep zero", () => {
    const pairs = [
      ["name", "A"],
      ["of", undefined],
      ["level", 0],
    ] as const;
    expect(plain(facts(pairs))).toBe("name   A\nlevel  0");
  });
});

describe("render", () => {
  it("keeps styles where the stream shows colour, and removes them elsewhere", () => {
    const view = styled("green", "ok");
    expect(render(view, { color: true })).toBe("\u001B[32mok\u001B[39m");
    expect(render(view, { color: false })).toBe("ok");
  });

  it("puts several views below one another", () => {
    expect(plain(["a", ["b", facts([["c", 1]])]])).toBe("a\nb\nc  1");
  });
});
