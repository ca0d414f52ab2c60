/**
 * Writes lines of CSV (RFC 4180) with texts of unknown authors.
 *
 * A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return,
 * and a terminal interprets control characters. Such a text gets an apostrophe in front, and its
 * control, bidirectional and invisible characters are escaped. `isRaw` keeps every text as it is,
 * for programs that read CSV.
 */

export type CsvCell = string | number | boolean | null | undefined;

/** Returns the cells as one line of CSV, which ends with CRLF. */
export const csvLine = (cells: ReadonlyArray<CsvCell>, isRaw = false): string => {
  const texts = cells.map((cell) =>
    quoted(typeof cell === "string" && !isRaw ? harmless(cell) : String(cell ?? "")),
  );
  return `${texts.join(",")}\r\n`;
};

/** Matches the beginning of a formula, with white space and invisible characters before it. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;

/**
 * Matches characters that control a terminal, reverse the order of a line, or are invisible: C0 and
 * C1 controls, line separators, bidirectional and other format characters, lone surrogates.
 */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const harmless = (text: string): string => {
  const shown = text.replaceAll(HIDDEN, (character) =>
    // Tabs and line breaks stay, because quotes keep the text of a cell together.
    /[\t\r\n]/u.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return FORMULA.test(text) ? `'${shown}` : shown;
};

/** Quotes also texts with tabs and semicolons, because some spreadsheets split cells at them. */
const quoted = (text: string): string =>
  /[",;\t\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
