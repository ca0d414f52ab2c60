import { assert, describe, it } from "@effect/vitest";
import { isScope, isServiceScope, oauthRoutes, routes, scopes, userScopes } from "../src/index.ts";

const all: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
  ...routes,
  ...oauthRoutes,
};

/** The operations whose names begin so need this scope and no other; the empty one is none. */
const check = (scope: string, ...names: ReadonlyArray<string>) => {
  const needed = Object.entries(all)
    .filter(([name]) => names.some((start) => name.startsWith(start)))
    .map(([, route]) => route.scopes.join(" + "));
  assert.deepStrictEqual([...new Set(needed)], [scope]);
};

describe("scopes", () => {
  it("are the fourteen of the specification [OA-45]", () => {
    assert.strictEqual(new Set(scopes).size, 14);
    assert.strictEqual(scopes.filter((scope) => scope.startsWith("account:")).length, 6);
    assert.strictEqual(scopes.filter(isServiceScope).length, 6);
    assert.deepStrictEqual(scopes.slice(12), ["oauth:revoke", "oauth:introspect"]);
    for (const scope of scopes) assert.isTrue(isScope(scope));
    assert.isFalse(isScope("account:trade"));
  });

  it("of users are those of accounts and of tokens: service:* is for applications [OA-45]", () =>
    assert.deepStrictEqual([...userScopes], [...scopes.slice(0, 6), ...scopes.slice(12)]));

  it("account:profile goes with the profile [DA-08]", () => check("account:profile", "profile."));
  it("account:item_filter is needed for every filter endpoint [DA-09]", () =>
    check("account:item_filter", "itemFilters."));
  it("service:leagues is needed for leagues, service:leagues:ladder for both ladders [DA-23]", () => {
    check("service:leagues", "leagues.list", "leagues.get");
    check("service:leagues:ladder", "leagues.ladder", "leagues.eventLadder");
  });
  it("service:pvp_matches is needed for matches, service:pvp_matches:ladder for their ladder [DA-40]", () => {
    check("service:pvp_matches", "pvpMatches.list", "pvpMatches.get");
    check("service:pvp_matches:ladder", "pvpMatches.ladder");
  });
  it("account:leagues is needed for account leagues [DA-50]", () =>
    check("account:leagues", "accountLeagues."));
  it("account:characters is needed for characters [DA-51]", () =>
    check("account:characters", "characters."));
  it("account:stashes is needed for stashes [DA-56]", () => check("account:stashes", "stashes."));
  it("account:league_accounts is needed for the league account [DA-63]", () =>
    check("account:league_accounts", "leagueAccounts."));
  it("service:psapi is needed for the stash stream [ST-02]", () =>
    check("service:psapi", "publicStashTabs."));
  it("service:cxapi is needed for the exchange [CX-02]", () =>
    check("service:cxapi", "currencyExchange."));
  it("oauth:revoke and oauth:introspect are needed for the endpoints of these names [OA-03, OA-04]", () => {
    for (const name of ["oauth.revoke", "oauth.introspect"]) check(name.replace(".", ":"), name);
    check("", "oauth.token", "oauth.authorize");
  });
  it("for guild stashes, which the specification gives none, we take account:stashes [NS-29]", () =>
    check("account:stashes", "guildStashes."));

  it("stand on every data endpoint, one each, all of them in use [NS-05]", () => {
    const used = new Set<string>();
    for (const [name, route] of Object.entries(routes)) {
      assert.lengthOf(route.scopes, 1, name);
      for (const scope of route.scopes) used.add(scope);
    }
    assert.deepStrictEqual(used, new Set(scopes.filter((scope) => !scope.startsWith("oauth:"))));
  });
});
