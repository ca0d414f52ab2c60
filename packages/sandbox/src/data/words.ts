/**
 * Translates between the specification's words and those of the deployment that the sandbox plays
 * (`--words`): URLs and bodies of requests arrive in the deployment's words, bodies of responses
 * leave in them.
 */
import {
  isIdentity,
  makeWords,
  matchPath,
  realmFromWire,
  realmToWire,
  requestFromWire,
  requestPath,
  responseToWire,
  type Route,
  type RouteName,
  routes,
  type Words,
  type WordsInput,
} from "@game-data/contract/routes";

export interface WordsTranslation {
  /** Translates a path and query into the specification's words. */
  urlFromWire(url: string): string;
  /** Translates the body of a request into the specification's words. */
  bodyFromWire(endpoint: RouteName, body: unknown): unknown;
  bodyToWire(endpoint: RouteName, body: unknown): unknown;
  /** Replaces the specification's realms in a message by the deployment's. */
  messageToWire(message: string): string;
}

/** Makes the translation to a deployment's words; undefined if all are equal. Throws if invalid. */
export const makeTranslation = (input: WordsInput): WordsTranslation | undefined => {
  const words = makeWords(input);
  if (isIdentity(words)) return undefined;
  return {
    urlFromWire: (url) => neutralUrl(url, words),
    bodyFromWire: (endpoint, body) => {
      const { realm } = Object(body) as { readonly realm?: string };
      const isUnknown = realm !== undefined && isReplaced(realm, words);
      return isUnknown
        ? { ...(body as object), realm: `${realm}-unknown` }
        : requestFromWire(endpoint, body, words);
    },
    bodyToWire: (endpoint, body) => responseToWire(endpoint, body, words),
    messageToWire: (message) =>
      message.replaceAll(/\b(?:console_[ab]|game2)\b/gu, (realm) => realmToWire(realm, words)),
  };
};

const METHODS = ["GET", "POST"];
const REALMS = ["console_a", "console_b", "game2"] as const;

const isReplaced = (word: string, words: Words): boolean =>
  REALMS.some((realm) => realm === word) && !REALMS.some((realm) => words[realm] === word);

/**
 * Translates the URL of a deployment into the specification's words. Words that the deployment has
 * replaced become unknown, so that a client that does not translate is refused.
 */
const neutralUrl = (url: string, words: Words): string => {
  const [path = "", ...queries] = url.split("?");
  const find = (own?: Words) =>
    METHODS.map((method) => matchPath(method, path, own)).find((match) => match !== undefined);
  const match = find(words);
  if (match === undefined) return find() === undefined ? url : `/unknown-realm${url}`;
  const { query: rules = {}, route }: Route = routes[match.name];
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (route.endsWith(":realm?") && isReplaced(last, words)) return `${path}-unknown`;
  const translated = neutralPath(match);
  if (translated === undefined || queries.length === 0) return translated ?? url;
  const query = queries.join("?");
  if (rules["realm"] === undefined) return `${translated}?${query}`;
  const neutral = query.replace(
    /(^|&)realm=([^&]*)/gu,
    (_, before: string, text: string) =>
      `${before}realm=${encodeURIComponent(
        isReplaced(text, words) ? `${text}-unknown` : realmFromWire(decodeValue(text), words),
      )}`,
  );
  return `${translated}?${neutral}`;
};

/**
 * Returns the path of a match in neutral words, or undefined if it has none. A segment that is a
 * realm of the deployment may be an ordinary name in the specification, and vice versa.
 */
const neutralPath = ({
  name,
  params,
}: NonNullable<ReturnType<typeof matchPath>>): string | undefined => {
  try {
    return requestPath(name, params, (word) => word);
  } catch {
    return undefined;
  }
};

const decodeValue = (value: string): string => {
  try {
    return decodeURIComponent(value.replaceAll("+", " "));
  } catch {
    return value;
  }
};
