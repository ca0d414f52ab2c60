/**
 * The requests of an examination, in an order in which earlier responses supply the names that
 * later requests need.
 */
import { Limits } from "@game-data/contract";
import * as Effect from "effect/Effect";
import {
  at,
  atMost,
  byExperience,
  entries,
  listIn,
  names,
  notBefore,
  streamPage,
  uniqueTabs,
} from "./checks.ts";
import { type Examiner, tokenOf } from "./Examiner.ts";

const NO_SUCH_NAME = "no-such-name-4f1d0a7c";
const NO_SUCH_STASH = "0000000000";

/** Maximum number of leagues in which a match that has begun is searched. */
const MAX_LEAGUES = 6;

/** Requests every endpoint, and sends requests that must be refused. */
export const askEverything = Effect.fnUntraced(function* (examiner: Examiner) {
  yield* askAccount(examiner);
  const leagues = yield* askLeagues(examiner);
  yield* askMatches(examiner, leagues);
  yield* askCharacters(examiner);
  yield* askLeagueOfAccount(examiner, leagues[0]);
  yield* askStreams(examiner);
  yield* askBadRequests(examiner);
});

const askAccount = Effect.fnUntraced(function* ({ read, readAbsent, skip }: Examiner) {
  yield* read("profile.get", {});
  const list = yield* read("itemFilters.list", {});
  const id = textIn(list, "filters", 0, "id");
  const asked = id === undefined ? "no item filter is known" : { id };
  yield* read("itemFilters.get", asked, names("filter", "id", id));
  yield* readAbsent("itemFilters.get", { id: NO_SUCH_NAME });
  for (const name of ["itemFilters.create", "itemFilters.update"])
    yield* skip(name, "it changes data");
});

/** Returns the names of the listed leagues. The first is the league whose records are read. */
const askLeagues = Effect.fnUntraced(function* ({ league, read, readAbsent }: Examiner) {
  const list = yield* read("leagues.list", {}, atMost(["leagues"], Limits.leagues.default));
  yield* read("leagues.list", { limit: 1 }, atMost(["leagues"], 1));
  yield* readAbsent("leagues.get", { league: NO_SUCH_NAME }, "league");
  const listed = listIn(list, "leagues").flatMap((one) => textIn(one, "id") ?? []);
  const [chosen, ...others] = [...new Set([...(league === undefined ? [] : [league]), ...listed])];
  const of = <More extends object>(more: More) =>
    chosen === undefined ? "no league is known" : { league: chosen, ...more };
  yield* read("leagues.get", of({}), names("league", "id", chosen));
  for (const name of ["leagues.ladder", "leagues.eventLadder"] as const) {
    yield* read(name, of({}), entries("league", Limits.ladder.default));
    yield* read(name, of({ limit: 5 }), entries("league", 5));
    // §7: beyond the first 15,000 entries the result is empty.
    yield* read(name, of({ offset: Limits.ladderDepth }), entries("league", 0));
  }
  yield* read("leagues.ladder", of({ sort: "xp", limit: 100 } as const), byExperience);
  return chosen === undefined ? [] : [chosen, ...others];
});

const askMatches = Effect.fnUntraced(function* (
  { read, readAbsent }: Examiner,
  leagues: ReadonlyArray<string>,
) {
  const list = yield* read("pvpMatches.list", {});
  yield* readAbsent("pvpMatches.get", { match: NO_SUCH_NAME }, "match");
  let begun = begunMatch(list);
  for (const league of leagues.slice(0, MAX_LEAGUES)) {
    if (begun !== undefined) break;
    begun = begunMatch(yield* read("pvpMatches.list", { type: "league", league }));
  }
  const match = begun ?? textIn(list, "matches", 0, "id");
  const of = <More extends object>(more: More) =>
    match === undefined ? "no match is known" : { match, ...more };
  yield* read("pvpMatches.get", of({}), names("match", "id", match));
  yield* read("pvpMatches.ladder", of({}), entries("match", Limits.pvpLadder.default));
  yield* read("pvpMatches.ladder", of({ limit: 5 }), entries("match", 5));
  yield* read("pvpMatches.ladder", of({ offset: Limits.ladderDepth }), entries("match", 0));
});

