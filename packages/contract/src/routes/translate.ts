/**
 * Between neutral words and a deployment's, at the edge: the URL of a request, and the few members
 * of small bodies that hold one.
 *
 * A client translates outgoing bodies `ToWire` and responses `FromWire`, a server the other way
 * round. With the specification's own words everything returns its input. What does not belong to
 * any operation is left alone.
 *
 * Only small bodies are listed. Stash tabs, guild stashes, the public stash stream and the exchange
 * hold no such word (game 1 only, or no realm member at all), so they are handed through untouched
 * and unread. Copies are made along the way to a word, never in place.
 */
import { type RouteName, routeOf, routes } from "./table.ts";
import { isIdentity, realmFromWire, type Words } from "../Words.ts";
import { matchPath } from "./matchPath.ts";
import type { Route } from "./Route.ts";
import { pathOf } from "./urlOf.ts";

/** The words of one direction: the value `from` becomes the value `to`. */
interface Dictionary {
  readonly realms: ReadonlyMap<string, string>;
  readonly livestream: { readonly from: string; readonly to: string };
}

type Translate = (value: unknown, words: Dictionary, depth: number) => unknown;
/** Records nest no deeper (`@game-data/schemas` refuses them). */
const MAX_DEPTH = 32;
const TOO_DEEP = new RangeError("nested too deeply");

// Not the one of the records: a program that needs URLs alone loads none of them.
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const at =
  (key: string, translate: Translate): Translate =>
  (value, words, depth) => {
    if (!isObject(value) || !Object.hasOwn(value, key)) return value;
    const after = translate(value[key], words, depth);
    return after === value[key] ? value : { ...value, [key]: after };
  };

const each =
  (translate: Translate): Translate =>
  (value, words, depth) => {
    if (!Array.isArray(value)) return value;
    const after = value.map((element: unknown) => translate(element, words, depth));
    return after.every((element, index) => element === value[index]) ? value : after;
  };

const all =
  (...translates: ReadonlyArray<Translate>): Translate =>
  (value, words, depth) =>
    translates.reduce((result, translate) => translate(result, words, depth), value);

const realm: Translate = /*#__PURE__*/ at("realm", (value, words) =>
  typeof value === "string" ? (words.realms.get(value) ?? value) : value,
);

/**
 * Swaps the two names: a body that has both keeps both, and comes back as it was.
 */
const livestream: Translate = (value, { livestream: { from, to } }) =>
  from === to || !isObject(value) || !(Object.hasOwn(value, from) || Object.hasOwn(value, to))
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key === from ? to : key === to ? from : key,
          member,
        ]),
      );

const account = /*#__PURE__*/ all(realm, livestream);

/**
 * Items nest in their sockets; what is nested too deeply is left to the check, which refuses it.
 */
const item: Translate = (value, words, depth) => {
  if (depth > MAX_DEPTH) throw TOO_DEEP;
  return all(
    realm,
    at("socketedItems", (nested, more) => items(nested, more, depth + 1)),
  )(value, words, depth);
};

const items = /*#__PURE__*/ each(item);

const character = /*#__PURE__*/ all(
  realm,
  at("equipment", items),
  at("skills", items),
  at("inventory", items),
  at("rucksack", items),
  at("jewels", items),
);

/** Bodies of responses, by operation. */
export const responseWords: Readonly<Record<string, Translate>> = {
  "profile.get": account,
  "itemFilters.list": at("filters", each(realm)),
  "itemFilters.get": at("filter", realm),
  "itemFilters.create": at("filter", realm),
  "itemFilters.update": at("filter", realm),
  "leagues.list": at("leagues", each(realm)),
  "leagues.get": at("league", realm),
  "leagues.ladder": at("league", at("entries", each(at("account", account)))),
  "pvpMatches.list": at("matches", each(realm)),
  "pvpMatches.get": at("match", realm),
  "pvpMatches.ladder": at(
    "match",
    at("entries", each(at("members", each(at("account", account))))),
  ),
  "accountLeagues.list": at("leagues", each(realm)),
  "characters.list": at("characters", each(character)),
  "characters.get": at("character", character),
};

/** Bodies of requests, by operation. */
export const requestWords: Readonly<Record<string, Translate>> = {
  "itemFilters.create": realm,
  "itemFilters.update": realm,
};

/** Neutral words to a deployment's, or the other way round. */
const dictionary = (
  { livestream: stream = "livestream", ...realms }: Partial<Words>,
  isToWire: boolean,
): Dictionary => {
  const order = (neutral: string, wire: string) =>
    isToWire ? ([neutral, wire] as const) : ([wire, neutral] as const);
  const [from, to] = order("livestream", stream);
  return {
    realms: new Map(Object.entries(realms).map(([neutral, wire]) => order(neutral, wire))),
    livestream: { from, to },
  };
};

/**
 * Translates a body of an operation: the body itself where there is nothing to translate, and where
 * it is nested more deeply than any record may be. Throws for an unknown operation.
 */
const translation =
  (table: typeof responseWords, isToWire: boolean) =>
  (name: RouteName, body: unknown, words: Words): unknown => {
    if (isIdentity(words)) return body;
    const translate = Object.hasOwn(table, routeOf(name) && name) ? table[name] : undefined;
    try {
      return translate ? translate(body, dictionary(words, isToWire), 0) : body;
    } catch (error) {
      if (error === TOO_DEEP) return body;
      throw error;
    }
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
