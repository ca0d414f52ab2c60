/**
 * The questions of an examination, in an order in which earlier responses supply the names that
 * later requests need.
 */
import { Limits, type RouteName, type Scope } from "@game-data/contract";
import * as Effect from "effect/Effect";
import {
  atMost,
  byExperience,
  entries,
  names,
  notBefore,
  streamPage,
  uniqueTabs,
} from "./bodyChecks.ts";
import { at } from "./checks.ts";
import type { Question } from "./Deployment.ts";
import type { Examiner, ExamineOptions } from "./Examiner.ts";

const NO_SUCH_NAME = "no-such-name-4f1d0a7c";
const NO_SUCH_STASH = "0000000000";

/** Leagues that are asked for a match that has begun. */
const MOST_LEAGUES = 6;

/** Names that earlier responses supply. */
interface Known {
  league?: string;
  /** Those whose matches are looked for. */
  leagues?: ReadonlyArray<string>;
}

type Ask<E> = (examiner: Examiner<E>, known: Known) => Effect.Effect<unknown, E>;

/** Asks every endpoint, and sends requests that must be refused. */
export const askEverything = Effect.fnUntraced(function* <E>(examiner: Examiner<E>) {
  const known: Known = {};
  for (const ask of new Set(Object.values(askedBy<E>()))) yield* ask(examiner, known);
  yield* askBadRequests(examiner);
});

/** The questions that each operation is part of. One without questions does not compile. */
const askedBy = <E>(): { readonly [Name in RouteName]: Ask<E> } => ({
  "profile.get": askAccount,
  "itemFilters.list": askAccount,
  "itemFilters.get": askAccount,
  "itemFilters.create": askAccount,
  "itemFilters.update": askAccount,
  "leagues.list": askLeagues,
  "leagues.get": askLeagues,
  "leagues.ladder": askLeagues,
  "leagues.eventLadder": askLeagues,
  "pvpMatches.list": askMatches,
  "pvpMatches.get": askMatches,
  "pvpMatches.ladder": askMatches,
  "characters.list": askCharacters,
  "characters.get": askCharacters,
  "accountLeagues.list": askLeagueOfAccount,
  "leagueAccounts.get": askLeagueOfAccount,
  "stashes.list": askLeagueOfAccount,
  "stashes.get": askLeagueOfAccount,
  "guildStashes.list": askLeagueOfAccount,
  "guildStashes.get": askLeagueOfAccount,
  "publicStashTabs.page": askStreams,
  "currencyExchange.page": askStreams,
});

const askAccount = Effect.fnUntraced(function* <E>({ read, readAbsent, skip }: Examiner<E>) {
  yield* read("profile.get", {});
  const list = yield* read("itemFilters.list", {});
  const id = textIn(list, "filters", 0, "id");
  if (id !== undefined) yield* read("itemFilters.get", { id }, names("filter", "id", id));
  else if (list !== undefined) yield* skip("itemFilters.get", "the account has no item filter");
  yield* readAbsent("itemFilters.get", { id: NO_SUCH_NAME });
  for (const name of ["itemFilters.create", "itemFilters.update"])
    yield* skip(name, "it changes data");
});

