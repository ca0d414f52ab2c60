/**
 * Prints the tour: a heading per step, facts, tables and charts, and the step's result.
 *
 * On a terminal a line with the latest progress is shown while a step runs. Elsewhere the same lines
 * are printed without it. With `--json` or `--ndjson` the report goes to stderr.
 */
import { hasColor, Host } from "@game-data/terminal/Host";
import { eraseProgress, isMachineReadable, progress } from "@game-data/terminal/Output";
import {
  type Cell,
  clean,
  cleanLines,
  facts,
  type FactsView,
  render,
  styled,
  table,
  type View,
} from "@game-data/terminal/View";
import { Context, Effect } from "effect";
import { plot } from "simple-ascii-chart";

const INDENT = "   ";

/** Wider charts are harder to read. */
const MAX_CHART = 76;

/** Makes the report of the host. */
export const makeReport = Effect.gen(function* () {
  const host = yield* Host;
  const stream = isMachineReadable(host.args) ? host.stderr : host.stdout;
  const columns = stream.isTTY === true ? stream.columns : undefined;
  const width = columns === undefined ? undefined : columns - INDENT.length;
  const bar = yield* progress;

  const write = (text: string) => {
    eraseProgress(host.stderr);
    stream.write(`${text}\n`);
  };
  const show = (view: View) => render(view, { width, color: hasColor(host, stream) });
  const indented = (view: View) => write(show(view).replaceAll(/^(?=.)/gmu, INDENT));

  return {
    /** Prints sentences, one a line. */
    say: (...sentences: ReadonlyArray<string>) => indented(sentences.map(clean)),
    /** Prints facts, one a line. Those without a value are omitted. */
    facts: (...pairs: FactsView["pairs"]) => indented(facts(pairs)),
    /** Prints a table; `limit` is the number of rows shown. */
    table: (
      titles: ReadonlyArray<string>,
      rows: ReadonlyArray<ReadonlyArray<Cell>>,
      limit = Infinity,
    ) => {
      indented(table(titles, rows.slice(0, limit)));
      if (rows.length > limit) indented(styled("dim", `… and ${number(rows.length - limit)} more`));
    },
    /** Prints values as a line chart with labels below the first and the last one. */
    chart: (values: ReadonlyArray<number>, labels: Labels) =>
      indented(chartOf(values, labels, width)),
    /** Shows how far the step is, on a terminal only. */
    progress: (done: number, total: number, text: string) => {
      if (host.stderr.isTTY === true) bar.update(`${percentOf(done, total)}  ${text}`);
    },
    heading: (position: number, title: string) =>
      write(show(`\n${styled(["bold", "cyan"], `${position}. ${title}`)}`)),
    /** Prints lines that belong to no step. */
    paragraph: (view: View) => write(show(view)),
    /** Prints the result of a step, with remarks such as its duration. */
    passed: (result: string, remarks: ReadonlyArray<string>) =>
      write(show(passedLine(result, remarks))),
    skipped: (reason: string) => {
      const sentence = styled("dim", `skipped: ${clean(reason.replaceAll(/\s+/gu, " "))}`);
      write(show(`${styled("yellow", "–")}  ${sentence}`));
    },
    /** Prints an error on stderr, for readers who redirect the report. */
    failed: (...error: Parameters<typeof failureLine>) => {
      eraseProgress(host.stderr);
      const color = hasColor(host, host.stderr);
      host.stderr.write(`${render(failureLine(...error), { color })}\n`);
    },
  };
});

/** The report of the running tour. */
export class Report extends Context.Service<Report, Effect.Success<typeof makeReport>>()(
  "@game-data/tour/Report",
) {}

type Labels = readonly [first: string, last: string];

const percentOf = (done: number, total: number): string =>
  `${Math.min(100, Math.round((done / Math.max(1, total)) * 100))} %`.padStart(5);

const passedLine = (result: string, remarks: ReadonlyArray<string>): string => {
  const rest = remarks.length === 0 ? "" : ` ${styled("dim", `(${remarks.join(", ")})`)}`;
  return `${styled("green", "✓")}  ${clean(result)}${rest}`;
};

/** The message may be a server's; the next step is ours, and stands on a line of its own. */
const failureLine = (where: string, message: string, next?: string): string => {
  const step = next === undefined ? "" : `\n→ ${clean(next)}`;
  const text = `${cleanLines(message)}${step}`.replaceAll("\n", `\n${INDENT}`);
  return `${styled("red", "✗")}  ${clean(where)}: ${text}`;
};

/** A line chart, and its labels below it. */
const chartOf = (values: ReadonlyArray<number>, [first, last]: Labels, width = MAX_CHART): View => {
  // Two columns of the axis, and the widest label on its left.
  const side = Math.max(...values.map((value) => compact.format(value).length)) + 2;
  const columns = Math.min(width, MAX_CHART) - side;
  const drawn = plot(
    values.map((value, index): [number, number] => [index, value]),
    {
      width: columns,
      height: 6,
      hideXAxisTicks: true,
      fillArea: true,
      formatter: (value) => compact.format(value),
    },
  );
  const room = columns - first.length - last.length;
  const labels = room > 0 ? `${first}${" ".repeat(room)}${last}` : last.padStart(columns);
  const lines = drawn.split("\n").map((line) => line.trimEnd());
  return [
    lines.filter((line) => line !== "").join("\n"),
    styled("dim", `${" ".repeat(side)}${labels}`),
  ];
};

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Formats a number: `15,000`. */
export const number = (value: number): string => whole.format(value);

/** Formats a number of things: `1 page`, `2,500 entries`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

/** Formats a duration: `41 ms`, `1.3 s`, `7 minutes`, `10 hours`, `7 days`. */
export const duration = (millis: number): string => {
  if (millis < SECOND) return `${Math.round(millis)} ms`;
  if (millis < 2 * MINUTE) return `${(millis / SECOND).toFixed(1)} s`;
  if (millis < 2 * HOUR) return `${Math.round(millis / MINUTE)} minutes`;
  return millis < 2 * DAY
    ? `${Math.round(millis / HOUR)} hours`
    : `${Math.round(millis / DAY)} days`;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an instant: `2026-11-19 22:00Z`. */
export const timestamp = (millis: number): string =>
  `${new Date(millis).toISOString().slice(0, 16).replace("T", " ")}Z`;

/** Formats bytes: `1.3 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
