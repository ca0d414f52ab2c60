/** The report in a pipe and on a narrow terminal. Progress is tested at a real terminal. */
import { Host } from "@game-data/terminal/Host";
import { testHost } from "@game-data/terminal/testHost";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { count, duration, makeReport, megabytes, number, timestamp } from "../src/report.ts";

const reportOn = (args: ReadonlyArray<string> = [], columns?: number) => {
  const { host, stderr, stdout } = testHost(args, { columns, env: { NO_COLOR: "1" } });
  const report = Effect.runSync(Effect.provideService(makeReport, Host, host));
  return { report, stdout, stderr };
};

it("prints step by step", () => {
  const { report, stdout } = reportOn();
  report.paragraph("A report");
  report.heading(1, "The first");
  report.say("One sentence.", "Another.");
  report.facts(["name", "x"], ["absent", undefined], ["size", 3]);
  report.table(["of", "count"], [["a", 1]]);
  report.passed("it holds", ["3 ms", "2 responses"]);
  report.passed("that too", []);
  report.heading(2, "The second");
  report.skipped("not\nhere");
  report.paragraph("\nDone.");
  expect(stdout.text).toBe(`A report

1. The first
   One sentence.
   Another.
   name  x
   size  3
   of  count
   a       1
✓  it holds (3 ms, 2 responses)
✓  that too

2. The second
–  skipped: not here

Done.
`);
});

it("says how many rows are not shown", () => {
  const { report, stdout } = reportOn();
  const rows = Array.from({ length: 1200 }, (_, index) => [index]);
  report.table(["row"], rows, 2);
  expect(stdout.text).toBe("   row\n     0\n     1\n   … and 1,198 more\n");
});

it("cuts tables and charts to the width of the terminal", () => {
  const { report, stdout } = reportOn([], 40);
  report.table(["name"], [["x".repeat(100)]]);
  report.chart(
    Array.from({ length: 30 }, (_, index) => index),
    ["2026-11-20 20:00Z", "2026-11-22 01:00Z"],
  );
  const widths = stdout.text.split("\n").map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(40);
  expect(stdout.text).toContain("…");
});

it("draws a chart with its range and the labels of its ends", () => {
  const { report, stdout } = reportOn();
  report.chart([0, 100, 1200, 300], ["first", "last"]);
  expect(stdout.text).toMatch(/1\.2K┤/u);
  expect(stdout.text).toMatch(/first +last\n$/u);
});

it("replaces control characters of names", () => {
  const { report, stderr, stdout } = reportOn();
  const name = "\u001B[2J\u0007x";
  report.say(name);
  report.facts(["name", name]);
  report.table(["name"], [[name]]);
  report.passed(name, []);
  report.skipped(name);
  report.failed(name, name);
  // oxlint-disable-next-line no-control-regex
  expect(stdout.text + stderr.text).not.toMatch(/[\u001B\u0007]/u);
});

it.each([
  [number(15_000), "15,000"],
  [count(1, "link"), "1 link"],
  [count(2500, "entry", "entries"), "2,500 entries"],
  [duration(41.4), "41 ms"],
  [duration(1290), "1.3 s"],
  [duration(119_000), "119.0 s"],
  [duration(420_000), "7 minutes"],
  [duration(36_000_000), "10 hours"],
  [duration(604_800_000), "7 days"],
  [timestamp(Date.UTC(2026, 10, 19, 22)), "2026-11-19 22:00Z"],
  [megabytes(2_400_000), "2.4 MB"],
])("formats %s", (written, expected) => {
  expect(written).toBe(expected);
});
