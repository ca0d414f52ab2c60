/**
 * What the tour prints: sections, tables, bars, and under each section what proves it.
 *
 * Colour and bars only where stdout is a terminal and `NO_COLOR` is not set; else the same words, line by line. Names that
 * players gave come from strangers and lose their control characters on the way (`clean`).
 */
import { styleText } from "node:util";
import {
  type Cell,
  clean,
  facts as factsOf,
  styled,
  table as tableOf,
} from "@game-data/cli/output";

const isTerminal = process.stdout.isTTY === true;

const write = (text: string) => void process.stdout.write(text);
const indent = (text: string) => text.replaceAll(/^(?=.)/gmu, "   ");

/** The head of the report. */
export const title = (text: string, below: string) =>
  write(`\n${styled("bold", text)}\n${styled("dim", below)}\n`);

/** The head of a section. */
export const section = (number: number, text: string) =>
  write(`\n${styled(["bold", "cyan"], `${number}. ${text}`)}\n`);

/** Sentences of a section. */
export const say = (...sentences: ReadonlyArray<string>) =>
  write(`${indent(sentences.map(clean).join("\n"))}\n`);

/** Facts of a section, one a line. */
export const facts = (...pairs: ReadonlyArray<readonly [string, Cell]>) =>
  write(`${indent(factsOf(pairs))}\n`);

/** A table; figures to the right. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  more = 0,
) => {
  write(`${indent(tableOf(columns, rows))}\n`);
  if (more > 0) write(`${indent(styled("dim", `… and ${number(more)} more`))}\n`);
};

/** The end of a section that came true: its proof, its time, and how many answers of the service it took. */
export const proven = (proof: string, millis: number, answers: number) => {
  const calls = answers === 0 ? "" : `, ${number(answers)} answer${answers === 1 ? "" : "s"}`;
  write(`${styled("green", "✓")}  ${clean(proof)} ${styled("dim", `(${time(millis)}${calls})`)}\n`);
};

/** The end of a section that is not for this place. */
export const leftOut = (reason: string) =>
  write(
    `${styled("yellow", "–")}  ${styled("dim", `left out: ${clean(reason.replaceAll(/\s+/gu, " "))}`)}\n`,
  );

/** The end of a section, and of the tour, that did not come true; on stderr, for whoever pipes the report elsewhere. */
export const failed = (where: string, message: string) => {
  const cross = styleText("red", "✗", { stream: process.stderr });
  process.stderr.write(
    `${cross}  ${clean(where)}: ${message.split("\n").map(clean).join("\n   ")}\n`,
  );
};

/** The last lines. */
export const ending = (text: string) => write(`\n${styled("bold", text)}\n`);

/** A bar on the way to a known end. Nothing where stdout is no terminal: the section's end tells the figures. */
export const bar = (total: number) => {
  const begun = performance.now();
  let drawn = -Infinity;
  const draw = (done: number, text: string) => {
    const share = Math.min(1, done / Math.max(1, total));
    const full = Math.round(share * BAR);
    const line = `${"█".repeat(full)}${styled("dim", "░".repeat(BAR - full))}`;
    write(`\r\u001B[2K   ${line} ${String(Math.round(share * 100)).padStart(3)} %  ${clean(text)}`);
  };
  return {
    show: (done: number, text: string) => {
      if (!isTerminal || performance.now() - drawn < 50) return;
      drawn = performance.now();
      draw(done, text);
    },
    /** Ends the line and tells how long it took, in milliseconds. */
    end: (done: number, text: string): number => {
      if (isTerminal) {
        draw(done, text);
        write("\n");
      }
      return performance.now() - begun;
    },
  };
};

const BAR = 30;

/** Columns of figures as blocks, with the largest figure at the side and words below. */
export const chart = (values: ReadonlyArray<number>, below: readonly [string, string]) => {
  const most = Math.max(...values, 1);
  const side = short(most);
  const rows = Array.from({ length: CHART_ROWS }, (_, index) => {
    const floor = CHART_ROWS - 1 - index;
    const blocks = values.map((value) => {
      // Whatever is not zero shows.
      const eighths = value === 0 ? 0 : Math.max(1, Math.round((value / most) * CHART_ROWS * 8));
      return (BLOCKS[Math.min(8, Math.max(0, eighths - floor * 8))] ?? " ").repeat(2);
    });
    const label = index === 0 ? side : "";
    return `${label.padStart(side.length)} ┤${styled("cyan", blocks.join(""))}`.trimEnd();
  });
  const space = " ".repeat(side.length);
  const [left, right] = below;
  const width = values.length * 2;
  const axis = `${space} └${"─".repeat(width)}`;
  const words = `${space}  ${left}${right.padStart(Math.max(1, width - left.length))}`;
  write(`${indent([...rows, axis, styled("dim", words)].join("\n"))}\n`);
};

const CHART_ROWS = 4;
const BLOCKS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** 15,000 */
export const number = (value: number): string => whole.format(value);

/** 15K */
const short = (value: number): string => compact.format(value);

/** 41 ms, 1.3 s */
export const time = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`;

/** 1.3 MB */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
