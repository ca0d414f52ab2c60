/**
 * Between neutral words and a deployment's, at the edge: the URL of a request, and the few members
 * of small bodies that hold one.
 *
 * A client translates outgoing URLs and bodies `ToWire` and answers `FromWire`, a server the other
 * way round. With the specification's own words everything returns its input. What does not belong
 * to any endpoint is left alone.
 */
import type { EndpointInfo } from "./Endpoints.ts";
import { fromWire, requestWords, responseWords, toWire } from "./internal/bodyWords.ts";
import { buildPath, chooseForm, matchPath, type PathMatch } from "./Paths.ts";
import { identityWords, isIdentity, realmFromWire, realmToWire, type Words } from "./Words.ts";

/** Path and query of a request (no address) in a deployment's words. */
export const urlToWire = (url: string, words: Words): string =>
  translateUrl(url, words, identityWords, words, (realm) => realmToWire(realm, words));

/** Path and query of a request (no address) in neutral words. */
export const urlFromWire = (url: string, words: Words): string =>
  translateUrl(url, words, words, identityWords, (word) => realmFromWire(word, words));

/** An answer's body in a deployment's words. */
export const responseToWire = (info: EndpointInfo, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : (responseWords[keyOf(info)]?.(body, toWire(words)) ?? body);

/** An answer's body in neutral words. */
export const responseFromWire = (info: EndpointInfo, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : (responseWords[keyOf(info)]?.(body, fromWire(words)) ?? body);

/** A request's JSON body in a deployment's words. */
export const requestToWire = (info: EndpointInfo, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : (requestWords[keyOf(info)]?.(body, toWire(words)) ?? body);

/** A request's JSON body in neutral words. */
export const requestFromWire = (info: EndpointInfo, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : (requestWords[keyOf(info)]?.(body, fromWire(words)) ?? body);

const keyOf = (info: EndpointInfo) => `${info.group}.${info.form.of}`;

const translateUrl = (
  url: string,
  words: Words,
  from: Words,
  to: Words,
  realm: (word: string) => string,
): string => {
  if (isIdentity(words)) return url;
  const [path = "", ...queries] = url.split("?");
  const match = matchPath("GET", path, from) ?? matchPath("POST", path, from);
  if (match === undefined) return url;
  const translated = rebuild(match, to);
  if (queries.length === 0) return translated;
  const query = queries.join("?");
  return `${translated}?${asksForRealm(match.info) ? translateQuery(query, realm) : query}`;
};

/**
 * The form may change on the way: a league that is called like a deployment's realm is not called
 * like a neutral one.
 */
const rebuild = ({ info, params }: PathMatch, words: Words): string =>
  buildPath(chooseForm(info.group, info.form.of as never, params, words), params, words);

const asksForRealm = (info: EndpointInfo): boolean =>
  info.endpoint.query !== undefined && info.base === "data";

const translateQuery = (query: string, realm: (word: string) => string): string =>
  query
    .split("&")
    .map((pair) =>
      pair.startsWith("realm=")
        ? `realm=${encodeURIComponent(realm(decodeQueryValue(pair.slice("realm=".length))))}`
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
