/**
 * Lines of CSV (RFC 4180) with texts that strangers wrote.
 *
 * A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, and a
 * terminal obeys control characters. Such a text gets an apostrophe in front, and its control,
 * bidirectional and invisible characters are escaped; with `isRaw` it stays as it is, for programs that read CSV. Numbers are
 * numbers.
 *
 * @example
 * ```ts
 * import { csvLine } from "@game-data/stream-follower/csv";
 *
 * if (csvLine(["=1+1", -1]) !== "'=1+1,-1\r\n") throw new Error("a formula");
 * ```
 */

/** The value of a cell. */
export type CsvCell = string | number | boolean | null | undefined;

/** A line with its end. */
export const csvLine = (cells: ReadonlyArray<CsvCell>, isRaw = false): string =>
  `${cells.map((cell) => quoted(typeof cell !== "string" || isRaw ? String(cell ?? "") : harmless(cell))).join(",")}\r\n`;

/** What a spreadsheet takes for a formula, white space in front included. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;

/**
 * Characters that steer a terminal, turn the order of a line, or show nothing: C0 and C1 controls,
 * line separators, bidirectional and other format characters, halves of a surrogate pair.
 */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const harmless = (text: string): string => {
  const shown = text.replaceAll(HIDDEN, (character) =>
    // Tabs and line breaks are text of a cell, which quotes hold together.
    /[\t\r\n]/u.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return FORMULA.test(text) ? `'${shown}` : shown;
};

/** Where the list separator is another, a spreadsheet would begin a cell behind it. */
const quoted = (text: string): string =>
  /[",;\t\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
