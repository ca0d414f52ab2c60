import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { realms } from "@game-data/schemas";
import { FilterCreate, FilterUpdate } from "../src/effect/index.ts";
import {
  characterClasses,
  Limits,
  parameterValue,
  requestTarget,
  type Route,
  type RouteName,
  routes,
} from "../src/index.ts";
import { openApiDocument } from "../src/openapi/index.ts";
import { parameterOf } from "./support/document.ts";

/** The values of a query, read as a server reads it; `undefined` if it is refused. */
const query = (name: RouteName, search: string): unknown => {
  const { params, query: rules = {} }: Route = routes[name];
  const values = Object.fromEntries(
    [...new URLSearchParams(search)].map(([key, text]) => [key, parameterValue(rules[key]!, text)]),
  );
  const { realm: _, ...path } = Object.fromEntries(Object.keys(params).map((key) => [key, "x"]));
  try {
    requestTarget(name, { ...path, ...values } as never);
    return values;
  } catch {
    return undefined;
  }
};
const takes = (name: RouteName, search: string) => query(name, search) !== undefined;
const { sort: ladderSorts } = routes["leagues.ladder"].query;
const { type: leagueTypes } = routes["leagues.list"].query;
const { type: matchTypes } = routes["pvpMatches.list"].query;

/** The default that the OpenAPI document states for a parameter. */
const statedDefault = (path: string, parameter: string): unknown =>
  parameterOf(openApiDocument(), path, parameter)?.schema.default;

const isCreate = Schema.is(FilterCreate);
const isUpdate = Schema.is(FilterUpdate);
const created = { filter_name: "Mine", realm: "pc", filter: "Show" };

describe("realms", () => {
  it("are pc, console_a, console_b and game2 [RC-005]", () =>
    assert.deepStrictEqual([...realms], ["pc", "console_a", "console_b", "game2"]));

  it("of leagues are all four, pc by default [DA-25]", () => {
    for (const name of ["leagues.list", "leagues.get"] as const) {
      for (const realm of realms) assert.isTrue(takes(name, `realm=${realm}`));
      assert.isTrue(takes(name, ""));
      assert.isFalse(takes(name, "realm=other"));
    }
    assert.strictEqual(statedDefault("/league", "realm"), "pc");
    assert.strictEqual(statedDefault("/league/{league}", "realm"), "pc");
  });

  it("of ladders and matches are those of game 1, pc by default [DA-32]", () => {
    const ladders = ["leagues.ladder", "leagues.eventLadder", "pvpMatches.ladder"] as const;
    for (const name of [...ladders, "pvpMatches.list", "pvpMatches.get"] as const) {
      for (const realm of ["pc", "console_a", "console_b"])
        assert.isTrue(takes(name, `realm=${realm}`));
      assert.isFalse(takes(name, "realm=game2"));
    }
    assert.strictEqual(statedDefault("/league/{league}/ladder", "realm"), "pc");
    assert.strictEqual(statedDefault("/pvp-match", "realm"), "pc");
  });
});

describe("league lists", () => {
  it("type is main, event or season, main by default [DA-26, DA-27]", () => {
    assert.deepStrictEqual([...leagueTypes], ["main", "event", "season"]);
    assert.deepStrictEqual(query("leagues.list", "type=event"), { type: "event" });
    assert.isFalse(takes("leagues.list", "type=other"));
    assert.strictEqual(statedDefault("/league", "type"), "main");
  });
  it("type season goes with season [DA-28]", () => {
    assert.deepStrictEqual(query("leagues.list", "type=season&season=S"), {
      type: "season",
      season: "S",
    });
    assert.isFalse(takes("leagues.list", "type=season"));
  });
  it("limit is 1 to 50, default 50, with an offset [DA-29, LM-01]", () => {
    assert.deepStrictEqual(query("leagues.list", "limit=50&offset=100"), {
      limit: 50,
      offset: 100,
    });
    for (const limit of ["0", "51", "-1", "1.5", "x", ""])
      assert.isFalse(takes("leagues.list", `limit=${limit}`), limit);
    assert.isFalse(takes("leagues.list", "offset=-1"));
    assert.strictEqual(statedDefault("/league", "limit"), 50);
  });
});

