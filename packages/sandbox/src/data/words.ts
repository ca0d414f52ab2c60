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
  /** Path and query in neutral words. */
  urlFromWire(url: string): string;
  /** A request's body in neutral words. */
  bodyFromWire(endpoint: RouteName, body: unknown): unknown;
  bodyToWire(endpoint: RouteName, body: unknown): unknown;
  /** A message with the deployment's realms. */
  messageToWire(message: string): string;
}

/** Makes the translation; undefined for the specification's own words. Throws on bad words. */
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
 * The path of a match in neutral words; undefined if they cannot say it. The variant may change on
 * the way: a league that is called like a deployment's realm is not called like a neutral one.
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
