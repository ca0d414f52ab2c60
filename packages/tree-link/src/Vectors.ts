/**
 * The form of `vectors/tree-link.json`, and the check of a codec against it. In the manner of
 * Wycheproof: each case has flags, a note and a result.
 */
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";
import { TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { reading } from "./internal/reading.ts";

/** A codec to test. What it throws is a finding; a refusal is `undefined`. */
export interface Codec {
  readonly decode: (payload: string) => TreeLink | undefined;
  /** Left out by programs that only read links. `link` may be anything. */
  readonly encode?: (link: unknown) => string | undefined;
}

/** The rule that a case tests. */
export type Flag =
  | "text"
  | "white"
  | "invisible"
  | "stop"
  | "alphabet"
  | "unicode"
  | "url"
  | "padding"
  | "tail"
  | "header"
  | "version"
  | "fullscreen"
  | "truncated"
  | "trailing"
  | "count"
  | "long"
  | "value"
  | "order"
  | "encode"
  | "encode-refused";

/**
 * A long list: entry i is `(first + i * step) mod 65536`. Of a mastery effect that is the node, and
 * the effect is 65535 less it.
 */
export interface Run {
  readonly count: number;
  readonly first: number;
  readonly step: number;
}

/** A link whose long lists are runs. */
export type VectorLink = Readonly<Record<string, unknown>>;

/** One case. */
export interface VectorCase {
  readonly id: string;
  readonly flags: ReadonlyArray<Flag>;
  readonly note: string;
  /**
   * `decode`: `payload` is read. `encode`: `link` is written. `both`: each gives the other.
   */
  readonly direction: "decode" | "encode" | "both";
  readonly payload?: string;
  readonly link?: VectorLink;
  /** `acceptable`: a payload without padding, about which the specification is silent. */
  readonly result: "valid" | "invalid" | "acceptable";
  /** What this package says; other codecs have words of their own. */
  readonly reason?: TreeLinkReason;
  /** In characters or bytes of the payload, or entries of the field: as `TreeLinkError` has it. */
  readonly offset?: number;
}

/** The file. */
export interface VectorFile {
  readonly format: 2;
  readonly flags: Readonly<Record<Flag, string>>;
  readonly cases: ReadonlyArray<VectorCase>;
}

/** Something to ask a codec. */
export type Question = { readonly decode: string } | { readonly encode: unknown };

/** What a codec did: read, wrote, refused (`undefined`), or threw. */
export type Answer = { readonly value: unknown } | { readonly thrown: string };

/**
 * Asks a codec. `undefined`: it has no `encode`.
 *
 * @throws TreeLinkError `invalid-type` if it answers with a promise.
 */
export const ask = (codec: Codec, question: Question): Answer | undefined => {
  const answer = answerOf(codec, question);
  if (answer === undefined || !("value" in answer) || !isPromise(answer.value)) return answer;
  // Its rejection would end the process.
  answer.value.then(undefined, () => {});
  const name = "decode" in question ? "codec.decode" : "codec.encode";
  const hint = " It returns a promise. A program that the command asks may take its time.";
  throw new TreeLinkError(["invalid-type", 0, name, undefined, hint], "element");
};

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";

const answerOf = (codec: Codec, question: Question): Answer | undefined => {
  try {
    if ("decode" in question) return { value: codec.decode(question.decode) };
    return codec.encode === undefined ? undefined : { value: codec.encode(question.encode) };
  } catch (error) {
    return { thrown: error instanceof Error ? error.name : typeof error };
  }
};

/** The questions of a case, and the answers that it accepts. `undefined`: refused. */
export const questionsOf = (
  one: VectorCase,
): ReadonlyArray<{ readonly question: Question; readonly accepts: ReadonlyArray<unknown> }> => {
  const link = one.link && expand(one.link);
  const isSound = one.result !== "invalid";
  const questions = [];
  if (one.direction !== "encode")
    questions.push({
      question: { decode: one.payload! },
      accepts: [...(isSound ? [link] : []), ...(one.result === "valid" ? [] : [undefined])],
    });
  if (one.direction !== "decode")
    questions.push({
      question: { encode: link },
      accepts: isSound ? [one.payload, unpadded(one.payload!)] : [undefined],
    });
  return questions;
};

/** The payload without its padding. */
export const unpadded = (payload: string): string => payload.replace(/={1,2}$/u, "");

/** Writes out the runs of a link. */
export const expand = (link: VectorLink): VectorLink =>
  Object.fromEntries(
    Object.entries(link).map(([name, value]) => {
      if (!isRun(value)) return [name, value];
      const { count, first, step } = value;
      const list = Array.from({ length: count }, (_, i) => (first + i * step) % 65_536);
      return [name, name === "masteries" ? list.map(pair) : list];
    }),
  );

const pair = (node: number): MasteryEffect => ({ node, effect: 65_535 - node });

const isRun = (value: unknown): value is Run =>
  typeof value === "object" && value !== null && "count" in value && "step" in value;

/** JSON in ASCII: some readers of lines also end them at U+2028, and others lose surrogates. */
export const toAscii = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Whether two answers are equal as JSON values, whatever the order of members. */
export const isEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isEqual((a as VectorLink)[key], (b as VectorLink)[key]))
  );
};

/** Whether an answer is among those that are accepted. */
export const accepts = (
  right: { readonly accepts: ReadonlyArray<unknown> },
  answer: Answer,
): boolean => "value" in answer && right.accepts.some((one) => isEqual(answer.value, one));

/** Whether a codec answers a case as it must. A codec without `encode` passes what it cannot do. */
export const passes = (codec: Codec, one: VectorCase): boolean =>
  reading("case", () => questionsOf(one)).every((right) => {
    const answer = ask(codec, right.question);
    return answer === undefined || accepts(right, answer);
  });
