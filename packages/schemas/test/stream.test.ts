import { Schema } from "effect";
import { expect, it } from "vitest";
import { PublicStashChange as Change, currenciesOf } from "../src/index.ts";
import * as Conformance from "../src/Conformance.ts";
import * as Schemas from "../src/effect/index.ts";
import { about, expectConforming, expectDrift, hex64, item } from "./support.ts";
import { listed, market as hour, unlisted } from "./support.ts";

const { CurrencyExchangePage, League, ListedStash, Market, PublicStashChange } = Schemas;
const optional = { accountName: "Ember#1234", stash: "~price 1 orb", league: "Standard" };
const change = about(PublicStashChange, listed);
const gone = about(PublicStashChange, unlisted);
const market = about(Market, hour);

it("a listed PublicStashChange requires id, public, stashType and items [RC-035]", () => {
  about(ListedStash, listed).hasMembers(optional);
  change.needs("", "stashType", "items", "public");
  change.refuses({ "/items": [""] });
  expectConforming(PublicStashChange, { ...listed, ...optional });
});

it("Drift reports a PublicStashChange whose id is not 64 hexadecimal digits [RC-036]", () => {
  for (const one of [change, gone]) one.drifts("other-form", { "/id": ["abc", hex64.slice(1)] });
});

it("Conformance reports an unlisted PublicStashChange whose optional members are not null [RC-037]", () => {
  gone.takes();
  for (const [name, value] of Object.entries(optional)) gone.breaks({ [`/${name}`]: [value] });
  gone.breaks({ "/items": [[item]] });
});

it("PublicStashChange accepts an unlisted stash that has only id and public [ST-08, NS-16]", () => {
  const id = { id: hex64, public: false };
  expectConforming(PublicStashChange, id);
  expectConforming(Schemas.UnlistedStash, { ...id, items: [], stashType: null });
  expect(Schema.is(ListedStash)(id)).toBe(false);
});

it("Conformance reports a CurrencyExchangePage whose next id is not a whole hour [CX-06]", () => {
  const start = 1_790_474_400;
  const page = about(CurrencyExchangePage, { next_change_id: start, markets: [hour] });
  page.hasMembers({});
  page.takes({ "/next_change_id": [start + 3600] });
  page.breaks({ "/next_change_id": [1, 60, 1800, 3599].map((later) => start + later) });
  page.refuses({ "/next_change_id": [-3600, 0.5] });
});

it("Market requires seven members, and has no others [CX-08]", () => {
  expect(Object.keys(hour)).toHaveLength(7);
  market.hasMembers({});
});

it("currenciesOf splits a market id at the pipe, and Conformance reports an id without a pair [CX-09]", () => {
  expect(currenciesOf(hour)).toEqual(["chaos", "divine"]);
  for (const market_id of ["a|b|c", "a|", "|b", "|", "a"])
    expect(currenciesOf({ market_id })).toBeUndefined();
  for (const market_id of ["chaos", "chaos|", "a|b|c"]) {
    const kinds = Conformance.report(Market, { ...hour, market_id }).map(({ kind }) => kind);
    expect(kinds).toContain("other-form");
  }
});

it("Market refuses negative numbers and fractions, and Conformance reports a foreign currency [CX-10]", () => {
  const { league: _, market_id: __, ...dictionaries } = hour;
  for (const name of Object.keys(dictionaries)) {
    market.refuses({ [`/${name}/chaos`]: [-1, 0.5] });
    market.breaks({ [`/${name}`]: [{ chaos: 1, divine: 1, exalted: 1 }] });
  }
  market.breaks({ "/volume_traded": [{ chaos: 1 }] });
});

it("ErrorObject requires code and message, and has no other member [NS-07]", () =>
  about(Schemas.ErrorObject, { code: 2, message: "Invalid query" }).hasMembers({}));

it("League accepts the realm game2, and Drift reports it because the table does not list it [NS-18]", () =>
  about(League, { id: "x" }).drifts("unknown-word", { "/realm": ["game2"] }));

it("records keep members beyond the tables, and Drift reports them [NS-34]", () => {
  const value = { ...listed, later: { a: 1 }, items: [{ ...item, frameTypeId: "Rare" }] };
  expectDrift(PublicStashChange, value, "unknown-key /later", "unknown-key /items/0/frameTypeId");
  expect(Schema.encodeUnknownSync(PublicStashChange)(value)).toEqual(value);
});

it("Conformance compares a value with a type in the notation", () => {
  const Body = { change: Change, any: "any" } as const;
  expect(Conformance.conforms(Body, { change: listed, any: 1 })).toBe(true);
  const pointers = Conformance.report(Body, { change: { ...listed, a: 1 }, any: {} });
  expect(pointers.map(({ pointer }) => pointer)).toEqual(["/change/a"]);
});
