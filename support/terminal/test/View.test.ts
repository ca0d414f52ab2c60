import { describe, expect, it } from "vitest";
import {
  clean,
  cleanJson,
  cleanLines,
  cleanText,
  facts,
  render,
  styled,
  table,
  type View,
} from "../src/View.ts";

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

describe("text of others", () => {
  /** C0, C1, the line and paragraph separators, bidirectional, invisible, and a lone surrogate. */
  const STEERING =
    "\u001b \u0007 \u009b \u2028 \u2029 \u202e \u2066 \u200b \ufeff \u{e0041} \ud800";

  it("has no character that steers a terminal, turns a line or shows nothing", () => {
    const shown =
      "\\u{1b} \\u{7} \\u{9b} \\u{2028} \\u{2029} \\u{202e} \\u{2066} \\u{200b} \\u{feff} \\u{e0041} \\u{d800}";
    expect(clean(STEERING)).toBe(shown);
    expect(cleanText(STEERING)).toBe(shown);
    expect(cleanLines(STEERING)).toBe(shown);
    expect(clean("Ada, 宝石, é")).toBe("Ada, 宝石, é");
  });

  it("begins no line of ours", () => {
    expect(cleanLines("x\nerror: FAKE\r\n→ run this")).toBe("x\n  │ error: FAKE\n  │ → run this");
    expect(clean("x\nFAKE")).toBe("x\\u{a}FAKE");
    for (let width = 20; width < 100; width++)
      for (let letters = 1; letters < width; letters += 3) {
        const [, ...further] = cleanLines(`${"a".repeat(letters)} error: FAKE → run`, width).split(
          "\n",
        );
        for (const line of further) expect(line).toMatch(/^ {4}/u);
      }
  });

  it("keeps lines and tabs of a file", () => {
    expect(cleanText("a\tb\r\nc\n\u009b")).toBe("a\tb\r\nc\n\\u{9b}");
  });

  it("is the same value in JSON", () => {
    const value = { [STEERING]: STEERING, list: [1, "a"] };
    const json = cleanJson(JSON.stringify(value, undefined, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\u0080-\u009f]/u);
    expect(json).toContain(String.raw`\u009b`);
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

describe.each([24, 40, 80])("at %d columns", (width) => {
  const widest = (view: View) =>
    Math.max(
      ...render(view, { width, color: false })
        .split("\n")
        .map((line) => line.length),
    );
  const long = "a character of a league that has a very long name ".repeat(3) + "x".repeat(90);

  it("no line of a text, a list of facts or a table is wider", () => {
    const row = [1, long, "Templar", 100, 4_250_334_444, "Vaesha#0046"];
    const columns = ["rank", "character", "class", "level", "experience", "account"];
    for (const view of [
      long,
      `  --flag <a|b|c>    ${long}`,
      facts([["name", long]]),
      table(columns, [row, row]),
    ])
      expect(widest(view)).toBeLessThanOrEqual(width);
  });

  it("an address stays whole, so that it can be copied", () => {
    const address = `https://auth.example.com/oauth/authorize?${"scope=a&".repeat(20)}`;
    expect(render(`  ${address}`, { width, color: false })).toContain(address);
  });
});
