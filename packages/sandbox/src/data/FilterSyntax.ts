/**
 * Checks the text of an item filter, line by line, against a game version.
 *
 * Every line is judged on its own, so that a text with five mistakes gets five findings. A text of
 * half a megabyte takes a few milliseconds.
 */
import { BLOCKS, OPERATOR, type Rule, ruleOf, type Values } from "./FilterRules.ts";

/** A problem in a line. */
export interface Finding {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The game and the version that a text is checked against. */
export interface Target {
  readonly game: 1 | 2;
  /** Game version, `3.90.0`. */
  readonly version: string;
}

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The findings of a text; none means that it is valid. */
export const findingsOf = (text: string, target: Target): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  let isInBlock = false;
  let blocks = 0;
  text.split("\n").forEach((raw, index) => {
    const line = index + 1;
    const tokens = tokensOf(raw);
    if (typeof tokens === "string") {
      findings.push({ line, message: tokens });
      return;
    }
    const [head, ...rest] = tokens;
    if (head === undefined) return;
    if ((BLOCKS as ReadonlyArray<string>).includes(head.text)) {
      isInBlock = true;
      blocks++;
      if (rest.length > 0)
        findings.push({ line, message: `${head.text} stands alone on its line` });
      return;
    }
    const message = isInBlock
      ? problemOf(head.text, rest, target)
      : `${head.text} stands outside of a block; begin with ${BLOCKS.join(", ")}`;
    if (message !== undefined) findings.push({ line, message });
  });
  if (blocks === 0) findings.push({ line: 1, message: "a filter needs at least one block" });
  return findings;
};

/** Findings as one sentence each, the first ones only. */
export const describe = (findings: ReadonlyArray<Finding>, most = 10): string => {
  const shown = findings.slice(0, most).map(({ line, message }) => `line ${line}: ${message}`);
  const more = findings.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
};

/** The words and quoted texts of a line without its comment, or what is wrong with its quotes. */
const tokensOf = (line: string): ReadonlyArray<Token> | string => {
  const tokens: Array<Token> = [];
  let at = 0;
  while (at < line.length) {
    const char = line[at]!;
    if (char === "#") break;
    if (char === " " || char === "\t" || char === "\r") {
      at++;
    } else if (char === '"') {
      const end = line.indexOf('"', at + 1);
      if (end < 0) return "a quotation mark is not closed";
      tokens.push({ text: line.slice(at + 1, end), isQuoted: true });
      at = end + 1;
    } else {
      let end = at;
      while (end < line.length && !' \t\r"#'.includes(line[end]!)) end++;
      tokens.push({ text: line.slice(at, end), isQuoted: false });
      at = end;
    }
  }
  return tokens;
};

const problemOf = (
  name: string,
  rest: ReadonlyArray<Token>,
  target: Target,
): string | undefined => {
  const rule = ruleOf(name);
  if (rule === undefined) return `${name} is not known`;
  return availability(name, rule, target) ?? valueProblem(name, rule, rest);
};

const availability = (name: string, rule: Rule, target: Target): string | undefined => {
  if (rule.game !== undefined && rule.game !== target.game)
    return `${name} belongs to game ${rule.game}`;
  if (rule.until !== undefined && !isBefore(target.version, rule.until)) {
    return `${name} was removed in version ${rule.until}`;
  }
  return undefined;
};

const isBefore = (version: string, other: string): boolean => {
  const [a, b] = [version.split("."), other.split(".")].map((parts) => parts.map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (a![index] ?? 0) - (b![index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
};

const valueProblem = (name: string, rule: Rule, rest: ReadonlyArray<Token>): string | undefined => {
  const [first, ...others] = rest;
  const operator = first !== undefined && !first.isQuoted ? OPERATOR.exec(first.text) : null;
  if (operator === null || !rule.compares) return check(name, rule.values, rest);
  // A count compares how many of several texts apply.
  if (operator[1] !== "" && rule.values.kind !== "texts") {
    // `>=75` without a space is the operator and its number.
    return check(name, rule.values, [{ text: operator[1]!, isQuoted: false }, ...others]);
  }
  return check(name, rule.values, others);
};

const check = (name: string, values: Values, given: ReadonlyArray<Token>): string | undefined => {
  switch (values.kind) {
    case "nothing":
      return given.length === 0 ? undefined : `${name} takes no value`;
    case "texts":
      return given.length > 0 ? undefined : `${name} needs a text`;
    case "colour":
      return given.length === 3 || given.length === 4
        ? first(given, (token) => single(name, { kind: "number", low: 0, high: 255 }, token))
        : `${name} needs three or four numbers of 0 to 255`;
    case "places":
      if (given.length < values.least) return `${name} needs a value`;
      if (given.length > values.places.length) return `${name} has too many values`;
      return first(given, (token, index) => single(name, values.places[index]!, token));
    case "words":
      if (given.length === 0) return `${name} needs one of ${values.words.join(", ")}`;
      if (given.length > 1 && !values.many) return `${name} has too many values`;
      return first(given, (token) => single(name, values, token));
    default:
      if (given.length === 0) return `${name} needs a value`;
      return given.length > 1 ? `${name} has too many values` : single(name, values, given[0]!);
  }
};

const first = <A>(
  list: ReadonlyArray<A>,
  problem: (one: A, index: number) => string | undefined,
): string | undefined => {
  for (const [index, one] of list.entries()) {
    const found = problem(one, index);
    if (found !== undefined) return found;
  }
  return undefined;
};

const single = (name: string, values: Values, { text }: Token): string | undefined => {
  switch (values.kind) {
    case "number": {
      const isNumber = /^-?\d+$/u.test(text);
      const isInside = Number(text) >= values.low && Number(text) <= values.high;
      return isNumber && isInside
        ? undefined
        : `${name} needs a number of ${values.low} to ${values.high}, not ${text}`;
    }
    case "boolean":
      return /^(?:true|false)$/iu.test(text)
        ? undefined
        : `${name} needs True or False, not ${text}`;
    case "words":
      return values.words.includes(text) ? undefined : `${name} does not know ${text}`;
    default:
      return undefined;
  }
};
