/**
 * Translates small bodies between the specification's words and a deployment's.
 *
 * A client uses `requestToWire` and `responseFromWire`. A server uses the other two functions.
 * Stash tabs, guild stashes, the public stash stream and the exchange hold none of these words, so
 * they pass unread. A translated body is a copy along the path to each word.
 */
import { isIdentity, type Words } from "../Words.ts";
import type { RouteName } from "./table.ts";

/** The replacements for one direction of a translation. */
interface WordMap {
  readonly realms: ReadonlyMap<unknown, string>;
  readonly livestream: readonly [from: string, to: string];
}

/** Path to the records with translated words, by operation. `*` is each entry of a list. */
export const responseWords: Readonly<Record<string, string>> = {
  "profile.get": "",
  "itemFilters.list": "filters.*",
  "itemFilters.get": "filter",
  "itemFilters.create": "filter",
  "itemFilters.update": "filter",
  "leagues.list": "leagues.*",
  "leagues.get": "league",
  "leagues.ladder": "league.entries.*.account",
  "pvpMatches.list": "matches.*",
  "pvpMatches.get": "match",
  "pvpMatches.ladder": "match.entries.*.members.*.account",
  "accountLeagues.list": "leagues.*",
  "characters.list": "characters.*",
  "characters.get": "character",
};

/** Path to the records with translated words in the bodies of requests, by operation. */
export const requestWords: Readonly<Record<string, string>> = {
  "itemFilters.create": "",
  "itemFilters.update": "",
};

/** Members of a character that are lists of items. Each item may have a realm. */
const ITEM_LISTS = ["equipment", "skills", "inventory", "rucksack", "jewels"];
/** Maximum nesting of items. `@game-data/schemas` refuses records that nest more deeply. */
const MAX_DEPTH = 32;

type Fields = Readonly<Record<string, unknown>>;

// Copied from `@game-data/schemas`, so that a program that needs only URLs loads no records.
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies `translate` to the values at a path. Returns `value` itself if no value changes. */
const at = (
  [key, ...rest]: ReadonlyArray<string>,
  value: unknown,
  translate: (value: unknown) => unknown,
): unknown => {
  if (key === undefined) return translate(value);
  if (key === "*") {
    if (!Array.isArray(value)) return value;
    const list = value.map((entry: unknown) => at(rest, entry, translate));
    return list.every((entry, index) => entry === value[index]) ? value : list;
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return value;
  const member = at(rest, value[key], translate);
  return member === value[key] ? value : { ...value, [key]: member };
};

const translateRealm = (record: unknown, { realms }: WordMap): unknown =>
  at(["realm"], record, (realm) => realms.get(realm) ?? realm);

/** Translates the realms of an item and of the items in its sockets, down to `MAX_DEPTH`. */
const translateItem = (item: unknown, words: WordMap, depth = 0): unknown =>
  depth > MAX_DEPTH
    ? item
    : at(["socketedItems", "*"], translateRealm(item, words), (inner) =>
        translateItem(inner, words, depth + 1),
      );

const translateCharacter = (character: unknown, words: WordMap): unknown =>
  ITEM_LISTS.reduce(
    (value, list) => at([list, "*"], value, (item) => translateItem(item, words)),
    translateRealm(character, words),
  );

/** Swaps the two names of `livestream`, so that an account with both members keeps both. */
const swapLivestream = (account: unknown, [from, to]: WordMap["livestream"]): unknown => {
  const isNamed = (name: string) => isObject(account) && Object.hasOwn(account, name);
  if (from === to || !(isNamed(from) || isNamed(to))) return account;
  const swap = (key: string) => (key === from ? to : key === to ? from : key);
  const members = Object.entries(account as Fields).map(([key, value]) => [swap(key), value]);
  return Object.fromEntries(members);
};

/** `toWire` translates to the deployment's words, and `fromWire` to the specification's. */
type Direction = "toWire" | "fromWire";

const wordMap = ({ livestream, ...realms }: Words, direction: Direction): WordMap => {
  const pair = (neutral: string, wire: string): [from: string, to: string] =>
    direction === "toWire" ? [neutral, wire] : [wire, neutral];
  return {
    realms: new Map(Object.entries(realms).map(([neutral, wire]) => pair(neutral, wire))),
    livestream: pair("livestream", livestream),
  };
};

/** Makes a translation, which returns the body itself if nothing has to change. */
const translation =
  (places: typeof responseWords, direction: Direction) =>
  (name: RouteName, body: unknown, words: Words): unknown => {
    const place = places[name];
    if (place === undefined || isIdentity(words)) return body;
    const map = wordMap(words, direction);
    const isAccount = name === "profile.get" || place.endsWith("account");
    const isCharacter = name.startsWith("characters.");
    return at(place === "" ? [] : place.split("."), body, (record) => {
      if (isCharacter) return translateCharacter(record, map);
      const translated = translateRealm(record, map);
      return isAccount ? swapLivestream(translated, map.livestream) : translated;
    });
  };

/** Translates the body of a response to the specification's words. */
export const responseFromWire = translation(responseWords, "fromWire");
/** Translates the body of a response to a deployment's words. */
export const responseToWire = translation(responseWords, "toWire");
/** Translates the JSON body of a request to the specification's words. */
export const requestFromWire = translation(requestWords, "fromWire");
/** Translates the JSON body of a request to a deployment's words. */
export const requestToWire = translation(requestWords, "toWire");
