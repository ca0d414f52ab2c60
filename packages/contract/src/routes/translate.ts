/**
 * Between neutral words and a deployment's, at the edge: the URL of a request, and the few members
 * of small bodies that hold one.
 *
 * A client translates outgoing bodies `ToWire` and responses `FromWire`, a server the other way
 * round. With the specification's own words everything returns its input. What does not belong to
 * any operation is left alone.
 */
import { type RouteName, routeOf, routes } from "./table.ts";
import { isIdentity, realmFromWire, type Words } from "../Words.ts";
import { dictionary, requestWords, responseWords, translateBody } from "./bodyWords.ts";
import { matchPath } from "./matchPath.ts";
import type { Route } from "./Route.ts";
import { pathOf } from "./urlOf.ts";

/** Translates a body of an operation, if it has words. Throws for an unknown operation. */
const translation =
  (table: typeof responseWords, isToWire: boolean) =>
  (name: RouteName, body: unknown, words: Words): unknown => {
    if (isIdentity(words)) return body;
    const translate = Object.hasOwn(table, routeOf(name) && name) ? table[name] : undefined;
    return translateBody(translate, body, dictionary(words, isToWire));
  };

/** A response's body in a deployment's words. */
export const responseToWire = /*#__PURE__*/ translation(responseWords, true);

/** A response's body in neutral words. */
export const responseFromWire = /*#__PURE__*/ translation(responseWords, false);

/** A request's JSON body in a deployment's words. */
export const requestToWire = /*#__PURE__*/ translation(requestWords, true);

/** A request's JSON body in neutral words. */
export const requestFromWire = /*#__PURE__*/ translation(requestWords, false);

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
    translated = pathOf(match.name, match.params, (word) => word);
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
