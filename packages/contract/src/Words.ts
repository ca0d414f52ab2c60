/**
 * The words that a deployment uses on the wire for the specification's neutral ones.
 *
 * The specification writes `console_a`, `console_b`, `game2` and `livestream` where a deployment
 * may have other words. The packages use the neutral words throughout; at the edge a request's URL
 * and a few members of small bodies are translated (`Translation`). With `identityWords` (the
 * default everywhere) nothing is ever touched.
 */
import * as Schema from "effect/Schema";

/** A deployment's word for each neutral one. `pc` is `pc` everywhere. */
export interface Words {
  readonly console_a: string;
  readonly console_b: string;
  readonly game2: string;
  readonly livestream: string;
}

/** The specification's own words. */
export const identityWords: Words = {
  console_a: "console_a",
  console_b: "console_b",
  game2: "game2",
  livestream: "livestream",
};

const Word = /*#__PURE__*/ Schema.String.check(
  /*#__PURE__*/ Schema.isPattern(/^[A-Za-z0-9_-]+$/u),
).annotate({ description: "letters, digits, _ and -" });

/** Words as a file may hold them: those that differ, the others are the specification's. */
export const WordsInput = /*#__PURE__*/ Schema.Struct({
  console_a: Schema.optionalKey(Word),
  console_b: Schema.optionalKey(Word),
  game2: Schema.optionalKey(Word),
  livestream: Schema.optionalKey(Word),
}).check(
  /*#__PURE__*/ Schema.makeFilter((input) => {
    const { console_a, console_b, game2 } = { ...identityWords, ...input };
    return (
      new Set(["pc", console_a, console_b, game2]).size === 4 ||
      "the words for realms must differ from each other and from pc"
    );
  }),
);

/** Words as a file may hold them. */
export interface WordsInput extends Schema.Schema.Type<typeof WordsInput> {}

const checkWords = /*#__PURE__*/ Schema.decodeUnknownSync(WordsInput);

/**
 * A deployment's words from those that differ. Throws when a word cannot stand in a path or when
 * two realms would share one.
 *
 * @example
 * ```ts
 * import { makeWords } from "@game-data/contract";
 *
 * const words = makeWords({ console_a: "box", console_b: "station", game2: "second" });
 * console.log(words.livestream); // livestream
 * ```
 */
export const makeWords = (input: WordsInput): Words => ({ ...identityWords, ...checkWords(input) });

/** Whether these words are the specification's own, so that nothing needs translation. */
export const isIdentity = (words: Words): boolean =>
  words === identityWords ||
  (Object.keys(identityWords) as Array<keyof Words>).every((key) => words[key] === key);

/** A realm in a deployment's words; any other string is returned as it is. */
export const realmToWire = (realm: string, words: Words): string =>
  realm === "console_a" || realm === "console_b" || realm === "game2" ? words[realm] : realm;

/** The realm that a deployment's word means; any other string is returned as it is. */
export const realmFromWire = (word: string, words: Words): string =>
  (["console_a", "console_b", "game2"] as const).find((realm) => words[realm] === word) ?? word;
