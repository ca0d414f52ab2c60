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
const accepts = (operation: RouteName, body: unknown, status = 200): boolean => {
  const { results }: Route = routes[operation];
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

/** Bodies that an operation answers with, and others. */
interface Bodies {
  readonly answers: ReadonlyArray<unknown>;
  readonly refuses?: ReadonlyArray<unknown>;
}

/** The paths, as `GET /a /b`, lead to the operation, which answers with these bodies. */
const check = (operation: RouteName, request: string, { answers, refuses = [] }: Bodies) => {
  const [method, ...paths] = request.split(" ");
  for (const path of paths) assert.strictEqual(reaches(method!, path), operation, path);
  for (const body of answers) assert.isTrue(accepts(operation, body), JSON.stringify(body));
  for (const body of refuses) assert.isFalse(accepts(operation, body), JSON.stringify(body));
};

const league = { id: "Standard" };
const mine = { id: "f1", filter_name: "Mine", realm: "pc", description: "", version: "1" };
const filter = { ...mine, type: "Normal" };
const ladderCharacter = { id: "a".repeat(64), name: "Me", level: 1, class: "Witch" };
const character = { ...ladderCharacter, realm: "pc", experience: 0 };
const tab = { id: "0123456789", name: "1", type: "PremiumStash", metadata: {} };
const match = { id: "M", description: "", glickoRatings: false, pvp: true, style: "Blitz" };
const profile = { uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", name: "Someone" };

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
  it("GET /profile returns a bare Profile [DA-07]", () =>
    check("profile.get", "GET /profile", { answers: [profile], refuses: [{ profile }] }));
  it("GET /item-filter returns {filters} [DA-10]", () =>
    check("itemFilters.list", "GET /item-filter", {
      answers: [{ filters: [filter] }],
      refuses: [[filter]],
    }));
  it("GET /item-filter/<id> returns {filter} [DA-11]", () =>
    check("itemFilters.get", "GET /item-filter/f1", {
      answers: [{ filter }],
      refuses: [{ filter: null }],
    }));
  it("POST /item-filter returns {filter} [DA-12]", () =>
    check("itemFilters.create", "POST /item-filter", {
      answers: [{ filter }],
      refuses: [filter],
    }));
  it("POST /item-filter/<id> returns {filter, error: ?Error} [DA-13]", () => {
    const error = { code: 0, message: "Accepted" };
    const answers = [{ filter }, { filter, error: null }, { filter, error }];
    check("itemFilters.update", "POST /item-filter/f1", { answers });
    assert.isTrue(accepts("itemFilters.update", { filter, error }, 202));
    assert.isFalse(accepts("itemFilters.update", { filter }, 202));
  });
});

describe("leagues", () => {
  it("GET /league returns {leagues} [DA-24]", () =>
    check("leagues.list", "GET /league", {
      answers: [{ leagues: [league] }],
      refuses: [{ leagues: null }],
    }));
  it("GET /league/<league> returns {league: ?League} [DA-30]", () =>
    check("leagues.get", "GET /league/Standard", { answers: [{ league }, { league: null }] }));
  it("GET /league/<league>/ladder returns {league: {total, ?cached_since, entries}} [DA-31]", () => {
    const full = { total: 1, entries: [{ rank: 1, character: ladderCharacter }] };
    check("leagues.ladder", "GET /league/Standard/ladder", {
      answers: [
        { league: null },
        { league: { total: 0, entries: [] } },
        { league: { ...full, cached_since: null } },
        { league: { ...full, cached_since: "2026-01-01T00:00:00Z" } },
      ],
      refuses: [{ league: { entries: [] } }, { league: { total: 1 } }],
    });
  });
  it("GET /league/<league>/event-ladder returns {league: {total, entries}} [DA-38]", () => {
    const entry = { rank: 1, private_league: { name: "P", url: "https://x.example" } };
    check("leagues.eventLadder", "GET /league/Standard/event-ladder", {
      answers: [{ league: { total: 1, entries: [entry] } }],
      refuses: [{ league: { total: 1, entries: [{}] } }],
    });
  });
});

describe("PvP matches", () => {
  it("GET /pvp-match returns {matches} [DA-41]", () =>
    check("pvpMatches.list", "GET /pvp-match", {
      answers: [{ matches: [match] }],
      refuses: [{ matches: match }],
    }));
  it("GET /pvp-match/<match> returns {match: ?PvPMatch} [DA-44]", () =>
    check("pvpMatches.get", "GET /pvp-match/M", { answers: [{ match }, { match: null }] }));
  it("GET /pvp-match/<match>/ladder returns {match: {total, entries}} [DA-45]", () =>
    check("pvpMatches.ladder", "GET /pvp-match/M/ladder", {
      answers: [{ match: { total: 1, entries: [{ rank: 1, members: [] }] } }],
      refuses: [{ match: { total: 1, entries: [{}] } }],
    }));
});

