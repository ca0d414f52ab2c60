/**
 * Checks the text of an item filter, line by line, against a game version.
 *
 * The specification names the syntax without showing it (§4.2). Checks only what a text of any game
 * has: blocks, closed quotes, statements within a block, and a few statements that one game or
 * version knows. Operands are not checked, so a future statement is not a mistake.
 */

interface Finding {
  /** Number of the line, counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The game and the version that a text is checked against. */
interface Target {
  readonly game: 1 | 2;
  /** Game version, such as `3.90.0`. */
  readonly version: string;
}

const BLOCKS = ["Show", "Hide", "Minimal"];

/** Statements that belong to one game. `until` is the version that removed the statement. */
const LIMITED: Readonly<Record<string, { readonly game: 1 | 2; readonly until?: string }>> = {
  LinkedSockets: { game: 1 },
  Prophecy: { game: 1, until: "3.17.0" },
  UnidentifiedItemTier: { game: 2 },
};

/** Returns the mistakes in a filter text. The text is valid if there are none. */
export const findingsOf = (text: string, target: Target): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  let isInBlock = false;
  for (const [index, line] of text.split("\n").entries()) {
    const isOpening = BLOCKS.includes(/^\s*(\w+)/u.exec(line)?.[1] ?? "");
    const message = isOpening ? openingProblem(line) : problemOf(line, isInBlock, target);
    isInBlock ||= isOpening;
    if (message !== undefined) findings.push({ line: index + 1, message });
  }
  if (!isInBlock) findings.push({ line: 1, message: "a filter needs at least one block" });
  return findings;
};

/** Formats the first `most` findings, and the number of the others. */
export const describe = (findings: ReadonlyArray<Finding>, most = 10): string => {
  const shown = findings.slice(0, most).map(({ line, message }) => `line ${line}: ${message}`);
  const more = findings.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
};

const openingProblem = (line: string): string | undefined =>
  /^\s*\w+\s*(?:#|$)/u.test(line)
    ? undefined
    : `${line.trim().split(/\s/u)[0]} stands alone on its line`;

const problemOf = (line: string, isInBlock: boolean, target: Target): string | undefined => {
  const bare = line.replaceAll(/"[^"]*"|#.*/gu, "");
  const [name = ""] = bare.trim().split(/\s/u);
  if (name === "") return undefined;
  if (bare.includes('"')) return "a quotation mark is not closed";
  if (!/^[A-Z][A-Za-z]*$/u.test(name)) return `${name} is no statement`;
  if (!isInBlock) return `${name} stands outside of a block; begin with ${BLOCKS.join(", ")}`;
  const limited = Object.hasOwn(LIMITED, name) ? LIMITED[name] : undefined;
  if (limited === undefined) return undefined;
  if (limited.game !== target.game) return `${name} belongs to game ${limited.game}`;
  return limited.until === undefined || isBefore(target.version, limited.until)
    ? undefined
    : `${name} was removed in version ${limited.until}`;
};

const isBefore = (version: string, other: string): boolean =>
  version.localeCompare(other, "en", { numeric: true }) < 0;
