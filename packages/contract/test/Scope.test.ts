import { assert, describe, it } from "@effect/vitest";
import { isScope, isServiceScope, oauthRoutes, routes, scopes, userScopes } from "../src/index.ts";

const all: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
  ...routes,
  ...oauthRoutes,
};

/** The scopes that the operations of a group need, each combination once. */
const needs = (group: string, only: (name: string) => boolean = () => true) => [
  ...new Set(
    Object.entries(all)
      .filter(([name]) => name.startsWith(`${group}.`) && only(name.slice(group.length + 1)))
      .map(([, route]) => route.scopes.join(" + ")),
  ),
];
const isLadder = (name: string) => /ladder$/iu.test(name);
const isNoLadder = (name: string) => !isLadder(name);

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

  it("account:profile goes with the profile [DA-08]", () =>
    assert.deepStrictEqual(needs("profile"), ["account:profile"]));
  it("account:item_filter is needed for every filter endpoint [DA-09]", () =>
    assert.deepStrictEqual(needs("itemFilters"), ["account:item_filter"]));
  it("service:leagues is needed for leagues, service:leagues:ladder for both ladders [DA-23]", () => {
    assert.deepStrictEqual(needs("leagues", isNoLadder), ["service:leagues"]);
    for (const name of ["ladder", "eventLadder"])
      assert.deepStrictEqual(
        needs("leagues", (other) => other === name),
        ["service:leagues:ladder"],
      );
  });
  it("service:pvp_matches is needed for matches, service:pvp_matches:ladder for their ladder [DA-40]", () => {
    assert.deepStrictEqual(needs("pvpMatches", isNoLadder), ["service:pvp_matches"]);
    assert.deepStrictEqual(needs("pvpMatches", isLadder), ["service:pvp_matches:ladder"]);
  });
  it("account:leagues is needed for account leagues [DA-50]", () =>
    assert.deepStrictEqual(needs("accountLeagues"), ["account:leagues"]));
  it("account:characters is needed for characters [DA-51]", () =>
    assert.deepStrictEqual(needs("characters"), ["account:characters"]));
  it("account:stashes is needed for stashes [DA-56]", () =>
    assert.deepStrictEqual(needs("stashes"), ["account:stashes"]));
  it("account:league_accounts is needed for the league account [DA-63]", () =>
    assert.deepStrictEqual(needs("leagueAccounts"), ["account:league_accounts"]));
  it("service:psapi is needed for the stash stream [ST-02]", () =>
    assert.deepStrictEqual(needs("publicStashTabs"), ["service:psapi"]));
  it("service:cxapi is needed for the exchange [CX-02]", () =>
    assert.deepStrictEqual(needs("currencyExchange"), ["service:cxapi"]));
  it("oauth:revoke and oauth:introspect are needed for the endpoints of these names [OA-03, OA-04]", () => {
    for (const name of ["revoke", "introspect"])
      assert.deepStrictEqual(
        needs("oauth", (other) => other === name),
        [`oauth:${name}`],
      );
    assert.deepStrictEqual(
      needs("oauth", (name) => name === "token" || name === "authorize"),
      [""],
    );
  });

  it("for guild stashes, which the specification gives none, we take account:stashes [NS-29]", () =>
    assert.deepStrictEqual(needs("guildStashes"), ["account:stashes"]));

  it("stand on every data endpoint, one each, all of them in use [NS-05]", () => {
    const used = new Set<string>();
    for (const [name, route] of Object.entries(routes)) {
      assert.lengthOf(route.scopes, 1, name);
      for (const scope of route.scopes) used.add(scope);
    }
    assert.deepStrictEqual(used, new Set(scopes.filter((scope) => !scope.startsWith("oauth:"))));
  });
});
