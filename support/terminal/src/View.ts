/**
 * Output for people as data: text, tables and lists of facts. `render` turns it into lines of a
 * given width.
 *
 * Functions that build views are pure and know nothing of the terminal. Characters that steer
 * a terminal are escaped in cells and facts, because names of players and leagues come from other people.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { CliOutput } from "effect/cli";
import Table from "cli-table3";

/** The value of a table cell or a fact. */
export type Cell = string | number | undefined | null;

/** Text, a table, a list of facts, or several of them below one another. */
export type View = string | TableView | FactsView | ReadonlyArray<View>;

/** A table with a title per column. */
export interface TableView {
  readonly _tag: "Table";
  readonly columns: ReadonlyArray<string>;
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>;
  /** Printed if there are no rows. */
  readonly whenEmpty: string;
}

/** Names and values. */
export interface FactsView {
  readonly _tag: "Facts";
  readonly pairs: ReadonlyArray<readonly [name: string, value: Cell]>;
}

/** Makes a table. Columns that hold only numbers are aligned to the right. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  whenEmpty = "(none)",
): TableView => ({ _tag: "Table", columns, rows, whenEmpty });

/** Makes a list of facts, one a line. Facts without a value are omitted. */
export const facts = (pairs: FactsView["pairs"]): FactsView => ({ _tag: "Facts", pairs });

/** A style of `util.styleText`, or several. */
export type Style = Parameters<typeof styleText>[0];

/** Styles a text. `render` removes styles where the stream shows no colour. */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { validateStream: false });

/**
 * Characters that steer a terminal, turn the order of a line, or show nothing: C0 and C1 controls,
 * line separators, bidirectional and other format characters, halves of a surrogate pair.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Shows characters that steer a terminal or show nothing as escapes: `\u{202e}`. */
export const clean = (text: string): string =>
  text.replaceAll(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** `clean` for each line of a text that has several, such as a file. */
export const cleanText = (text: string): string =>
  text
    .split(/(\r?\n|\t)/u)
    .map((part, index) => (index % 2 === 1 ? part : clean(part)))
    .join("");

/** JSON with those characters as its own escapes. */
export const cleanJson = (json: string): string =>
  json.replaceAll(HIDDEN, (character) =>
    character === "\n"
      ? character
      : Array.from(
          { length: character.length },
          (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
        ).join(""),
  );

/**
 * `clean` for a message. It may hold what a service wrote, so its further lines are set off: none
 * of them looks like a line of the program.
 */
export const cleanLines = (text: string): string => text.split(/\r?\n/u).map(clean).join("\n  │ ");

/** Options for rendering a view. */
export interface RenderOptions {
  /** Columns of the terminal. Tables are cut to fit. Default: no limit. */
  readonly width?: number | undefined;
  /** Whether styles are kept. */
  readonly color: boolean;
}

/** Renders a view as lines. */
export const render = (view: View, options: RenderOptions): string => {
  const text = renderStyled(view, options.width ?? Infinity);
  return options.color ? text : stripVTControlCharacters(text);
};

const renderStyled = (view: View, width: number): string => {
  if (typeof view === "string") return view;
  if (!("_tag" in view)) return view.map((each) => renderStyled(each, width)).join("\n");
  return view._tag === "Table" ? renderTable(view, width) : renderFacts(view);
};

const renderFacts = ({ pairs }: FactsView): string => {
  const present = pairs.filter(([, value]) => value != null);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) => `${styled("bold", name.padEnd(width))}  ${clean(String(value))}`)
    .join("\n");
};

const GAP = "  ";

/** No lines between cells, and two spaces between columns. */
const CHARS = {
  ...Object.fromEntries(
    ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left"]
      .concat(["bottom-right", "left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
      .map((name) => [name, ""]),
  ),
  middle: GAP,
};

const renderTable = ({ columns, rows, whenEmpty }: TableView, width: number): string => {
  if (rows.length === 0) return styled("dim", whenEmpty);
  const cells = rows.map((row) => columns.map((_, index) => clean(String(row[index] ?? ""))));
  const isNumeric = columns.map((_, index) =>
    rows.every((row) => typeof row[index] === "number" || row[index] == null),
  );
  const widths = columns.map((title, index) =>
    Math.max(...[title, ...cells.map((row) => row[index]!)].map(CliOutput.displayWidth)),
  );
  const rendered = new Table({
    chars: CHARS,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    head: columns.map((title) => styled("bold", title)),
    colAligns: isNumeric.map((toTheRight) => (toTheRight ? "right" : "left")),
    colWidths: fit(widths, isNumeric, width - GAP.length * (columns.length - 1)),
  });
  rendered.push(...cells);
  const lines = rendered.toString().split("\n");
  return lines.map((line) => line.trimEnd()).join("\n");
};

/** A column of text is not cut below this width. */
const MIN_WIDTH = 8;

/** Cuts the widest columns of text until the sum fits. Numbers are never cut. */
const fit = (
  widths: ReadonlyArray<number>,
  isFixed: ReadonlyArray<boolean>,
  available: number,
): Array<number> => {
  const fitted = [...widths];
  const sum = () => fitted.reduce((total, width) => total + width, 0);
  while (sum() > available) {
    const widest = Math.max(...fitted.filter((_, index) => !isFixed[index]));
    if (widest <= MIN_WIDTH) break;
    fitted[fitted.findIndex((width, index) => width === widest && !isFixed[index])] = widest - 1;
  }
  return fitted;
};