/** Learns the name of a league that the service lists. */
const askLeagues = Effect.fnUntraced(function* <E>(examiner: Examiner<E>, known: Known) {
  const { has, read, readAbsent, skip } = examiner;
  const realm = realmOf(examiner);
  if (!has("leagues.list")) return;
  const { default: most } = Limits.leagues;
  const list = yield* read("leagues.list", realm, atMost("leagues", most));
  yield* read("leagues.list", { ...realm, limit: 1 }, atMost("leagues", 1));
  const league = examiner.league ?? textIn(list, "leagues", 0, "id");
  yield* readAbsent("leagues.get", { ...realm, league: NO_SUCH_NAME }, "league");
  const ladders = ["leagues.ladder", "leagues.eventLadder"] as const;
  if (league === undefined) {
    for (const name of ["leagues.get", ...ladders]) yield* skip(name, "no league is known");
    return;
  }
  yield* read("leagues.get", { ...realm, league }, names("league", "id", league));
  for (const name of ladders) {
    if (!has(name)) continue;
    const of = { ...gameOneRealm(examiner), league };
    yield* read(name, of, entries("league", Limits.ladder.default));
    yield* read(name, { ...of, limit: 5 }, entries("league", 5));
    if (name === "leagues.ladder")
      yield* read(name, { ...of, sort: "xp", limit: 100 }, byExperience);
    // §7: beyond the first 15,000 entries the result is empty.
    yield* read(name, { ...of, offset: Limits.ladderDepth }, entries("league", 0));
  }
  known.league = league;
  const listed = (at(list, "leagues") ?? []) as ReadonlyArray<unknown>;
  known.leagues = [
    ...new Set([league, ...listed.map((each) => textIn(each, "id") ?? league)]),
  ].slice(0, MOST_LEAGUES);
});

const askMatches = Effect.fnUntraced(function* <E>(examiner: Examiner<E>, known: Known) {
  const { has, read, readAbsent, skip } = examiner;
  const of = gameOneRealm(examiner);
  const all = ["pvpMatches.list", "pvpMatches.get", "pvpMatches.ladder"] as const;
  if (all.filter((name) => has(name)).length < all.length) return;
  const list = yield* read("pvpMatches.list", of);
  yield* readAbsent("pvpMatches.get", { ...of, match: NO_SUCH_NAME }, "match");
  let begun = begunMatch(list);
  for (const league of known.leagues ?? []) {
    if (begun !== undefined) break;
    begun = begunMatch(yield* read("pvpMatches.list", { ...of, type: "league", league }));
  }
  const match = begun ?? textIn(list, "matches", 0, "id");
  if (match === undefined) {
    yield* skip("pvpMatches.get", "no match is known");
    yield* skip("pvpMatches.ladder", "no match is known");
    return;
  }
  yield* read("pvpMatches.get", { ...of, match }, names("match", "id", match));
  const windows = [
    [{}, Limits.pvpLadder.default],
    [{ limit: 5 }, 5],
    [{ offset: Limits.ladderDepth }, 0],
  ] as const;
  for (const [window, most] of windows)
    yield* read("pvpMatches.ladder", { ...of, match, ...window }, entries("match", most));
});

const askCharacters = Effect.fnUntraced(function* <E>(examiner: Examiner<E>) {
  const { read, readAbsent, skip } = examiner;
  const of = realmOf(examiner);
  const list = yield* read("characters.list", of);
  yield* readAbsent("characters.get", { ...of, name: NO_SUCH_NAME }, "character");
  const name = textIn(list, "characters", 0, "name");
  if (name === undefined) return yield* skip("characters.get", "no character is known");
  yield* read("characters.get", { ...of, name }, names("character", "name", name));
});

const askLeagueOfAccount = Effect.fnUntraced(function* <E>(examiner: Examiner<E>, known: Known) {
  const { has, read, readAbsent, skip } = examiner;
  const of = gameOneRealm(examiner);
  const own = has("accountLeagues.list") ? yield* read("accountLeagues.list", of) : undefined;
  const league = examiner.league ?? textIn(own, "leagues", 0, "id") ?? known.league;
  if (has("leagueAccounts.get")) {
    if (league === undefined) yield* skip("leagueAccounts.get", "no league is known");
    else yield* read("leagueAccounts.get", { ...of, league });
  }
  for (const group of ["stashes", "guildStashes"] as const) {
    const [list, get] = [`${group}.list`, `${group}.get`] as const;
    if ([list, get].filter((name) => has(name)).length < 2) continue;
    if (league === undefined) {
      yield* skip(list, "no league is known");
      yield* skip(get, "no league is known");
      continue;
    }
    const tabs = yield* read(list, { ...of, league }, uniqueTabs);
    yield* readAbsent(get, { ...of, league, stash_id: NO_SUCH_STASH }, "stash");
    const id = textIn(tabs, "stashes", 0, "id");
    if (id === undefined) yield* skip(get, `no tab in ${league} is known`);
    else yield* read(get, { ...of, league, stash_id: id }, names("stash", "id", id));
    const inner = innerTab(tabs);
    // §4.2: the inner tab is wrapped by the parent.
    if (inner !== undefined)
      yield* read(get, { ...of, league, ...inner }, names("stash", "id", inner.stash_id));
    else if (id !== undefined) yield* skip(get, `a tab within a tab: ${league} has none`);
  }
});

