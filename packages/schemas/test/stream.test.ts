import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { currenciesOf } from "../src/index.ts";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import {
  CurrencyExchangePage,
  ErrorObject,
  LadderEntry,
  League,
  ListedStash,
  Market,
  PublicStashChange,
  PublicStashPage,
  UnlistedStash,
} from "../src/effect/index.ts";
import {
  expectBrokenRule,
  expectConforming,
  expectDrift,
  expectMembers,
  hex64,
  item,
  listed,
  market,
  expectRefused,
  unlisted,
} from "./support.ts";

const optional = { accountName: "Ember#1234", stash: "~price 1 orb", league: "Standard" };

describe("PublicStashChange", () => {
  it("requires id, public, stashType and items of a listed stash [RC-035]", () => {
    expectMembers(ListedStash, { required: listed, optional });
    for (const name of ["stashType", "items"]) {
      const { [name]: _, ...without } = listed as Record<string, unknown>;
      expectRefused(PublicStashChange, without, `/${name}`);
    }
    expectRefused(PublicStashChange, { ...listed, items: "" }, "/items");
    const { public: _, ...without } = listed;
    expectRefused(PublicStashChange, without, "/public");
    expectConforming(PublicStashChange, { ...listed, ...optional });
  });

  it("has an id of 64 hexadecimal digits [RC-036]", () => {
    expectDrift(PublicStashChange, { ...listed, id: "abc" }, "other-form /id");
    expectDrift(PublicStashChange, { ...unlisted, id: hex64.slice(1) }, "other-form /id");
  });

  it("has null for the optional members of an unlisted stash [RC-037]", () => {
    expectConforming(PublicStashChange, unlisted);
    for (const [name, value] of Object.entries(optional)) {
      expectBrokenRule(PublicStashChange, { ...unlisted, [name]: value }, `/${name}`);
    }
    expectBrokenRule(PublicStashChange, { ...unlisted, items: [item] }, "/items");
  });

  it("reads an unlisted stash that is only an id [ST-08, NS-16]", () => {
    expectConforming(PublicStashChange, { id: hex64, public: false });
    expectConforming(UnlistedStash, { id: hex64, public: false, items: [], stashType: null });
    expect(Schema.is(ListedStash)({ id: hex64, public: false })).toBe(false);
  });

  it("reads a page, and points into it", () => {
    expectConforming(PublicStashPage, { next_change_id: "1-2-3-4-5", stashes: [listed, unlisted] });
    const bad = { ...listed, items: [item, { ...item, ilvl: "84" }] };
    expectRefused(
      PublicStashPage,
      { next_change_id: "1", stashes: [unlisted, bad] },
      "/stashes/1/items/1/ilvl",
    );
    expectRefused(PublicStashPage, { next_change_id: 1, stashes: [] }, "/next_change_id");
  });
});

