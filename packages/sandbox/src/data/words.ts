/**
 * Translates between the specification's words and those of the deployment that the sandbox plays
 * (`--words`). Loaded only where words are given.
 */
import {
  isIdentity,
  makeWords,
  matchPath,
  type Words,
  type WordsInput,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import { requestFromWire, responseToWire, urlFromWire } from "./serverWords.ts";

export interface WordsTranslation {
  /** Path and query in neutral words. */
  urlFromWire(url: string): string;
  /** A request's body in neutral words. */
  bodyFromWire(endpoint: string, body: unknown): unknown;
  bodyToWire(endpoint: string, body: unknown): unknown;
}

/** Makes the translation; undefined for the specification's own words. Throws on bad words. */
export const makeTranslation = (
  input: WordsInput,
): { readonly words: Words; readonly translation: WordsTranslation | undefined } => {
  const words = makeWords(input);
  if (isIdentity(words)) return { words, translation: undefined };
  return {
    words,
    translation: {
      urlFromWire: (url) => neutralUrl(url, words),
      bodyFromWire: (endpoint, body) => requestFromWire(endpoint as RouteName, body, words),
      bodyToWire: (endpoint, body) => responseToWire(endpoint as RouteName, body, words),
    },
  };
};

/**
 * A URL in neutral words. A deployment does not know the neutral words that it has replaced: they
 * are made unknown here too, so that a client that forgets to translate is told so.
 */
const neutralUrl = (url: string, words: Words): string => {
  const [path = "", ...queries] = url.split("?");
  const isReplaced = (word: string) =>
    REALMS.some((realm) => realm === word) && !REALMS.some((realm) => words[realm] === word);
  const match = METHODS.map((method) => matchPath(method, path, words)).find(Boolean);
  if (match === undefined && METHODS.some((method) => matchPath(method, path) !== undefined)) {
    return `/unknown-realm${path}`;
  }
  const last = path.slice(path.lastIndexOf("/") + 1);
  const isRealm = match !== undefined && routes[match.name].route.endsWith(":realm?");
  if (isRealm && isReplaced(last)) return `${path}-unknown`;
  const query = queries
    .join("?")
    .replace(/(^|&)realm=([^&]*)/gu, (pair, before: string, word: string) =>
      isReplaced(word) ? `${before}realm=${word}-unknown` : pair,
    );
  return urlFromWire(queries.length === 0 ? path : `${path}?${query}`, words);
};

const METHODS = ["GET", "POST"];
const REALMS = ["console_a", "console_b", "game2"] as const;