const askStreams = Effect.fnUntraced(function* <E>(examiner: Examiner<E>) {
  const { has, pages, read } = examiner;
  if (has("publicStashTabs.page")) {
    let id: string | undefined;
    for (let page = 0; page < pages && (page === 0 || id !== undefined); page++) {
      const request = { ...gameOneRealm(examiner), ...(id !== undefined && { id }) };
      id = textIn(yield* read("publicStashTabs.page", request, streamPage(id)), "next_change_id");
    }
  }
  if (!has("currencyExchange.page")) return;
  let id: number | undefined;
  for (let page = 0; page < pages; page++) {
    const request = { ...realmOf(examiner), ...(id !== undefined && { id }) };
    const body = yield* read("currencyExchange.page", request, notBefore(id));
    const next = at(body, "next_change_id");
    if (typeof next !== "number" || next === id) break;
    id = next;
  }
});

const askBadRequests = Effect.fnUntraced(function* <E>(examiner: Examiner<E>) {
  const { deployment, readError, skip } = examiner;
  yield* readError("errors.unknownPath", question(`/${NO_SUCH_NAME}`), [404]);
  yield* readError("errors.noToken", question("/profile"), [401]);
  const unknown = { ...question("/profile"), token: "not-a-token-of-this-service" };
  yield* readError("errors.unknownToken", unknown, [401]);
  for (const scope of ["service:leagues", "account:leagues"] as const)
    if (yield* deployment.hasToken([scope])) {
      yield* readError("errors.missingScope", question("/profile", [scope]), [403]);
      return;
    }
  yield* skip("errors.missingScope", "the session has no token without account:profile");
});

const question = (path: string, scopes: ReadonlyArray<Scope> = []): Question => ({
  target: path,
  route: `GET ${path}`,
  scopes,
});
/** A match that has not begun has a ladder without entries. */
const begunMatch = (list: unknown): string | undefined => {
  const matches = (at(list, "matches") ?? []) as ReadonlyArray<unknown>;
  return textIn(
    matches.find((match) => at(match, "upcoming") !== true),
    "id",
  );
};

const realmOf = ({ realm }: Pick<ExamineOptions, "realm">) => (realm === "pc" ? {} : { realm });

/** The realm for endpoints of game 1. Those are not asked for game 2. */
const gameOneRealm = ({ realm }: Pick<ExamineOptions, "realm">) =>
  realm === "pc" || realm === "game2" ? {} : { realm };

const textIn = (body: unknown, ...path: ReadonlyArray<string | number>): string | undefined => {
  const value = path.reduce(at, body);
  return typeof value === "string" && value !== "" ? value : undefined;
};

const innerTab = (
  body: unknown,
): { readonly stash_id: string; readonly substash_id: string } | undefined => {
  const tabs = at(body, "stashes");
  const all = (Array.isArray(tabs) ? tabs : []) as ReadonlyArray<unknown>;
  const inner = [...all, ...all.flatMap((tab) => (at(tab, "children") as []) ?? [])];
  for (const tab of inner) {
    const [id, parent] = [textIn(tab, "id"), textIn(tab, "parent")];
    if (id !== undefined && parent !== undefined) return { stash_id: parent, substash_id: id };
  }
  return undefined;
};