describe("Currency exchange", () => {
  it("has a next id that is a whole hour [CX-06]", () => {
    const page = { next_change_id: 1_790_474_400, markets: [market] };
    expectMembers(CurrencyExchangePage, { required: page, optional: {} });
    expectConforming(CurrencyExchangePage, { ...page, next_change_id: 1_790_474_400 + 3600 });
    for (const later of [1, 60, 1800, 3599]) {
      expectBrokenRule(
        CurrencyExchangePage,
        { ...page, next_change_id: 1_790_474_400 + later },
        "/next_change_id",
      );
    }
    expectRefused(CurrencyExchangePage, { ...page, next_change_id: -3600 }, "/next_change_id");
    expectRefused(CurrencyExchangePage, { ...page, next_change_id: 0.5 }, "/next_change_id");
  });

  it("has markets with seven members [CX-08]", () => {
    expect(Object.keys(market)).toHaveLength(7);
    expectMembers(Market, { required: market, optional: {} });
  });

  it("joins two currencies by a pipe [CX-09]", () => {
    expect(currenciesOf(market)).toEqual(["chaos", "divine"]);
    expect(currenciesOf({ market_id: "a|b|c" })).toBeUndefined();
    for (const market_id of ["chaos", "chaos|", "a|b|c"]) {
      const kinds = Conformance.report(Market, { ...market, market_id }).map(({ kind }) => kind);
      expect(kinds).toContain("other-form");
    }
  });

  it("is judged in time that grows with its length alone", { timeout: 20_000 }, () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `c${index}`);
    const volumes = Object.fromEntries(names.map((name) => [name, 1]));
    const many = { ...market, market_id: names.join("|"), volume_traded: volumes };
    const kinds = Conformance.report(Market, { ...many, lowest_stock: volumes });
    expect(kinds.map(({ pointer }) => pointer)).not.toContain("/volume_traded");
    expect(kinds.map(({ pointer }) => pointer)).toContain("/highest_stock");
  });

  it("has dictionaries of unsigned integers by currency [CX-10]", () => {
    const dictionaries = [
      "volume_traded",
      "lowest_stock",
      "highest_stock",
      "lowest_ratio",
      "highest_ratio",
    ];
    for (const name of dictionaries) {
      expectRefused(Market, { ...market, [name]: { chaos: -1 } }, `/${name}/chaos`);
      expectRefused(Market, { ...market, [name]: { chaos: 0.5 } }, `/${name}/chaos`);
      expectBrokenRule(
        Market,
        { ...market, [name]: { chaos: 1, divine: 1, exalted: 1 } },
        `/${name}`,
      );
    }
    expectBrokenRule(Market, { ...market, volume_traded: { chaos: 1 } }, "/volume_traded");
  });
});

describe("Open points", () => {
  it("takes code and message for the Error object [NS-07]", () => {
    expectMembers(ErrorObject, { required: { code: 2, message: "Invalid query" }, optional: {} });
  });

  it("reads a game2 league, and reports the realm [NS-18]", () => {
    expectDrift(League, { id: "x", realm: "game2" }, "unknown-word /realm");
  });

  it("keeps members beyond the tables in every record, and reports them [NS-34]", () => {
    const value = { ...listed, later: { a: 1 }, items: [{ ...item, frameTypeId: "Rare" }] };
    expectDrift(PublicStashChange, value, "unknown-key /items/0/frameTypeId", "unknown-key /later");
    expect(Schema.encodeUnknownSync(PublicStashChange)(value)).toEqual(value);
  });

  it("walks structures of other schemas as well", () => {
    const Body = Schema.Struct({ change: PublicStashChange, any: Schema.Unknown });
    expect(Conformance.conforms(Body, { change: listed, any: 1 })).toBe(true);
    const pointers = Conformance.report(Body, { change: { ...listed, a: 1 }, any: {} });
    expect(pointers.map(({ pointer }) => pointer)).toEqual(["/change/a"]);
  });

  it("tells null and false that the specification permits, when asked to", () => {
    const Body = Schema.Struct({ entry: LadderEntry });
    const character = { id: hex64, name: "Ada", level: 1, class: "Witch", time: null };
    const value = { entry: { rank: 1, dead: false, retired: true, character } };
    expect(Drift.report(Body, value)).toEqual([]);
    const told = Drift.report(Body, value, { explicit: true });
    expect(told.map(({ accepted, kind, pointer }) => [kind, pointer, accepted])).toEqual([
      ["explicit-false", "/entry/dead", true],
      ["explicit-null", "/entry/character/time", true],
    ]);
    const lacking = Drift.report(League, { id: "x", category: { id: null } }, { explicit: true });
    expect(lacking.map(({ kind, pointer }) => `${kind} ${pointer}`)).toEqual([
      "missing /category/id",
    ]);
  });

  it("counts deviations by kind and member", () => {
    const value = {
      ...listed,
      items: [
        { ...item, a: 1 },
        { ...item, a: 1 },
        { ...item, a: "x" },
      ],
    };
    const summary = Drift.summary(Drift.report(PublicStashChange, value));
    expect([...summary]).toEqual([
      ["unknown-key Item.a: integer", 2],
      ["unknown-key Item.a: string", 1],
    ]);
  });
});
