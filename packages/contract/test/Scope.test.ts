import { assert, describe, it } from "@effect/vitest";
import { isScope, isServiceScope, oauthRoutes, routes, scopes, userScopes } from "../src/index.ts";

const all: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
  ...routes,
  ...oauthRoutes,
};

describe("scopes", () => {
  it("scopes lists the fourteen scopes of the specification [OA-45]", () => {
    assert.strictEqual(new Set(scopes).size, 14);
    assert.strictEqual(scopes.filter((scope) => scope.startsWith("account:")).length, 6);
    assert.strictEqual(scopes.filter(isServiceScope).length, 6);
    assert.deepStrictEqual(scopes.slice(12), ["oauth:revoke", "oauth:introspect"]);
    for (const scope of scopes) assert.isTrue(isScope(scope));
    assert.isFalse(isScope("account:trade"));
  });

  it("userScopes lists all scopes except service:* [OA-45]", () =>
    assert.deepStrictEqual([...userScopes], [...scopes.slice(0, 6), ...scopes.slice(12)]));

  it.each([
    ["account:profile", "profile."],
    ["account:item_filter", "itemFilters."],
    ["service:leagues", "leagues.list", "leagues.get"],
    ["service:leagues:ladder", "leagues.ladder", "leagues.eventLadder"],
    ["service:pvp_matches", "pvpMatches.list", "pvpMatches.get"],
    ["service:pvp_matches:ladder", "pvpMatches.ladder"],
    ["account:leagues", "accountLeagues."],
    ["account:characters", "characters."],
    ["account:stashes", "stashes."],
    ["account:league_accounts", "leagueAccounts."],
    ["service:psapi", "publicStashTabs."],
    ["service:cxapi", "currencyExchange."],
    ["oauth:revoke", "oauth.revoke"],
    ["oauth:introspect", "oauth.introspect"],
    ["", "oauth.token", "oauth.authorize"],
    // The specification gives them none.
    ["account:stashes", "guildStashes."],
  ])(
    "the scope %s is needed for %s, and no other scope is [DA-08, DA-09, DA-23, DA-40, DA-50, DA-51, DA-56, DA-63, ST-02, CX-02, OA-03, OA-04, NS-29]",
    (scope, ...names) => {
      const needed = Object.entries(all)
        .filter(([name]) => names.some((start) => name.startsWith(start)))
        .map(([, route]) => route.scopes.join(" + "));
      assert.deepStrictEqual([...new Set(needed)], [scope]);
    },
  );

  it("each data endpoint needs one scope, and each scope except oauth:* is needed [NS-05]", () => {
    const used = new Set<string>();
    for (const [name, route] of Object.entries(routes)) {
      assert.lengthOf(route.scopes, 1, name);
      for (const scope of route.scopes) used.add(scope);
    }
    assert.deepStrictEqual(used, new Set(scopes.filter((scope) => !scope.startsWith("oauth:"))));
  });
});
