import { assert, describe, it } from "@effect/vitest";
import { matchPath, requestTarget, type Route, type RouteName, routes } from "../src/index.ts";

const tabId = "0123456789";
const nameOf = (path: string) => matchPath("GET", path)?.name;
const paramsOf = (path: string) => matchPath("GET", path)?.params;

describe("the optional realm segment", () => {
  it("requestTarget omits the realm pc from a path, and writes every other realm [DA-06, CX-03, ST-03, DA-53]", () => {
    const paths: ReadonlyArray<readonly [path: string, name: RouteName, request: object]> = [
      ["/character", "characters.list", {}],
      ["/character", "characters.list", { realm: "pc" }],
      ["/character/game2", "characters.list", { realm: "game2" }],
      ["/character/console_b/Me", "characters.get", { realm: "console_b", name: "Me" }],
      ["/public-stash-tabs", "publicStashTabs.page", {}],
      ["/public-stash-tabs/console_a", "publicStashTabs.page", { realm: "console_a" }],
      ["/currency-exchange/game2/3600", "currencyExchange.page", { realm: "game2", id: 3600 }],
      ["/currency-exchange/3600", "currencyExchange.page", { id: 3600 }],
      ["/currency-exchange/3600", "currencyExchange.page", { realm: "pc", id: 3600 }],
      ["/guild/console_a/stash/L", "guildStashes.list", { realm: "console_a", league: "L" }],
    ];
    for (const [path, name, request] of paths)
      assert.strictEqual(requestTarget(name, request as never), path);
  });

  it("paths with a realm accept console_a and console_b, and only characters and the exchange game2 [CX-03, DA-48, DA-53, ST-03]", () => {
    for (const [name, { params }] of Object.entries<Route>(routes)) {
      const game2 = /^(?:characters|currencyExchange)\./u.test(name) ? ["game2"] : [];
      if (params["realm"] !== undefined)
        assert.deepStrictEqual(params["realm"], ["console_a", "console_b", ...game2], name);
    }
    // A realm that the endpoint does not know is no realm: it reads as a name, or is refused where
    // no name stands.
    assert.throws(() => requestTarget("stashes.list", { realm: "game2" as "pc", league: "L" }));
    assert.throws(() => requestTarget("accountLeagues.list", { realm: "game2" as "pc" }));
    assert.deepStrictEqual(paramsOf("/stash/game2/x"), { league: "game2", stash_id: "x" });
    assert.strictEqual(matchPath("GET", "/league-account/game2/x"), undefined);
    assert.strictEqual(matchPath("GET", "/league-account/pc/console_a"), undefined);
    // The rule of the parameter refuses it, with a reason.
    assert.deepStrictEqual(paramsOf("/account/leagues/xbox"), { realm: "xbox" });
  });
});

describe("names that look like realms [NS-26]", () => {
  it("matchPath reads a first segment as the realm if it names a realm, or else as a name [NS-26]", () => {
    assert.strictEqual(nameOf("/stash/console_a/Standard"), "stashes.list");
    const list = { realm: "console_a", league: "Standard" };
    assert.deepStrictEqual(paramsOf("/stash/console_a/Standard"), list);
    assert.strictEqual(nameOf("/character/game2"), "characters.list");
    assert.deepStrictEqual(paramsOf("/stash/console_a"), { league: "console_a" });
    assert.deepStrictEqual(paramsOf("/character/pc"), { name: "pc" });
    assert.deepStrictEqual(paramsOf("/stash/pc/x"), { league: "pc", stash_id: "x" });
  });

  it("requestTarget writes pc if a league or character on pc has the name of a realm [NS-26]", () => {
    const path = requestTarget("stashes.get", { league: "console_a", stash_id: tabId });
    assert.strictEqual(path, `/stash/pc/console_a/${tabId}`);
    assert.strictEqual(requestTarget("characters.get", { name: "game2" }), "/character/pc/game2");
    assert.strictEqual(matchPath("GET", "/character/pc/Someone"), undefined);
  });
});

it("matchPath finds no operation for a path that is malformed or unknown, or that has a query", () => {
  const queries = ["/league?limit=1", "/character/Ada?x=1", "/character/Ada#x"];
  for (const path of [
    "league",
    "/league/%zz",
    "xprofile",
    "",
    "/",
    "/nothing",
    "//profile",
    ...queries,
  ])
    assert.strictEqual(matchPath("GET", path), undefined, path);
  assert.strictEqual(matchPath("DELETE", "/profile"), undefined);
});