/** Returns the id of a match that has begun. Other matches have ladders without entries. */
const begunMatch = (list: unknown): string | undefined =>
  textIn(
    listIn(list, "matches").find((match) => at(match, "upcoming") !== true),
    "id",
  );

const askCharacters = Effect.fnUntraced(function* ({ read, readAbsent }: Examiner) {
  const list = yield* read("characters.list", {});
  yield* readAbsent("characters.get", { name: NO_SUCH_NAME }, "character");
  const name = textIn(list, "characters", 0, "name");
  const asked = name === undefined ? "no character is known" : { name };
  yield* read("characters.get", asked, names("character", "name", name));
});

const askLeagueOfAccount = Effect.fnUntraced(function* (
  examiner: Examiner,
  known: string | undefined,
) {
  const { read, readAbsent } = examiner;
  const own = yield* read("accountLeagues.list", {});
  const league = examiner.league ?? textIn(own, "leagues", 0, "id") ?? known;
  const of = <More extends object>(more: More) =>
    league === undefined ? "no league is known" : { league, ...more };
  yield* read("leagueAccounts.get", of({}));
  for (const group of ["stashes", "guildStashes"] as const) {
    const tabs = yield* read(`${group}.list`, of({}), uniqueTabs);
    const get = `${group}.get` as const;
    yield* readAbsent(get, of({ stash_id: NO_SUCH_STASH }), "stash");
    const stash_id = textIn(tabs, "stashes", 0, "id");
    const asked = stash_id === undefined ? `no tab in ${league} is known` : of({ stash_id });
    yield* read(get, asked, names("stash", "id", stash_id));
    // §4.2: a tab within a tab is returned inside its parent.
    const inner = innerTab(tabs);
    const wrapped = inner === undefined ? `no tab within a tab in ${league} is known` : of(inner);
    yield* read(get, wrapped, names("stash", "id", inner?.stash_id));
  }
});

/** Returns the ids of a tab within a tab and of its parent. */
const innerTab = (body: unknown) => {
  const tabs = listIn(body, "stashes");
  for (const tab of [...tabs, ...tabs.flatMap((one) => listIn(one, "children"))]) {
    const [substash_id, stash_id] = [textIn(tab, "id"), textIn(tab, "parent")];
    if (substash_id !== undefined && stash_id !== undefined) return { stash_id, substash_id };
  }
  return undefined;
};

const askStreams = Effect.fnUntraced(function* ({ pages, read }: Examiner) {
  let changeId: string | undefined;
  for (let page = 0; page < pages && (page === 0 || changeId !== undefined); page++) {
    const asked = changeId === undefined ? {} : { id: changeId };
    const body = yield* read("publicStashTabs.page", asked, streamPage(changeId));
    changeId = textIn(body, "next_change_id");
  }
  let hour: number | undefined;
  for (let page = 0; page < pages; page++) {
    const asked = hour === undefined ? {} : { id: hour };
    const next = at(yield* read("currencyExchange.page", asked, notBefore(hour)), "next_change_id");
    if (typeof next !== "number" || next === hour) break;
    hour = next;
  }
});

const askBadRequests = Effect.fnUntraced(function* ({ deployment, readError, skip }: Examiner) {
  const [target, scopes] = ["/profile", []];
  yield* readError("errors.unknownPath", { target: `/${NO_SUCH_NAME}`, scopes }, 404);
  yield* readError("errors.noToken", { target, scopes }, 401);
  const token = "not-a-token-of-this-service";
  yield* readError("errors.unknownToken", { target, scopes, token }, 401);
  for (const scope of ["service:leagues", "account:leagues"] as const)
    if ((yield* tokenOf(deployment, [scope])) !== undefined)
      return yield* readError("errors.missingScope", { target, scopes: [scope] }, 403);
  return yield* skip("errors.missingScope", "the session has no token without account:profile");
});

const textIn = (body: unknown, ...path: ReadonlyArray<string | number>): string | undefined => {
  const value = path.reduce(at, body);
  return typeof value === "string" && value !== "" ? value : undefined;
};
