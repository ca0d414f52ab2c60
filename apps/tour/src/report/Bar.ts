/**
 * A bar on the way to a known end, redrawn in place.
 *
 * For what takes seconds and has a total; without a total see `progress` of `Output`. Nothing is
 * drawn where the stream is no terminal: say how it ended in a line of your own.
 */
import { styleText } from "node:util";
import { clean } from "@game-data/terminal/Output";

/** Where a bar is drawn: `process.stdout`, `process.stderr`, or the like. */
export type BarStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** A bar that was begun. */
export interface Bar {
  /** Shows how far things are. Redrawn twenty times a second at most, however often it is told. */
  readonly show: (done: number, text: string) => void;
  /** Draws the end and leaves the line. Gives the milliseconds since the bar was begun. */
  readonly end: (done: number, text: string) => number;
}

/** Begins a bar. */
export const bar = (
  total: number,
  {
    indent = "",
    stream = process.stderr,
  }: { readonly indent?: string; readonly stream?: BarStream } = {},
): Bar => {
  const begun = performance.now();
  const isTerminal = stream.isTTY === true;
  let drawn = -Infinity;
  const draw = (done: number, text: string, end = "") => {
    const share = Math.min(1, done / Math.max(1, total));
    const full = Math.round(share * WIDTH);
    const rest = styleText("dim", "░".repeat(WIDTH - full), { stream });
    const percent = `${Math.round(share * 100)}`.padStart(3);
    stream.write(
      `\r${CLEAR_LINE}${indent}${"█".repeat(full)}${rest} ${percent} %  ${clean(text)}${end}`,
    );
  };
  return {
    show: (done, text) => {
      if (!isTerminal || performance.now() - drawn < PAUSE_MILLIS) return;
      drawn = performance.now();
      draw(done, text);
    },
    end: (done, text) => {
      if (isTerminal) draw(done, text, "\n");
      return performance.now() - begun;
    },
  };
};

const WIDTH = 30;
const PAUSE_MILLIS = 50;
const CLEAR_LINE = "\u001B[2K";
