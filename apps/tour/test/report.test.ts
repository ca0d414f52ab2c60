/**
 * What a report looks like where nobody watches: the words of it. Bars and colour are tried at a
 * terminal by the tour.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chart } from "../src/report/Chart.ts";
import * as Report from "../src/report/Report.ts";

let out: string;
let err: string;
beforeEach(() => {
  out = "";
  err = "";
  vi.stubEnv("NO_COLOR", "1");
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it("tells section by section", () => {
  Report.title("A report", "What it is of.");
  Report.section(1, "The first");
  Report.say("One sentence.", "Another.");
  Report.facts(["name", "x"], ["not there", undefined], ["size", 3]);
  Report.table(["of", "count"], [["a", 1]]);
  Report.proven("it holds", "3 ms", "2 answers");
  Report.proven("that too");
  Report.section(2, "The second");
  Report.leftOut("not\nhere");
  Report.ending("Done.");
  expect(out).toBe(`
A report
What it is of.

1. The first
   One sentence.
   Another.
   name  x
   size  3
   of  count
   a       1
✓  it holds (3 ms, 2 answers)
✓  that too

2. The second
–  left out: not here

Done.
`);
});

it("says how many rows a table has no room for", () => {
  const rows = Array.from({ length: 1200 }, (_, index) => [index]);
  Report.table(["row"], rows, 2);
  expect(out).toBe("   row\n     0\n     1\n   … and 1,198 more\n");
});

it("tells what failed on stderr, and nothing on stdout", () => {
  Report.failed("The first", "it broke\nin two lines");
  expect(err).toBe("✗  The first: it broke\n   in two lines\n");
  expect(out).toBe("");
});

it("lets no stranger's name steer the terminal", () => {
  const name = "\u001B[2J\u0007x";
  Report.say(name);
  Report.facts(["name", name]);
  Report.table(["name"], [[name]]);
  Report.proven(name);
  Report.leftOut(name);
  Report.failed(name, name);
  // oxlint-disable-next-line no-control-regex
  expect(out + err).not.toMatch(/[\u001B\u0007]/u);
});

it("draws no bar where nobody watches, and still tells how long it took", () => {
  const bar = Report.bar(10);
  bar.show(5, "half");
  expect(bar.end(10, "all")).toBeGreaterThanOrEqual(0);
  expect(out).toBe("");
});

it.each([
  [Report.number(15_000), "15,000"],
  [Report.count(1, "link"), "1 link"],
  [Report.count(2500, "entry", "entries"), "2,500 entries"],
  [Report.time(41.4), "41 ms"],
  [Report.time(1290), "1.3 s"],
  [Report.time(119_000), "119.0 s"],
  [Report.time(420_000), "7 minutes"],
  [Report.time(36_000_000), "10 hours"],
  [Report.time(604_800_000), "7 days"],
  [Report.moment(Date.UTC(2026, 10, 19, 22)), "2026-11-19 22:00Z"],
  [Report.megabytes(2_400_000), "2.4 MB"],
])("writes figures for people: %s", (written, expected) => {
  expect(written).toBe(expected);
});

it("draws a column for each value, up to the largest", () => {
  expect(chart([0, 1, 400, 800], { below: ["from", "to"], height: 2 })).toBe(
    ["800 ┤      ██", "    ┤  ▁▁████", "    └────────", "     from  to"].join("\n"),
  );
});

it("draws a chart of nothing", () => {
  expect(chart([0, 0], { below: ["a", "b"], height: 1 })).toBe("1 ┤\n  └────\n   a  b");
});
