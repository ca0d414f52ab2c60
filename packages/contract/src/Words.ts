/**
 * The realm names of a deployment, and its word for `livestream`, if they differ from the
 * specification's. The packages use the specification's words everywhere. URLs and a few members of
 * small bodies are translated when they are sent or received (`routes/translate.ts`).
 */
import { PlainFailure } from "./PlainFailure.ts";

/** A deployment's word for each word of the specification. `pc` has no other name. */
export interface Words {
  readonly console_a: string;
  readonly console_b: string;
  readonly game2: string;
  readonly livestream: string;
}

/** The words of a deployment that differ from the specification's, as in a JSON file. */
export type WordsInput = { readonly [Word in keyof Words]?: string | undefined };

/** The words of a deployment that renames nothing. */
export const identityWords: Words = {
  console_a: "console_a",
  console_b: "console_b",
  game2: "game2",
  livestream: "livestream",
};

const WORDS: ReadonlyArray<string> = Object.keys(identityWords);

/** The realms that have another name in some deployments. `pc` has the same name in all. */
export const renamableRealms = ["console_a", "console_b", "game2"] as const;

/** Members beside `livestream` in profiles and accounts. A word for `livestream` must differ. */
export const SIBLINGS_OF_LIVESTREAM = ["uuid", "name", "locale", "realm", "guild", "challenges"];

/** The addresses of a service (§1), and its words for realms and `livestream`. */
export interface Deployment {
  /** {auth_url}: address of the OAuth server. */
  readonly authUrl: string;
  /** {base_url}: address of the data API. */
  readonly baseUrl: string;
  /** Default: the specification's words. */
  readonly words?: Words | undefined;
}

/**
 * The words of a deployment cannot be used: a word is not a path segment, or two realms are equal.
 *
 * What to do: correct the member that `word` names.
 */
export class WordsInvalid extends PlainFailure<"WordsInvalid"> {
  /** The invalid member. Absent if the whole value is not an object. */
  declare readonly word?: string;
  declare readonly reason: string;

  constructor(word: string | undefined, reason: string) {
    // The member's name is a key of the caller's object, so its length is bounded.
    const name = word?.slice(0, 200);
    const subject = name === undefined ? "" : `${name} `;
    super("WordsInvalid", `Invalid words of a deployment: ${subject}${reason}.`);
    if (name !== undefined) this.word = name;
    this.reason = reason;
  }
}

/**
 * Returns a deployment's words from the words that differ from the specification's. Throws
 * `WordsInvalid` for an unknown member, for a word that is not a path segment, and for two realms
 * with the same word.
 */
export const makeWords = (input: WordsInput): Words => {
  // Refuses iterables, because a Map of words would pass as an object without words.
  if (typeof input !== "object" || input === null || Symbol.iterator in input)
    throw new WordsInvalid(undefined, "must be an object");
  const entries = Object.entries(input).filter(([, word]) => word !== undefined);
  for (const [key, word] of entries) {
    if (!WORDS.includes(key)) throw new WordsInvalid(key, `must be one of ${WORDS.join(", ")}`);
    if (typeof word !== "string" || !/^[A-Za-z0-9_-]+$/u.test(word))
      throw new WordsInvalid(key, "must be letters, digits, _ and -");
  }
  const words: Words = { ...identityWords, ...Object.fromEntries(entries) };
  const ownerByWord = new Map([["pc", "pc"]]);
  for (const realm of renamableRealms) {
    const owner = ownerByWord.get(words[realm]);
    if (owner !== undefined) throw new WordsInvalid(realm, `must not be the word of ${owner}`);
    ownerByWord.set(words[realm], realm);
  }
  if (SIBLINGS_OF_LIVESTREAM.includes(words.livestream))
    throw new WordsInvalid("livestream", "must not be another member of its records");
  return words;
};

/** Whether the words are the specification's own, so that nothing needs translation. */
export const isIdentity = (words: Words): boolean =>
  WORDS.every((word) => words[word as keyof Words] === word);

/** Returns a deployment's word for a realm, and any other text unchanged. */
export const realmToWire = (realm: string, words?: WordsInput): string =>
  words?.[renamableRealms.find((known) => known === realm)!] ?? realm;

/** Returns the realm that a deployment's word names, and any other text unchanged. */
export const realmFromWire = (word: string, words: Words): string =>
  renamableRealms.find((realm) => words[realm] === word) ?? word;
