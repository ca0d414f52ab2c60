/**
 * Translates small bodies between the specification's words and a deployment's.
 *
 * A client sends `requestToWire` and reads `responseFromWire`; a server translates the other way
 * with `translateRequest` and `translateResponse`. Stash tabs, guild stashes, the public stash
 * stream and the exchange hold none of these words, so they pass unread. A translated body is a copy
 * along the path to each word; the input is never changed.
 */
import { isIdentity, type Words } from "../Words.ts";
import { type RouteName, routeOf } from "./table.ts";

/** Which words the result has: the deployment's or the specification's. */
export type Direction = "toWire" | "fromWire";

/** The words of one direction. */
interface WordMap {
  readonly realms: ReadonlyMap<string, string>;
  readonly livestream: readonly [from: string, to: string];
}

type Translate = (value: unknown, words: WordMap, depth: number) => unknown;

/** `@game-data/schemas` refuses records that nest more deeply. */
const MAX_DEPTH = 32;
const TOO_DEEP = new RangeError("nested too deeply");

// A copy of the records' check, so that a program that needs only URLs loads no records.
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const member =
  (key: string, translate: Translate): Translate =>
  (value, words, depth) => {
    if (!isObject(value) || !Object.hasOwn(value, key)) return value;
    const translated = translate(value[key], words, depth);
    return translated === value[key] ? value : { ...value, [key]: translated };
  };

const each =
  (translate: Translate): Translate =>
  (value, words, depth) => {
    if (!Array.isArray(value)) return value;
    const translated = value.map((element: unknown) => translate(element, words, depth));
    return translated.every((element, index) => element === value[index]) ? value : translated;
  };

const all =
  (...translates: ReadonlyArray<Translate>): Translate =>
  (value, words, depth) =>
    translates.reduce((result, translate) => translate(result, words, depth), value);

const realm: Translate = member("realm", (value, { realms }) =>
  typeof value === "string" ? (realms.get(value) ?? value) : value,
);

/** Swaps the two names, so that a body with both members keeps both. */
const livestream: Translate = (value, { livestream: [from, to] }) =>
  from === to || !isObject(value) || !(Object.hasOwn(value, from) || Object.hasOwn(value, to))
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([key, content]) => [
          key === from ? to : key === to ? from : key,
          content,
        ]),
      );

const account = all(realm, livestream);

/** Items nest in their sockets. */
const item: Translate = (value, words, depth) => {
  if (depth > MAX_DEPTH) throw TOO_DEEP;
  const sockets = member("socketedItems", (nested, map) => items(nested, map, depth + 1));
  return sockets(realm(value, words, depth), words, depth);
};

const items = each(item);

const character = all(
  realm,
  ...["equipment", "skills", "inventory", "rucksack", "jewels"].map((key) => member(key, items)),
);

/** The translation of each response that may hold a word. */
export const responseWords: Readonly<Record<string, Translate>> = {
  "profile.get": account,
  "itemFilters.list": member("filters", each(realm)),
  "itemFilters.get": member("filter", realm),
  "itemFilters.create": member("filter", realm),
  "itemFilters.update": member("filter", realm),
  "leagues.list": member("leagues", each(realm)),
  "leagues.get": member("league", realm),
  "leagues.ladder": member("league", member("entries", each(member("account", account)))),
  "pvpMatches.list": member("matches", each(realm)),
  "pvpMatches.get": member("match", realm),
  "pvpMatches.ladder": member(
    "match",
    member("entries", each(member("members", each(member("account", account))))),
  ),
  "accountLeagues.list": member("leagues", each(realm)),
  "characters.list": member("characters", each(character)),
  "characters.get": member("character", character),
};

/** The translation of each request that may hold a word. */
export const requestWords: Readonly<Record<string, Translate>> = {
  "itemFilters.create": realm,
  "itemFilters.update": realm,
};

const wordMap = (words: Partial<Words>, direction: Direction): WordMap => {
  const pair = (neutral: string, wire: string): [from: string, to: string] =>
    direction === "toWire" ? [neutral, wire] : [wire, neutral];
  const { livestream: stream = "livestream", ...realms } = words;
  return {
    realms: new Map(Object.entries(realms).map(([neutral, wire]) => pair(neutral, wire))),
    livestream: pair("livestream", stream),
  };
};

/** Returns the body itself if there is nothing to translate, or if it nests too deeply to be valid. */
const translation =
  (table: typeof responseWords) =>
  (name: RouteName, body: unknown, words: Words, direction: Direction): unknown => {
    if (isIdentity(words)) return body;
    const translate = Object.hasOwn(table, routeOf(name) && name) ? table[name] : undefined;
    try {
      return translate ? translate(body, wordMap(words, direction), 0) : body;
    } catch (error) {
      if (error === TOO_DEEP) return body;
      throw error;
    }
  };

/** Translates the body of a response. Throws `ParameterInvalid` for an unknown operation. */
export const translateResponse = translation(responseWords);

/** Translates the JSON body of a request. Throws `ParameterInvalid` for an unknown operation. */
export const translateRequest = translation(requestWords);

/** Translates the body of a response to the specification's words. */
export const responseFromWire = (name: RouteName, body: unknown, words: Words): unknown =>
  translateResponse(name, body, words, "fromWire");

/** Translates the JSON body of a request to a deployment's words. */
export const requestToWire = (name: RouteName, body: unknown, words: Words): unknown =>
  translateRequest(name, body, words, "toWire");
