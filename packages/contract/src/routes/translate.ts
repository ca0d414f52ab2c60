/**
 * Between neutral words and a deployment's, at the edge: the few members of small bodies that hold
 * one.
 *
 * A client translates requests with `requestToWire` and responses with `responseFromWire`; a server
 * uses `translateRequest` and `translateResponse` the other way round. With the specification's own
 * words both return their input.
 *
 * Only small bodies are listed. Stash tabs, guild stashes, the public stash stream and the exchange
 * hold no such word (game 1 only, or no realm member at all), so they are handed through untouched
 * and unread. Copies are made along the way to a word, never in place.
 */
import { type RouteName, routeOf } from "./table.ts";
import { isIdentity, type Words } from "../Words.ts";

/** The words of one direction: the value `from` becomes the value `to`. */
export interface Dictionary {
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
export const dictionary = (
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
  (table: typeof responseWords) =>
  (name: RouteName, body: unknown, words: Dictionary): unknown => {
    const translate = Object.hasOwn(table, routeOf(name) && name) ? table[name] : undefined;
    try {
      return translate ? translate(body, words, 0) : body;
    } catch (error) {
      if (error === TOO_DEEP) return body;
      throw error;
    }
  };

/** Translates the body of a response. */
export const translateResponse = /*#__PURE__*/ translation(responseWords);

/** Translates the JSON body of a request. */
export const translateRequest = /*#__PURE__*/ translation(requestWords);

/** A response's body in neutral words. */
export const responseFromWire = (name: RouteName, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : translateResponse(name, body, dictionary(words, false));

/** A request's JSON body in a deployment's words. */
export const requestToWire = (name: RouteName, body: unknown, words: Words): unknown =>
  isIdentity(words) ? body : translateRequest(name, body, dictionary(words, true));