describe("ladders", () => {
  it("of leagues take limit 1 to 500, default 20, and an offset [DA-33, LM-02, LM-03]", () => {
    assert.isTrue(takes("leagues.ladder", "limit=500&offset=14999"));
    assert.isFalse(takes("leagues.ladder", "limit=501"));
    assert.strictEqual(statedDefault("/league/{league}/ladder", "limit"), 20);
  });
  it("of events take the same [DA-39]", () => {
    assert.isTrue(takes("leagues.eventLadder", "limit=500&offset=1"));
    assert.isFalse(takes("leagues.eventLadder", "limit=501"));
    assert.strictEqual(statedDefault("/league/{league}/event-ladder", "limit"), 20);
  });
  it("of PvP matches take realm, limit 1 to 200, default 20, and an offset [DA-46, LM-04]", () => {
    assert.deepStrictEqual(query("pvpMatches.ladder", "realm=console_a&limit=200&offset=1"), {
      realm: "console_a",
      limit: 200,
      offset: 1,
    });
    assert.isFalse(takes("pvpMatches.ladder", "limit=201"));
    assert.strictEqual(statedDefault("/pvp-match/{match}/ladder", "limit"), 20);
  });
  it("refuse a limit above the maximum instead of cutting it [NS-27]", () => {
    assert.isFalse(takes("leagues.ladder", `limit=${Limits.ladder.max + 1}`));
  });
  it("sort by one of seven measures [DA-34]", () => {
    assert.deepStrictEqual(
      [...ladderSorts],
      ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class"],
    );
    for (const sort of ladderSorts)
      assert.isTrue(takes("leagues.ladder", `sort=${sort}&class=witch`));
    assert.isFalse(takes("leagues.ladder", "sort=level"));
    assert.isUndefined(statedDefault("/league/{league}/ladder", "sort"));
  });
  it("sort class goes with class [DA-35]", () => {
    assert.isTrue(takes("leagues.ladder", "sort=class&class=shadow"));
    assert.isFalse(takes("leagues.ladder", "sort=class"));
  });
  it("class is one of seven [DA-36]", () => {
    assert.deepStrictEqual(
      [...characterClasses],
      ["scion", "marauder", "ranger", "witch", "duelist", "templar", "shadow"],
    );
    for (const name of characterClasses)
      assert.isTrue(takes("leagues.ladder", `sort=class&class=${name}`));
    assert.isFalse(takes("leagues.ladder", "sort=class&class=Witch"));
  });
});

describe("match lists", () => {
  it("type is upcoming by default [DA-42]", () => {
    assert.deepStrictEqual([...matchTypes], ["upcoming", "season", "league"]);
    assert.strictEqual(statedDefault("/pvp-match", "type"), "upcoming");
    assert.isTrue(takes("pvpMatches.list", ""));
  });
  it("type season goes with season, type league with league [DA-43]", () => {
    assert.isTrue(takes("pvpMatches.list", "type=season&season=S"));
    assert.isTrue(takes("pvpMatches.list", "type=league&league=L"));
    assert.isFalse(takes("pvpMatches.list", "type=season&league=L"));
    assert.isFalse(takes("pvpMatches.list", "type=league&season=S"));
  });
});

describe("filters", () => {
  it("take validate on create and on update [DA-15]", () => {
    for (const name of ["itemFilters.create", "itemFilters.update"] as const) {
      assert.deepStrictEqual(query(name, "validate=true"), { validate: true });
      assert.deepStrictEqual(query(name, ""), {});
      assert.isFalse(takes(name, "validate=maybe"));
    }
  });
  it("are created with filter_name, realm and filter at least [DA-16]", () => {
    assert.isTrue(isCreate(created));
    for (const key of ["filter_name", "realm", "filter"] as const) {
      const { [key]: _, ...incomplete } = created;
      assert.isFalse(isCreate(incomplete), key);
    }
  });
  it("are created for one of the four realms [DA-17]", () => {
    for (const realm of realms) assert.isTrue(isCreate({ ...created, realm }));
    assert.isFalse(isCreate({ ...created, realm: "other" }));
  });
  it("may be created with description, version and type [DA-18]", () => {
    const extras = { description: "d", version: "3.1", type: "Ruthless" };
    assert.isTrue(isCreate({ ...created, ...extras }));
    assert.isTrue(isCreate({ ...created, description: null, version: null, type: null }));
    assert.isFalse(isCreate({ ...created, type: "Hard" }));
  });
  it("are private unless created public [DA-19]", () => {
    assert.isTrue(isCreate({ ...created, public: true }));
    assert.isTrue(isCreate({ ...created, public: false }));
    const body = openApiDocument().components["schemas"]!["FilterCreate"] as any;
    assert.strictEqual(body.properties.public.description, "Default: false.");
    assert.notProperty(body.properties.public, "default");
    assert.notInclude(body.required, "public");
  });
  it("are updated in part [DA-21]", () => {
    assert.isTrue(isUpdate({}));
    for (const [key, value] of Object.entries(created)) assert.isTrue(isUpdate({ [key]: value }));
    assert.isFalse(isUpdate({ realm: "other" }));
    assert.isFalse(isUpdate({ filter: 1 }));
  });
  it("can only be made public by an update, never private [DA-22]", () => {
    assert.isTrue(isUpdate({ public: true }));
    assert.isFalse(isUpdate({ public: false }));
  });
  it("are sent as JSON", () => {
    for (const path of ["/item-filter", "/item-filter/{id}"]) {
      const { requestBody } = openApiDocument().paths[path]!["post"] as any;
      assert.deepStrictEqual(Object.keys(requestBody.content), ["application/json"]);
    }
  });
});

describe("streams", () => {
  it("the public stash stream takes an opaque id [ST-04]", () => {
    assert.deepStrictEqual(query("publicStashTabs.page", "id=1-2-3"), { id: "1-2-3" });
    assert.deepStrictEqual(query("publicStashTabs.page", ""), {});
  });
  it("the exchange takes a unix timestamp [CX-04]", () => {
    assert.strictEqual(
      requestTarget("currencyExchange.page", { id: 1_721_937_600 }),
      "/currency-exchange/1721937600",
    );
    for (const id of [-1, 1.5, Number.NaN, "x" as never])
      assert.throws(() => requestTarget("currencyExchange.page", { id }), /id must be an integer/);
  });
});
