import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { bodySchemas } from "../src/effect/index.ts";
import {
  matchPath,
  oauthRoutes,
  type Route,
  type RouteName,
  routes,
  violation,
} from "../src/index.ts";
import { openApiDocument } from "../src/openapi/index.ts";
import { bodies } from "../src/routes/results.ts";

/** Whether a body is an answer of this operation, to the Effect Schema and to the plain record. */
const accepts = (group: string, method: string, body: unknown, status = 200): boolean => {
  const { results }: Route = routes[`${group}.${method}` as RouteName];
  const name = results[status]!;
  const verdict = Schema.is(bodySchemas[name] as Schema.Codec<unknown>)(body);
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
const filter = {
  id: "f1",
  filter_name: "Mine",
  realm: "pc",
  description: "",
  version: "1",
  type: "Normal",
};
const character = {
  id: "a".repeat(64),
  name: "Me",
  realm: "pc",
  class: "Witch",
  level: 1,
  experience: 0,
};
const tab = { id: "0123456789", name: "1", type: "PremiumStash", metadata: {} };
const match = {
  id: "M",
  description: "",
  glickoRatings: false,
  pvp: true,
  style: "Blitz",
};

describe("OAuth", () => {
  it("GET /oauth/authorize is a page for a browser [OA-01]", () => {
    assert.strictEqual(reaches("GET", "/oauth/authorize"), "oauth.authorize");
    const operation = openApiDocument().paths["/oauth/authorize"]?.["get"] as {
      readonly responses: { readonly 200: { readonly content: object } };
    };
    assert.deepStrictEqual(Object.keys(operation.responses[200].content), ["text/html"]);
  });
  it("POST /oauth/token creates tokens [OA-02]", () =>
    assert.strictEqual(reaches("POST", "/oauth/token"), "oauth.token"));
  it("POST /oauth/token/revoke revokes [OA-03]", () =>
    assert.strictEqual(reaches("POST", "/oauth/token/revoke"), "oauth.revoke"));
  it("POST /oauth/token/introspect checks [OA-04]", () =>
    assert.strictEqual(reaches("POST", "/oauth/token/introspect"), "oauth.introspect"));
});

describe("profile and filters", () => {
  it("GET /profile returns a bare Profile [DA-07]", () => {
    const profile = { uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", name: "Someone" };
    assert.strictEqual(reaches("GET", "/profile"), "profile.get");
    assert.isTrue(accepts("profile", "get", profile));
    assert.isFalse(accepts("profile", "get", { profile }));
  });
  it("GET /item-filter returns {filters} [DA-10]", () => {
    assert.strictEqual(reaches("GET", "/item-filter"), "itemFilters.list");
    assert.isTrue(accepts("itemFilters", "list", { filters: [filter] }));
    assert.isFalse(accepts("itemFilters", "list", [filter]));
  });
  it("GET /item-filter/<id> returns {filter} [DA-11]", () => {
    assert.strictEqual(reaches("GET", "/item-filter/f1"), "itemFilters.get");
    assert.isTrue(accepts("itemFilters", "get", { filter }));
    assert.isFalse(accepts("itemFilters", "get", { filter: null }));
  });
  it("POST /item-filter returns {filter} [DA-12]", () => {
    assert.strictEqual(reaches("POST", "/item-filter"), "itemFilters.create");
    assert.isTrue(accepts("itemFilters", "create", { filter }));
    assert.isFalse(accepts("itemFilters", "create", filter));
  });
  it("POST /item-filter/<id> returns {filter, error: ?Error} [DA-13]", () => {
    const error = { code: 0, message: "Accepted" };
    assert.strictEqual(reaches("POST", "/item-filter/f1"), "itemFilters.update");
    for (const body of [{ filter }, { filter, error: null }, { filter, error }])
      assert.isTrue(accepts("itemFilters", "update", body));
    assert.isTrue(accepts("itemFilters", "update", { filter, error }, 202));
    assert.isFalse(accepts("itemFilters", "update", { filter }, 202));
  });
});

describe("leagues", () => {
  it("GET /league returns {leagues} [DA-24]", () => {
    assert.strictEqual(reaches("GET", "/league"), "leagues.list");
    assert.isTrue(accepts("leagues", "list", { leagues: [league] }));
    assert.isFalse(accepts("leagues", "list", { leagues: null }));
  });
  it("GET /league/<league> returns {league: ?League} [DA-30]", () => {
    assert.strictEqual(reaches("GET", "/league/Standard"), "leagues.get");
    assert.isTrue(accepts("leagues", "get", { league }));
    assert.isTrue(accepts("leagues", "get", { league: null }));
  });
  it("GET /league/<league>/ladder returns {league: {total, ?cached_since, entries}} [DA-31]", () => {
    assert.strictEqual(reaches("GET", "/league/Standard/ladder"), "leagues.ladder");
    const entry = {
      rank: 1,
      character: { id: "a".repeat(64), name: "Me", level: 1, class: "Witch" },
    };
    const since = "2026-01-01T00:00:00Z";
    for (const ladder of [
      { total: 0, entries: [] },
      { total: 1, cached_since: null, entries: [entry] },
      { total: 1, cached_since: since, entries: [entry] },
    ])
      assert.isTrue(accepts("leagues", "ladder", { league: ladder }));
    assert.isTrue(accepts("leagues", "ladder", { league: null }));
    assert.isFalse(accepts("leagues", "ladder", { league: { entries: [] } }));
    assert.isFalse(accepts("leagues", "ladder", { league: { total: 1 } }));
  });
  it("GET /league/<league>/event-ladder returns {league: {total, entries}} [DA-38]", () => {
    assert.strictEqual(reaches("GET", "/league/Standard/event-ladder"), "leagues.eventLadder");
    const entry = { rank: 1, private_league: { name: "P", url: "https://x.example" } };
    assert.isTrue(accepts("leagues", "eventLadder", { league: { total: 1, entries: [entry] } }));
    assert.isFalse(accepts("leagues", "eventLadder", { league: { total: 1, entries: [{}] } }));
  });
});

describe("PvP matches", () => {
  it("GET /pvp-match returns {matches} [DA-41]", () => {
    assert.strictEqual(reaches("GET", "/pvp-match"), "pvpMatches.list");
    assert.isTrue(accepts("pvpMatches", "list", { matches: [match] }));
    assert.isFalse(accepts("pvpMatches", "list", { matches: match }));
  });
  it("GET /pvp-match/<match> returns {match: ?PvPMatch} [DA-44]", () => {
    assert.strictEqual(reaches("GET", "/pvp-match/M"), "pvpMatches.get");
    assert.isTrue(accepts("pvpMatches", "get", { match }));
    assert.isTrue(accepts("pvpMatches", "get", { match: null }));
  });
  it("GET /pvp-match/<match>/ladder returns {match: {total, entries}} [DA-45]", () => {
    assert.strictEqual(reaches("GET", "/pvp-match/M/ladder"), "pvpMatches.ladder");
    const entry = { rank: 1, members: [] };
    assert.isTrue(accepts("pvpMatches", "ladder", { match: { total: 1, entries: [entry] } }));
    assert.isFalse(accepts("pvpMatches", "ladder", { match: { total: 1, entries: [{}] } }));
  });
});

describe("what belongs to the account", () => {
  it("GET /account/leagues[/<realm>] returns {leagues} [DA-47]", () => {
    assert.strictEqual(reaches("GET", "/account/leagues"), "accountLeagues.list");
    assert.strictEqual(reaches("GET", "/account/leagues/console_b"), "accountLeagues.list");
    assert.isTrue(accepts("accountLeagues", "list", { leagues: [league] }));
  });
  it("GET /character[/<realm>] returns {characters} [DA-52]", () => {
    assert.strictEqual(reaches("GET", "/character"), "characters.list");
    assert.strictEqual(reaches("GET", "/character/game2"), "characters.list");
    assert.isTrue(accepts("characters", "list", { characters: [character] }));
    assert.isFalse(accepts("characters", "list", { characters: [{}] }));
  });
  it("GET /character[/<realm>]/<name> returns {character: ?Character} [DA-54]", () => {
    assert.strictEqual(reaches("GET", "/character/Me"), "characters.get");
    assert.strictEqual(reaches("GET", "/character/game2/Me"), "characters.get");
    assert.isTrue(accepts("characters", "get", { character }));
    assert.isTrue(accepts("characters", "get", { character: null }));
  });
  it("GET /stash[/<realm>]/<league> returns {stashes} [DA-57]", () => {
    assert.strictEqual(reaches("GET", "/stash/L"), "stashes.list");
    assert.strictEqual(reaches("GET", "/stash/console_a/L"), "stashes.list");
    assert.isTrue(accepts("stashes", "list", { stashes: [tab] }));
    assert.strictEqual(reaches("GET", "/stash"), undefined);
  });
  it("GET /stash[/<realm>]/<league>/<stash_id>[/<substash_id>] returns {stash: ?StashTab} [DA-59]", () => {
    assert.strictEqual(reaches("GET", "/stash/L/0123456789"), "stashes.get");
    assert.strictEqual(reaches("GET", "/stash/console_a/L/0123456789"), "stashes.get");
    assert.isTrue(accepts("stashes", "get", { stash: tab }));
    assert.isTrue(accepts("stashes", "get", { stash: null }));
  });
  it("takes a substash_id behind the stash_id [DA-60]", () => {
    for (const path of ["/stash/L/t/s", "/stash/console_a/L/t/s", "/stash/pc/console_a/t/s"])
      assert.deepInclude(matchPath("GET", path)?.params, { stash_id: "t", substash_id: "s" });
    assert.isUndefined(matchPath("GET", "/stash/L/t")?.params["substash_id"]);
  });
  it("GET /league-account[/<realm>]/<league> returns {league_account} [DA-62]", () => {
    assert.strictEqual(reaches("GET", "/league-account/L"), "leagueAccounts.get");
    assert.strictEqual(reaches("GET", "/league-account/console_a/L"), "leagueAccounts.get");
    assert.strictEqual(reaches("GET", "/league-account"), undefined);
    assert.isTrue(
      accepts("leagueAccounts", "get", { league_account: { atlas_passive_trees: [] } }),
    );
    assert.isFalse(accepts("leagueAccounts", "get", { league_account: null }));
  });
  it("GET /guild[/<realm>]/stash/<league> returns {stashes} [DA-64]", () => {
    assert.strictEqual(reaches("GET", "/guild/stash/L"), "guildStashes.list");
    assert.strictEqual(reaches("GET", "/guild/console_a/stash/L"), "guildStashes.list");
    assert.strictEqual(reaches("GET", "/guild/stash"), undefined);
    assert.isTrue(accepts("guildStashes", "list", { stashes: [tab] }));
  });
  it("GET /guild[/<realm>]/stash/<league>/<stash_id>[/<substash_id>] returns {stash: ?StashTab} [DA-66]", () => {
    assert.strictEqual(reaches("GET", "/guild/stash/L/t"), "guildStashes.get");
    assert.strictEqual(reaches("GET", "/guild/stash/L/t/s"), "guildStashes.get");
    assert.strictEqual(reaches("GET", "/guild/console_b/stash/L/t/s"), "guildStashes.get");
    assert.isTrue(accepts("guildStashes", "get", { stash: null }));
    assert.isTrue(accepts("guildStashes", "get", { stash: tab }));
  });
});

describe("streams", () => {
  it("GET /public-stash-tabs[/<realm>] returns {next_change_id: string, stashes} [ST-01]", () => {
    assert.strictEqual(reaches("GET", "/public-stash-tabs"), "publicStashTabs.page");
    assert.strictEqual(reaches("GET", "/public-stash-tabs/console_a"), "publicStashTabs.page");
    assert.isTrue(accepts("publicStashTabs", "page", { next_change_id: "1-2-3", stashes: [] }));
    assert.isFalse(accepts("publicStashTabs", "page", { next_change_id: 1, stashes: [] }));
  });
  it("GET /currency-exchange[/<realm>][/<id>] returns next_change_id and markets [CX-01]", () => {
    for (const path of ["", "/3600", "/game2", "/game2/3600"])
      assert.strictEqual(reaches("GET", `/currency-exchange${path}`), "currencyExchange.page");
    assert.isTrue(accepts("currencyExchange", "page", { next_change_id: 3600, markets: [] }));
    assert.isFalse(accepts("currencyExchange", "page", { next_change_id: "3600", markets: [] }));
  });
});

describe("the table", () => {
  const all = Object.entries<Pick<Route, "method" | "path" | "route">>({
    ...routes,
    ...oauthRoutes,
  });

  it("has each method and path once, those of OAuth under /oauth/ alone [DA-04]", () => {
    const places = all.map(([, { method, path }]) => `${method} ${path}`);
    assert.lengthOf(new Set(places), all.length);
    for (const [name, { path }] of all)
      assert.strictEqual(path.startsWith("/oauth/"), name.startsWith("oauth."), name);
  });

  it("has no version in any path [NS-13, NS-14]", () => {
    for (const [, { path, route }] of all) {
      assert.notMatch(path, /\/v?\d/u);
      assert.notMatch(route, /\/v?\d/u);
    }
    assert.notInclude(JSON.stringify(openApiDocument()), '"deprecated"');
  });

  it("names an operation by its method and its path, with or without the realm", () => {
    for (const [name, { method, path, route }] of all)
      assert.include(
        [`${method} ${path}`, `${method} ${path.replace("/:realm?", "")}`],
        route,
        name,
      );
  });

  it("takes a member that its results have, and defaults that its rules let pass", () => {
    for (const [name, { defaults = {}, query = {}, results, take }] of Object.entries<Route>(
      routes,
    )) {
      for (const body of Object.values(results))
        if (take !== undefined)
          assert.property(bodies[body].shape, take, `${name}: ${body} has no member ${take}`);
      for (const [key, value] of Object.entries(defaults))
        assert.isUndefined(violation(query[key]!, value), `${name}: the default of ${key}`);
    }
  });
});
