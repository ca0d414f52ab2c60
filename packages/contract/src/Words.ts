/**
 * The realm names of a deployment, and its word for `livestream`.
 *
 * The specification writes `console_a`, `console_b`, `game2` and `livestream` where a deployment
 * may have other words. The packages use the neutral words throughout; at the edge a request's URL
 * and a few members of small bodies are translated (`Translation`). With `identityWords` (the
 * default everywhere) nothing is ever touched.
 */
import { helpOf } from "./helpOf.ts";

/** A deployment's word for each neutral one. `pc` is `pc` everywhere. */
export interface Words {
  readonly console_a: string;
  readonly console_b: string;
  readonly game2: string;
  readonly livestream: string;
}

/** The words that differ from the specification's, as a file may hold them. */
export type WordsInput = { readonly [Word in keyof Words]?: string | undefined };

/** The specification's own words. */
export const identityWords: Words = {
  console_a: "console_a",
  console_b: "console_b",
  game2: "game2",
  livestream: "livestream",
};

/**
 * The words of a deployment cannot be used: one is no segment of a path, or two realms have the
 * same one.
 *
 * What to do: correct the member that `word` names.
 */
export class WordsInvalid extends Error {
  readonly _tag = "WordsInvalid";
  override readonly name = "WordsInvalid";
  /** The member at fault; absent if the whole value is no object. */
  readonly word: string | undefined;
  readonly reason: string;

  constructor(word: string | undefined, reason: string) {
    // The name comes from a file, and may be of any length.
    const name = word?.slice(0, 200);
    super(`Invalid words of a deployment: ${name === undefined ? "" : `${name} `}${reason}.`);
    this.word = name;
    this.reason = reason;
  }

  /** Whether the same call may succeed if retried. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return helpOf(this._tag);
  }

  toJSON(): object {
    const { _tag, help, word, reason, message } = this;
    return { _tag, ...(word === undefined ? {} : { word }), reason, message, help };
  }
}

const isNeutral = (word: string): word is keyof Words => Object.hasOwn(identityWords, word);

/**
 * A deployment's words from those that differ. Throws `WordsInvalid` for a member that is no
 * neutral word, a word that is no segment of a path, and two realms with the same one.
 *
 * @example
 * ```ts
 * import { makeWords } from "@game-data/contract";
 *
 * const words = makeWords({ console_a: "box", console_b: "station", game2: "second" });
 * console.log(words.livestream); // livestream
 * ```
 */
export const makeWords = (input: WordsInput): Words => {
  const entries = entriesOf(input).filter(([, word]) => word !== undefined);
  for (const [key, word] of entries) {
    if (!isNeutral(key))
      throw new WordsInvalid(key, `is none of ${Object.keys(identityWords).join(", ")}`);
    if (typeof word !== "string" || !/^[A-Za-z0-9_-]+$/u.test(word))
      throw new WordsInvalid(key, "must be letters, digits, _ and -");
  }
  const words: Words = { ...identityWords, ...Object.fromEntries(entries) };
  const realms: ReadonlyArray<readonly [string, string]> = [
    ["pc", "pc"],
    ...Object.entries(words).filter(([key]) => key !== "livestream"),
  ];
  for (const [key, word] of realms) {
    const [twin] = realms.find((other) => other[1] === word)!;
    if (twin !== key) throw new WordsInvalid(key, `must not be the word of ${twin}`);
  }
  if (BESIDE_LIVESTREAM.includes(words.livestream))
    throw new WordsInvalid("livestream", "must not be another member of its records");
  return words;
};

/** The members of what may be anything; a getter or a proxy may throw, with secrets in its text. */
const entriesOf = (input: unknown): ReadonlyArray<readonly [string, unknown]> => {
  let key: string | undefined;
  try {
    // A list or a map has no words as members. A class may have them, and not list them.
    if (typeof input === "object" && !(Symbol.iterator in input!))
      return [...new Set([...Object.keys(input!), ...Object.keys(identityWords)])].map((name) => [
        (key = name),
        (input as any)[name],
      ]);
  } catch {
    // As null, whose members cannot be read either.
  }
  throw new WordsInvalid(key, key === undefined ? "must be an object" : "must be readable");
};

/** The other members of the records that have `livestream`: profiles and accounts. */
export const BESIDE_LIVESTREAM = ["uuid", "name", "locale", "realm", "guild", "challenges"];

/** Whether these words are the specification's own, so that nothing needs translation. */
export const isIdentity = (words: Words): boolean =>
  Object.keys(identityWords).every((key) => words[key as keyof Words] === key);

/** The realms that a deployment may call otherwise. */
export const wordedRealms = ["console_a", "console_b", "game2"] as const;

/** A realm in a deployment's words, or in those that differ; any other string stays as it is. */
export const realmToWire = (realm: string, words?: WordsInput): string =>
  words?.[wordedRealms.find((one) => one === realm)!] ?? realm;

/** The realm that a deployment's word means; any other string is returned as it is. */
export const realmFromWire = (word: string, words: Words): string =>
  wordedRealms.find((realm) => words[realm] === word) ?? word;
