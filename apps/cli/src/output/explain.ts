/**
 * Explains failure codes, errors of the packages by their tags, and words on the wire: what each
 * means and what to do.
 */
import { helpOf } from "@game-data/contract/failure";
import {
  errorTags,
  type FailureCode,
  type FailureCodeInfo,
  failureCodes,
} from "@game-data/terminal/failureCodes";
import { facts, type View } from "@game-data/terminal/View";
import { findWireWord, wireWords } from "@game-data/terminal/wireWords";

/** An explanation of a code. */
export interface Explanation extends Partial<FailureCodeInfo> {
  /** The failure code; absent for a word that is no error. */
  readonly code?: FailureCode;
  /** The meaning of a word on the wire, if one was asked for. */
  readonly said?: string;
  /** The page of an error, with its causes. */
  readonly help?: string;
  /** The errors that become this code, or the one that is explained. */
  readonly errors: ReadonlyArray<string>;
}

/** Explains all codes. */
export const explanations = (): ReadonlyArray<Explanation> =>
  (Object.keys(failureCodes) as Array<FailureCode>).map((code) => ({
    code,
    ...failureCodes[code],
    errors: Object.keys(errorTags).filter((tag) => errorTags[tag] === code),
  }));

/** Explains a code, an error by its tag, or a word on the wire: one explanation for each error. */
export const explanationsFor = (text: string): ReadonlyArray<Explanation> => {
  // The address of a page names its error; a tag is written as it is, a code in small letters.
  const name = text.trim().replace(/^https?:.*\/errors\/([^/]+)\/?$/u, "$1");
  if (Object.hasOwn(errorTags, name)) return [ofTag(name)];
  const wanted = name.toLowerCase();
  const code = explanations().find((entry) => entry.code === wanted);
  if (code !== undefined) return [code];
  const tag = Object.keys(errorTags).find((each) => each.toLowerCase() === wanted);
  if (tag !== undefined) return [ofTag(tag)];
  const word = findWireWord(wanted) ?? findWireWord(wanted.replaceAll("-", "_"));
  if (word === undefined) return [];
  const { meaning: said, tags } = word;
  return tags.length === 0
    ? [{ said, errors: [] }]
    : tags.map((each) => ({ said, ...ofTag(each) }));
};

/** Codes, tags and words that hold a text, or are held by it: what a user may have meant. */
export const similarTo = (text: string): ReadonlyArray<string> => {
  const wanted = text.trim().toLowerCase();
  return [...Object.keys(failureCodes), ...Object.keys(errorTags), ...Object.keys(wireWords)]
    .filter((name) => name.toLowerCase().includes(wanted) || wanted.includes(name.toLowerCase()))
    .slice(0, 5);
};

const ofTag = (tag: string): Explanation => {
  const code = errorTags[tag]!;
  return { code, ...failureCodes[code], help: helpOf(tag), errors: [tag] };
};

/** Shows an explanation. */
export const explanationFacts = ({ said, ...entry }: Explanation): View =>
  facts([
    ["said", said],
    [entry.help === undefined ? "errors" : "error", entry.errors.join(", ") || undefined],
    ["code", entry.code],
    ["exit code", entry.exitCode],
    ["meaning", entry.meaning],
    ["next", entry.next],
    ["causes", entry.help],
  ]);
