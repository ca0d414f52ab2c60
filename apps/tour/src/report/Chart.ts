/**
 * Figures as columns of blocks, a few lines high: for a glance at a terminal, not for reading
 * values off.
 */
import { styled } from "@game-data/terminal/Output";

/** How a chart is drawn. */
export interface ChartOptions {
  /** What stands below the first and the last column. */
  readonly below: readonly [first: string, last: string];
  /** Lines of blocks. Default: 4. */
  readonly height?: number;
}

/**
 * A column for each value, from zero to the largest one, whose figure stands at the side. Whatever
 * is above zero shows.
 */
export const chart = (
  values: ReadonlyArray<number>,
  { below: [first, last], height = 4 }: ChartOptions,
): string => {
  const most = Math.max(...values, 1);
  const side = compact.format(most);
  const space = " ".repeat(side.length);
  const eighths = values.map((value) =>
    value <= 0 ? 0 : Math.max(1, Math.round((value / most) * height * 8)),
  );
  const rows = Array.from({ length: height }, (_, index) => {
    const floor = (height - 1 - index) * 8;
    const blocks = eighths.map((filled) => blockOf(filled - floor).repeat(COLUMN)).join("");
    return `${index === 0 ? side : space} ┤${styled("cyan", blocks.trimEnd())}`;
  });
  const width = values.length * COLUMN;
  const words = `${space}  ${first}${last.padStart(Math.max(1, width - first.length))}`;
  return [...rows, `${space} └${"─".repeat(width)}`, styled("dim", words)].join("\n");
};

/** Characters of a column's width. */
const COLUMN = 2;
const BLOCKS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

const blockOf = (eighths: number): string => BLOCKS[Math.min(8, Math.max(0, eighths))] ?? " ";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
