/**
 * Output for people as data: text, tables and lists of facts. `render` turns it into lines of a
 * given width.
 *
 * Functions that build views are pure and know nothing of the terminal. Characters that steer
 * a terminal are escaped in cells and facts, because names of players and leagues come from other people.
 */
import { HIDDEN } from "@game-data/stream-follower/csv";
import { stripVTControlCharacters, styleText } from "node:util";
import { CliOutput } from "effect/cli";
import Table from "cli-table3";
import wrapAnsi from "wrap-ansi";

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
 * `clean` for a message behind a label. It may hold what a service wrote, so its further lines are
 * set off, those of a width as well: none of them looks like a line of the program.
 */
export const cleanLines = (text: string, width = Infinity): string =>
  text
    .split(/\r?\n/u)
    .map((line) => wrap(clean(line), width - LABEL_WIDTH).replaceAll("\n", "\n    "))
    .join("\n  │ ");

/** Room for `error: ` and for what sets a line off. */
const LABEL_WIDTH = 8;

/** Options for rendering a view. */
export interface RenderOptions {
  /** Columns of the terminal: no line is wider. Default: no limit. */
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
  if (typeof view === "string") return wrapLines(view, width);
  if (!("_tag" in view)) return view.map((each) => renderStyled(each, width)).join("\n");
  return view._tag === "Table" ? renderTable(view, width) : renderFacts(view, width);
};

const renderFacts = ({ pairs }: Omit<FactsView, "_tag">, width: number): string => {
  const present = pairs.filter(([, value]) => value != null);
  const longest = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) =>
      beside(`${styled("bold", name.padEnd(longest))}  `, clean(String(value)), width),
    )
    .join("\n");
};

/** A column of text is not narrower: a table becomes a list of facts for each row. */
const MIN_WIDTH = 14;

/** Breaks long words too, but never an address: a broken one cannot be copied. */
const wrap = (text: string, width: number) =>
  width === Infinity ? text : wrapAnsi(text, width, { hard: !/https?:\/\//u.test(text) });

/** A text behind its label, wrapped; below the label where too little room is left beside it. */
const beside = (label: string, text: string, width: number): string => {
  const column = CliOutput.displayWidth(label);
  if (column + CliOutput.displayWidth(text) <= width) return label + text;
  const hasRoom = width - column >= MIN_WIDTH;
  const indent = hasRoom ? column : (/^ */u.exec(label)![0]?.length ?? 0) + 2;
  const wrapped = wrap(text, Math.max(1, width - indent));
  const lines = wrapped.split("\n").map((line) => " ".repeat(indent) + line);
  return hasRoom
    ? label + lines.join("\n").slice(indent)
    : [...(label.trim() === "" ? [] : [wrapLines(label.trimEnd(), width)]), ...lines].join("\n");
};

/** Wraps each line of a text below its second column, or below its own beginning. */
export const wrapLines = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => {
      if (CliOutput.displayWidth(line) <= width) return line;
      const rest = secondColumn(line);
      const label = line.slice(0, line.length - rest.length);
      return label === "" ? wrap(rest, width) : beside(label, rest, width);
    })
    .join("\n");

/** What stands behind the first gap of two spaces in a line, else behind its indent. */
const secondColumn = (line: string): string => {
  const text = line.trimStart();
  const gap = text.search(/\s{2}/u);
  const second = gap < 0 ? "" : text.slice(gap).trimStart();
  return second === "" ? text : second;
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
  const available = width - GAP.length * (columns.length - 1);
  const least = widths.map((each, index) => (isNumeric[index] ? each : Math.min(each, MIN_WIDTH)));
  if (sum(least) > available)
    return rows
      .map((row) => columns.map((title, at) => [title, row[at] === "" ? null : row[at]] as const))
      .map((pairs) => renderFacts({ pairs }, width))
      .join("\n\n");
  const rendered = new Table({
    chars: CHARS,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    head: columns.map((title) => styled("bold", title)),
    colAligns: isNumeric.map((toTheRight) => (toTheRight ? "right" : "left")),
    colWidths: fit(widths, isNumeric, available),
  });
  rendered.push(...cells);
  const lines = rendered.toString().split("\n");
  return lines.map((line) => line.trimEnd()).join("\n");
};

const sum = (widths: ReadonlyArray<number>) => widths.reduce((total, width) => total + width, 0);

/** Cuts the widest columns of text until the sum fits. Numbers are never cut. */
const fit = (
  widths: ReadonlyArray<number>,
  isFixed: ReadonlyArray<boolean>,
  available: number,
): Array<number> => {
  const fitted = [...widths];
  while (sum(fitted) > available) {
    const widest = Math.max(...fitted.filter((_, index) => !isFixed[index]));
    fitted[fitted.findIndex((width, index) => width === widest && !isFixed[index])] = widest - 1;
  }
  return fitted;
};
