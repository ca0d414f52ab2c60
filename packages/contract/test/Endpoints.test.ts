import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import * as schemas from "../src/effect.ts";
import {
  matchPath,
  oauthRoutes,
  type Route,
  type RouteName,
  routes,
  violation,
} from "../src/index.ts";
import { document } from "./support/document.ts";
import { bodies } from "../src/routes/results.ts";

/** Whether a body is an answer of this operation, to the Effect Schema and to the plain record. */
const accepts = (operation: RouteName, body: unknown, status = 200): boolean => {
  const { results }: Route = routes[operation];
  const name = results[status]!;
  const verdict = Schema.is(schemas.bodySchemas[name] as Schema.Codec<unknown>)(body);
  assert.strictEqual(bodies[name].is(body), verdict, name);
  return verdict;
};

/** Which operation a request reaches. */
const reaches = (method: string, path: string) =>
  matchPath(method, path)?.name ??
  Object.entries(oauthRoutes).find(
    ([, route]) => route.method === method && route.path === path,
  )?.[0];

const league = { id: "Standard" };
const mine = { id: "f1", filter_name: "Mine", realm: "pc", description: "", version: "1" };
const filter = { ...mine, type: "Normal" };
const ladderCharacter = { id: "a".repeat(64), name: "Me", level: 1, class: "Witch" };
const character = { ...ladderCharacter, realm: "pc", experience: 0 };
const tab = { id: "0123456789", name: "1", type: "PremiumStash", metadata: {} };
const match = { id: "M", description: "", glickoRatings: false, pvp: true, style: "Blitz" };
const profile = { uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", name: "Someone" };

const error = { code: 0, message: "Accepted" };
const ladder = { total: 1, entries: [{ rank: 1, character: ladderCharacter }] };
const event = { rank: 1, private_league: { name: "P", url: "https://x.example" } };
const cached = ["2026-01-01T00:00:00Z", null].map((at) => ({ ...ladder, cached_since: at }));
const page = (entry: object) => ({ total: 1, entries: [entry] });

type Values = ReadonlyArray<unknown>;

it.each<[operation: RouteName, requests: string, member: string, values: Values, others?: Values]>([
  ["itemFilters.list", "GET /item-filter", "filters", [[filter]], [filter]],
  ["itemFilters.get", "GET /item-filter/f1", "filter", [filter], [null]],
  ["itemFilters.create", "POST /item-filter", "filter", [filter], [null]],
  ["itemFilters.update", "POST /item-filter/f1", "filter", [filter], [null]],
  ["leagues.list", "GET /league", "leagues", [[league]], [null]],
  ["leagues.get", "GET /league/Standard", "league", [league, null]],
  [
    ...(["leagues.ladder", "GET /league/Standard/ladder", "league"] as const),
    [null, { total: 0, entries: [] }, ...cached],
    [{ entries: [] }, { total: 1 }],
  ],
  [
    ...(["leagues.eventLadder", "GET /league/Standard/event-ladder", "league"] as const),
    [page(event)],
    [page({})],
  ],
  ["pvpMatches.list", "GET /pvp-match", "matches", [[match]], [match]],
  ["pvpMatches.get", "GET /pvp-match/M", "match", [match, null]],
  [
    ...(["pvpMatches.ladder", "GET /pvp-match/M/ladder", "match"] as const),
    [page({ rank: 1, members: [] })],
    [page({})],
  ],
  ["accountLeagues.list", "GET /account/leagues /account/leagues/console_b", "leagues", [[league]]],
  ["characters.list", "GET /character /character/game2", "characters", [[character]], [[{}]]],
  ["characters.get", "GET /character/Me /character/game2/Me", "character", [character, null]],
  ["stashes.list", "GET /stash/L /stash/console_a/L", "stashes", [[tab]]],
  ["stashes.get", "GET /stash/L/t /stash/console_a/L/t /stash/L/t/s", "stash", [tab, null]],
  [
    ...(["leagueAccounts.get", "GET /league-account/L /league-account/console_a/L"] as const),
    ...(["league_account", [{ atlas_passive_trees: [] }], [null]] as const),
  ],
  ["guildStashes.list", "GET /guild/stash/L /guild/console_a/stash/L", "stashes", [[tab]]],
  ["guildStashes.get", "GET /guild/stash/L/t /guild/console_b/stash/L/t/s", "stash", [tab, null]],
])(
  "the operation %s is at %s and returns the member %s [DA-10..DA-13, DA-24, DA-30, DA-31, DA-38, DA-41, DA-44, DA-45, DA-47, DA-52, DA-54, DA-57, DA-59, DA-62, DA-64, DA-66]",
  (operation, requests, member, values, others = []) => {
    const [method, ...paths] = requests.split(" ");
    for (const path of paths) assert.strictEqual(reaches(method!, path), operation, path);
    for (const value of values) assert.isTrue(accepts(operation, { [member]: value }));
    for (const value of others) assert.isFalse(accepts(operation, { [member]: value }));
    assert.isFalse(accepts(operation, values[0]), "without its member");
  },
);

it("GET /profile returns a Profile that is not wrapped in an object [DA-07]", () => {
  assert.strictEqual(reaches("GET", "/profile"), "profile.get");
  assert.isTrue(accepts("profile.get", profile));
  assert.isFalse(accepts("profile.get", { profile }));
});

it.each([
  ["publicStashTabs.page", "/public-stash-tabs", ["", "/console_a"], "1-2-3", "stashes"],
  ["currencyExchange.page", "/currency-exchange", ["/3600", "/game2/3600", ""], 3600, "markets"],
] as const)(
  "the operation %s is at %s and returns next_change_id and a list [ST-01, CX-01]",
  (name, path, ends, id, list) => {
    for (const end of ends) assert.strictEqual(reaches("GET", path + end), name);
    assert.isTrue(accepts(name, { next_change_id: id, [list]: [] }));
    const other = typeof id === "string" ? 1 : "3600";
    assert.isFalse(accepts(name, { next_change_id: other, [list]: [] }));
  },
);

it("a filter update may answer 200 with or without an error, and 202 only with an error [DA-13]", () => {
  for (const more of [{ error: null }, { error }])
    assert.isTrue(accepts("itemFilters.update", { filter, ...more }));
  assert.isTrue(accepts("itemFilters.update", { filter, error }, 202));
  assert.isFalse(accepts("itemFilters.update", { filter }, 202));
});

it("a path for stashes, guild stashes or league accounts without a league matches no operation [DA-57, DA-62, DA-64]", () => {
  for (const path of ["/stash", "/league-account", "/guild/stash"])
    assert.isUndefined(reaches("GET", path));
});

it("a stash path may have a substash_id after the stash_id [DA-60]", () => {
  for (const path of ["/stash/L/t/s", "/stash/console_a/L/t/s", "/stash/pc/console_a/t/s"])
    assert.deepInclude(matchPath("GET", path)?.params, { stash_id: "t", substash_id: "s" });
  assert.isUndefined(matchPath("GET", "/stash/L/t")?.params["substash_id"]);
});

it("the OAuth server has a page to authorize, and endpoints for token, revoke and introspect [OA-01, OA-02, OA-03, OA-04]", () => {
  assert.strictEqual(reaches("GET", "/oauth/authorize"), "oauth.authorize");
  const operation = document.paths["/oauth/authorize"]?.["get"] as any;
  assert.deepStrictEqual(Object.keys(operation.responses[200].content), ["text/html"]);
  assert.strictEqual(reaches("POST", "/oauth/token"), "oauth.token");
  assert.strictEqual(oauthRoutes["oauth.token"].route, "POST /oauth/token");
  assert.strictEqual(reaches("POST", "/oauth/token/revoke"), "oauth.revoke");
  assert.strictEqual(reaches("POST", "/oauth/token/introspect"), "oauth.introspect");
});

describe("the table", () => {
  const all = Object.entries<Pick<Route, "method" | "path" | "route">>({
    ...routes,
    ...oauthRoutes,
  });

  it("each operation has its own method and path, and only OAuth operations are under /oauth/ [DA-04]", () => {
    const places = all.map(([, { method, path }]) => `${method} ${path}`);
    assert.lengthOf(new Set(places), all.length);
    for (const [name, { path }] of all)
      assert.strictEqual(path.startsWith("/oauth/"), name.startsWith("oauth."), name);
  });

  it("each request or response body has an Effect Schema of the same name", () => {
    const { ErrorDetail: _, bodySchemas, ...named } = schemas;
    assert.deepStrictEqual<object>(named, bodySchemas);
  });

  it("no path of an operation contains a version [NS-13, NS-14]", () => {
    for (const [, { path, route }] of all) {
      assert.notMatch(path, /\/v?\d/u);
      assert.notMatch(route, /\/v?\d/u);
    }
    assert.notInclude(JSON.stringify(document), '"deprecated"');
  });

  it("each operation's results have the member `take`, and its defaults satisfy its rules", () => {
    for (const [name, route] of Object.entries<Route>(routes)) {
      const { defaults = {}, query = {}, results, take } = route;
      for (const body of take === undefined ? [] : Object.values(results))
        assert.property(
          schemas.bodySchemas[body].fields,
          take!,
          `${name}: ${body} has no member ${take}`,
        );
      for (const [key, value] of Object.entries(defaults))
        assert.isUndefined(violation(query[key]!, value), `${name}: the default of ${key}`);
    }
  });

  it("exactly the operations whose result the specification marks with `?` are nullable", () => {
    const nullable = Object.entries<Route>(routes).filter(([, { isNullable }]) => isNullable);
    const one = ["leagues", "pvpMatches", "characters", "stashes", "guildStashes"];
    const names = [...one.map((group) => `${group}.get`), "currencyExchange.page"];
    assert.sameOrderedMembers(Object.keys(Object.fromEntries(nullable)), names);
  });
});
