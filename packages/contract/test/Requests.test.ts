import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { realms } from "@game-data/schemas";
import { bodySchemas } from "../src/effect.ts";
import {
  characterClasses,
  parametersOf,
  parameterValue,
  requestTarget,
  type Route,
  type RouteName,
  routes,
} from "../src/index.ts";
import { document } from "./support/document.ts";

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

const isCreate = Schema.is(bodySchemas.FilterCreate);
const isUpdate = Schema.is(bodySchemas.FilterUpdate);
const created = { filter_name: "Mine", realm: "pc", filter: "Show" };

/** Pages of at most so many, of 20 unless told otherwise. */
const page = (max: number) => ({
  takes: [`limit=${max}&offset=14999`, ""],
  refuses: [...[max + 1, 0, -1, 1.5, "x", ""].map((limit) => `limit=${limit}`), "offset=-1"],
});
const realm = {
  takes: ["pc", "console_a", "console_b", "game2"].map((one) => `realm=${one}`),
  refuses: ["realm=other"],
};
const realmOf1 = {
  takes: ["", "realm=pc", "realm=console_a", "realm=console_b"],
  refuses: ["realm=game2"],
};

type Queries = { readonly takes: ReadonlyArray<string>; readonly refuses: ReadonlyArray<string> };

it.each<[RouteName, what: string, Queries]>([
  ["leagues.list", "realms of both games", realm],
  ["leagues.get", "realms of both games", realm],
  ["leagues.ladder", "realms of game 1", realmOf1],
  ["leagues.eventLadder", "realms of game 1", realmOf1],
  ["pvpMatches.ladder", "realms of game 1", realmOf1],
  ["pvpMatches.list", "realms of game 1", realmOf1],
  ["pvpMatches.get", "realms of game 1", realmOf1],
  ["leagues.list", "pages", page(50)],
  ["leagues.ladder", "pages", page(500)],
  ["leagues.eventLadder", "pages", page(500)],
  ["pvpMatches.ladder", "pages", page(200)],
  [
    "leagues.list",
    "types, and a season with one of them",
    {
      takes: ["type=main", "type=event", "type=season&season=S"],
      refuses: ["type=x", "type=season"],
    },
  ],
  [
    "pvpMatches.list",
    "types, and a season or a league with two of them",
    {
      takes: ["type=upcoming", "type=season&season=S", "type=league&league=L"],
      refuses: ["type=season&league=L", "type=league&season=S", "type=main"],
    },
  ],
  [
    "leagues.ladder",
    "measures, and a class with one of them",
    {
      takes: ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class&class=shadow"].map(
        (sort) => `sort=${sort}`,
      ),
      refuses: ["sort=level", "sort=class", "sort=class&class=Witch"],
    },
  ],
  ["itemFilters.create", "validate", { takes: ["", "validate=true"], refuses: ["validate=maybe"] }],
  ["itemFilters.update", "validate", { takes: ["", "validate=true"], refuses: ["validate=maybe"] }],
  ["publicStashTabs.page", "an opaque id", { takes: ["", "id=1-2-3"], refuses: ["id="] }],
])(
  "the query of %s accepts %s, and nothing else [RC-005, DA-15, DA-25, DA-27, DA-28, DA-29, DA-32, DA-33, DA-34, DA-35, DA-39, DA-43, DA-46, LM-01, LM-03, LM-04, ST-04, NS-27]",
  (name, _, queries) => {
    for (const search of queries.takes) assert.isTrue(takes(name, search), search);
    for (const search of queries.refuses) assert.isFalse(takes(name, search), search);
  },
);

it.each<[RouteName, defaults: object]>([
  ["leagues.list", { realm: "pc", type: "main", limit: 50, offset: 0 }],
  ["leagues.get", { realm: "pc" }],
  ["leagues.ladder", { realm: "pc", limit: 20, offset: 0 }],
  ["leagues.eventLadder", { realm: "pc", limit: 20, offset: 0 }],
  ["pvpMatches.list", { realm: "pc", type: "upcoming" }],
  ["pvpMatches.ladder", { realm: "pc", limit: 20, offset: 0 }],
])(
  "the parameters of %s have the defaults %j [DA-25, DA-26, DA-29, DA-32, DA-33, DA-39, DA-42, DA-46, LM-02]",
  (name, defaults) => {
    const stated = parametersOf(name).filter((parameter) => parameter.default !== undefined);
    const values = stated.map((parameter) => [parameter.name, parameter.default]);
    assert.deepStrictEqual<unknown>(Object.fromEntries(values), defaults);
  },
);

it("the queries of leagues, ladders and matches accept the specification's types, sorts and classes [DA-27, DA-34, DA-36, DA-42]", () => {
  const { query: ladder } = routes["leagues.ladder"];
  const sorts = ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class"];
  const classes = ["scion", "marauder", "ranger", "witch", "duelist", "templar", "shadow"];
  assert.deepStrictEqual([...routes["leagues.list"].query.type], ["main", "event", "season"]);
  const matchTypes = ["upcoming", "season", "league"];
  assert.deepStrictEqual([...routes["pvpMatches.list"].query.type], matchTypes);
  assert.deepStrictEqual([...ladder.sort], sorts);
  assert.deepStrictEqual<unknown>([...characterClasses], classes);
  for (const name of classes) assert.isTrue(takes("leagues.ladder", `sort=class&class=${name}`));
});

describe("filters", () => {
  it("creating a filter requires filter_name, filter and one of four realms [DA-16, DA-17]", () => {
    for (const one of realms) assert.isTrue(isCreate({ ...created, realm: one }));
    assert.isFalse(isCreate({ ...created, realm: "other" }));
    for (const key of ["filter_name", "realm", "filter"] as const) {
      const { [key]: _, ...incomplete } = created;
      assert.isFalse(isCreate(incomplete), key);
    }
  });
  it("creating a filter accepts a description, a version and a documented type [DA-18]", () => {
    const extras = { description: "d", version: "3.1", type: "Ruthless" };
    assert.isTrue(isCreate({ ...created, ...extras }));
    assert.isTrue(isCreate({ ...created, description: null, version: null, type: null }));
    assert.isFalse(isCreate({ ...created, type: "Hard" }));
  });
  it("creating a filter does not require `public`, which is documented as false by default [DA-19]", () => {
    for (const isPublic of [true, false]) assert.isTrue(isCreate({ ...created, public: isPublic }));
    const body = document.components["schemas"]!["FilterCreate"] as any;
    assert.strictEqual(body.properties.public.description, "Default: false.");
    assert.notProperty(body.properties.public, "default");
    assert.notInclude(body.required, "public");
  });
  it("updating a filter accepts each member alone, but `public` only as true [DA-21, DA-22]", () => {
    for (const [key, value] of Object.entries(created)) assert.isTrue(isUpdate({ [key]: value }));
    for (const part of [{}, { public: true }]) assert.isTrue(isUpdate(part));
    for (const part of [{ realm: "other" }, { filter: 1 }, { public: false }])
      assert.isFalse(isUpdate(part));
  });
});

it("currencyExchange.page takes a Unix timestamp as id, and refuses other values [CX-04]", () => {
  const path = requestTarget("currencyExchange.page", { id: 1_721_937_600 });
  assert.strictEqual(path, "/currency-exchange/1721937600");
  for (const id of [-1, 1.5, Number.NaN, "x" as never])
    assert.throws(() => requestTarget("currencyExchange.page", { id }), /id must be an integer/);
});