describe("what belongs to the account", () => {
  it("GET /account/leagues[/<realm>] returns {leagues} [DA-47]", () =>
    check("accountLeagues.list", "GET /account/leagues /account/leagues/console_b", {
      answers: [{ leagues: [league] }],
    }));
  it("GET /character[/<realm>] returns {characters} [DA-52]", () =>
    check("characters.list", "GET /character /character/game2", {
      answers: [{ characters: [character] }],
      refuses: [{ characters: [{}] }],
    }));
  it("GET /character[/<realm>]/<name> returns {character: ?Character} [DA-54]", () =>
    check("characters.get", "GET /character/Me /character/game2/Me", {
      answers: [{ character }, { character: null }],
    }));
  it("GET /stash[/<realm>]/<league> returns {stashes} [DA-57]", () => {
    check("stashes.list", "GET /stash/L /stash/console_a/L", { answers: [{ stashes: [tab] }] });
    assert.strictEqual(reaches("GET", "/stash"), undefined);
  });
  it("GET /stash[/<realm>]/<league>/<stash_id>[/<substash_id>] returns {stash: ?StashTab} [DA-59]", () =>
    check("stashes.get", "GET /stash/L/0123456789 /stash/console_a/L/0123456789", {
      answers: [{ stash: tab }, { stash: null }],
    }));
  it("takes a substash_id behind the stash_id [DA-60]", () => {
    for (const path of ["/stash/L/t/s", "/stash/console_a/L/t/s", "/stash/pc/console_a/t/s"])
      assert.deepInclude(matchPath("GET", path)?.params, { stash_id: "t", substash_id: "s" });
    assert.isUndefined(matchPath("GET", "/stash/L/t")?.params["substash_id"]);
  });
  it("GET /league-account[/<realm>]/<league> returns {league_account} [DA-62]", () => {
    check("leagueAccounts.get", "GET /league-account/L /league-account/console_a/L", {
      answers: [{ league_account: { atlas_passive_trees: [] } }],
      refuses: [{ league_account: null }],
    });
    assert.strictEqual(reaches("GET", "/league-account"), undefined);
  });
  it("GET /guild[/<realm>]/stash/<league> returns {stashes} [DA-64]", () => {
    check("guildStashes.list", "GET /guild/stash/L /guild/console_a/stash/L", {
      answers: [{ stashes: [tab] }],
    });
    assert.strictEqual(reaches("GET", "/guild/stash"), undefined);
  });
  it("GET /guild[/<realm>]/stash/<league>/<stash_id>[/<substash_id>] returns {stash: ?StashTab} [DA-66]", () =>
    check(
      "guildStashes.get",
      "GET /guild/stash/L/t /guild/stash/L/t/s /guild/console_b/stash/L/t/s",
      {
        answers: [{ stash: null }, { stash: tab }],
      },
    ));
});

describe("streams", () => {
  it("GET /public-stash-tabs[/<realm>] returns {next_change_id: string, stashes} [ST-01]", () =>
    check("publicStashTabs.page", "GET /public-stash-tabs /public-stash-tabs/console_a", {
      answers: [{ next_change_id: "1-2-3", stashes: [] }],
      refuses: [{ next_change_id: 1, stashes: [] }],
    }));
  it("GET /currency-exchange[/<realm>][/<id>] returns next_change_id and markets [CX-01]", () => {
    const paths = ["", "/3600", "/game2", "/game2/3600"].map((end) => `/currency-exchange${end}`);
    check("currencyExchange.page", `GET ${paths.join(" ")}`, {
      answers: [{ next_change_id: 3600, markets: [] }],
      refuses: [{ next_change_id: "3600", markets: [] }],
    });
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

  it("may answer 404 where the specification has `?` before what an operation returns", () => {
    const nullable = Object.entries<Route>(routes).filter(([, { isNullable }]) => isNullable);
    const one = ["leagues", "pvpMatches", "characters", "stashes", "guildStashes"];
    const names = [...one.map((group) => `${group}.get`), "currencyExchange.page"];
    assert.sameOrderedMembers(Object.keys(Object.fromEntries(nullable)), names);
  });
});
