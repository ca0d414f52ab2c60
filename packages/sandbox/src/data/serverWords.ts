/**
 * The server's half of the translation between neutral words and a deployment's: URLs and bodies of
 * requests arrive in the deployment's words, bodies of responses leave in them.
 */
import {
  isIdentity,
  matchPath,
  realmFromWire,
  requestPath,
  type Route,
  type RouteName,
  routes,
  translateRequest,
  translateResponse,
  type Words,
} from "@game-data/contract/routes";

/** A response's body in a deployment's words. */
export const responseToWire = (name: RouteName, body: unknown, words: Words): unknown =>
  translateResponse(name, body, words, "toWire");

/** A request's JSON body in neutral words. */
export const requestFromWire = (name: RouteName, body: unknown, words: Words): unknown =>
  translateRequest(name, body, words, "fromWire");

/** Path and query of a request (no address) in neutral words. `urlOf` writes a deployment's. */
export const urlFromWire = (url: string, words: Words): string => {
  if (isIdentity(words)) return url;
  const [path = "", ...queries] = url.split("?");
  const match = matchPath("GET", path, words) ?? matchPath("POST", path, words);
  if (match === undefined) return url;
  let translated: string;
  try {
    // The variant may change on the way: a league that is called like a deployment's realm is not
    // called like a neutral one.
    translated = requestPath(match.name, match.params, (word) => word);
  } catch {
    return url; // it cannot be said in neutral words
  }
  if (queries.length === 0) return translated;
  const query = queries.join("?");
  const { query: rules = {} }: Route = routes[match.name];
  return `${translated}?${rules["realm"] ? translateQuery(query, words) : query}`;
};

const translateQuery = (query: string, words: Words): string =>
  query
    .split("&")
    .map((pair) =>
      pair.startsWith("realm=")
        ? `realm=${encodeURIComponent(realmFromWire(decodeQueryValue(pair.slice("realm=".length)), words))}`
        : pair,
    )
    .join("&");

const decodeQueryValue = (value: string): string => {
  try {
    return decodeURIComponent(value.replaceAll("+", " "));
  } catch {
    return value;
  }
};
