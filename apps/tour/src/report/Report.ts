/**
 * A report that tells a story on stdout, section by section: sentences, facts, tables, bars,
 * charts, and under each section how it ended.
 *
 * For programs whose output is read by people from top to bottom; what pipes read belongs into
 * `print` of `Output`. Bars are drawn where stdout is a terminal, colour where `NO_COLOR` is not
 * set besides; else it is the same words line by line. Names that players gave come from strangers
 * and lose their control characters on the way.
 */
import { styleText } from "node:util";
import { type Bar, bar as barOf } from "./Bar.ts";
import { chart as chartOf, type ChartOptions } from "./Chart.ts";
import {
  type Cell,
  clean,
  facts as factsOf,
  isForMachines,
  lines,
  styled,
  table as tableOf,
} from "@game-data/terminal/Output";

const INDENT = "   ";

/** With `--json` or `--ndjson` stdout is for the result, and the report goes to stderr. */
const target = () => (isForMachines(process.argv.slice(2)) ? process.stderr : process.stdout);

const write = (text: string) => void target().write(`${text}\n`);
const indented = (text: string) => write(text.replaceAll(/^(?=.)/gmu, INDENT));

/** The head of the report: what it is, and a sentence below. */
export const title = (text: string, below: string): void =>
  write(`\n${styled("bold", text)}\n${styled("dim", below)}`);

/** The head of a section. */
export const section = (position: number, text: string): void =>
  write(`\n${styled(["bold", "cyan"], `${position}. ${text}`)}`);

/** Sentences, one a line. */
export const say = (...sentences: ReadonlyArray<string>): void =>
  indented(sentences.map(clean).join("\n"));

/** Facts, one a line; those without a value are left out. */
export const facts = (...pairs: ReadonlyArray<readonly [name: string, value: Cell]>): void =>
  indented(factsOf(pairs));

/** A table, figures to the right; `shown` says how many rows there is room for. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  shown = Infinity,
): void => {
  indented(tableOf(columns, rows.slice(0, shown)));
  if (rows.length > shown) indented(styled("dim", `… and ${number(rows.length - shown)} more`));
};

/** A bar on the way to a known end; nothing where stdout is no terminal. */
export const bar = (total: number): Bar => barOf(total, { indent: INDENT, stream: target() });

/** Figures as columns. */
export const chart = (values: ReadonlyArray<number>, options: ChartOptions): void =>
  indented(chartOf(values, options));

/**
 * The end of a section that came true: what proves it, and remarks such as the time that it took.
 */
export const proven = (proof: string, ...remarks: ReadonlyArray<string>): void => {
  const rest = remarks.length === 0 ? "" : ` ${styled("dim", `(${remarks.join(", ")})`)}`;
  write(`${styled("green", "✓")}  ${clean(proof)}${rest}`);
};

/** The end of a section that was left out. */
export const leftOut = (reason: string): void => {
  const sentence = clean(reason.replaceAll(/\s+/gu, " "));
  write(`${styled("yellow", "–")}  ${styled("dim", `left out: ${sentence}`)}`);
};

/**
 * The end of a section, and of the report, that did not come true; on stderr, for whoever pipes the
 * report elsewhere.
 */
export const failed = (where: string, message: string): void => {
  const cross = styleText("red", "✗", { stream: process.stderr });
  const text = lines(message).replaceAll("\n", `\n${INDENT}`);
  process.stderr.write(`${cross}  ${clean(where)}: ${text}\n`);
};

/** The last lines. */
export const ending = (text: string): void => write(`\n${styled("bold", text)}`);

const whole = new Intl.NumberFormat("en");

/** 15,000 */
export const number = (value: number): string => whole.format(value);

/** A number of things: `1 page`, `2,500 entries`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

/** A length of time: 41 ms, 1.3 s, 7 minutes, 10 hours, 7 days. */
export const time = (millis: number): string => {
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

/** A moment: 2026-11-19 22:00Z */
export const moment = (millis: number): string =>
  `${new Date(millis).toISOString().slice(0, 16).replace("T", " ")}Z`;

/** 1.3 MB */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
