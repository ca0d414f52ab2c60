/** What the index keeps of listings that end, and of rows that cannot be read. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { QUERIES } from "../src/search/queries.ts";
import { sql } from "../src/search/Reader.ts";
import {
  hourPage,
  item,
  market,
  openTestIndex,
  stash,
  stashPage,
  type TestIndex,
} from "./support/testIndex.ts";

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex();
  await index.apply([hourPage(3600, [market("Standard", "gilt-orb|tide-shard", 4)])]);
});
afterEach(() => index.close());

const rows = (query: Parameters<TestIndex["reader"]["all"]>[0]) =>
  index.reader.all<Readonly<Record<string, any>>>(query);
const priced = (no: number, amount: number, ilvl = 10) =>
  item(no, { note: `~price ${amount} gilt-orb`, ilvl });

it("the index keeps how a listing ended: sold, unlisted, repriced or changed", async () => {
  const pages = [
    [priced(1, 1), priced(2, 2), priced(3, 3)],
    [priced(1, 4), priced(3, 3)],
    [priced(1, 4), priced(3, 3, 11)],
  ];
  const hidden = { public: false, accountName: null, stash: null, league: null };
  await index.apply([
    ...pages.map((items, at) => stashPage(at + 1, [stash(items)])),
    stashPage(4, [stash([], hidden)]),
  ]);
  const ended = rows(sql`SELECT amount, ended, ended_at AS at FROM item ORDER BY ended_at, no`);
  expect(ended.map(({ amount, at, ended: how }) => [amount, how, at])).toEqual([
    [1, "repriced", 2000],
    [2, "sold", 2000],
    [3, "changed", 3000],
    [4, "unlisted", 4000],
    [3, "unlisted", 4000],
  ]);
  const changes = (after: number) =>
    QUERIES.changes(index.reader, { after, until: 4 }).map((change) => change.ended);
  expect(changes(3)).toEqual(["unlisted", "unlisted"]);
  expect(changes(1).toSorted()).toEqual(["changed", "repriced", "sold", "unlisted", "unlisted"]);
  // Two weeks later they are forgotten.
  await index.apply([stashPage(5 + 14 * 86_400, [])]);
  expect(rows(sql`SELECT no FROM item UNION ALL SELECT no FROM item_doc`)).toEqual([]);
});

it("the index records unreadable rows and items in `skipped`, and applies the others", async () => {
  const bad = [null, {}, stash([], { public: "yes" }), stash(3)];
  const long = "x".repeat(100_000);
  const odd = { toString: 1, valueOf: 1 };
  const explicitMods = ["<uniqueitem>{Ochre Saddle}", "[Ember|Fire] 5"];
  const items = [null, [], item(2, { note: odd }), item(1, { explicitMods })];
  const mixed = stash(items, { id: "f".repeat(64), accountName: long, stash: long });
  await index.apply([stashPage(1, [...bad, mixed])]);
  expect(rows(sql`SELECT ilvl FROM item`)).toEqual([{ ilvl: 10 }, { ilvl: 10 }]);
  const shown = rows(sql`SELECT doc FROM item_doc`).map(({ doc }) => JSON.parse(doc));
  expect(shown).toEqual([["Alder Rod"], ["Alder Rod", "Ochre Saddle", "Fire 5"]]);
  const skipped = rows(sql`SELECT place, message FROM skipped ORDER BY place`);
  expect(skipped.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4]);
  expect(skipped[4]!["message"]).toBe("2 items are not objects: 0, 1");
  expect(rows(sql`SELECT length(seller) AS seller, length(name) AS name FROM tab`)).toEqual([
    { seller: 500, name: 500 },
  ]);
});

it("filters of a pasted item have no mod for its fields, even if a listing has such a mod", async () => {
  await index.apply([stashPage(1, [stash([item(1, { explicitMods: ["Tier: 84"] })])])]);
  expect(QUERIES.filters(index.reader, { item: "Rarity:\nA\n----\nTier: 84" }).mod).toEqual([]);
});

it("no text of a search is parsed as syntax of the full-text search", async () => {
  await index.apply([stashPage(1, [stash([item(1, { explicitMods: ["+1 to Vigour"] })])])]);
  const parts = [
    ...['"', "*", "(", ")", ":", "^", "-", "+", "{", "}", ",", "\0", "'", ";", "%", "_"],
    ...["NEAR", "AND", "OR", "NOT", "words", "band", "\u{301}", "ß", "\ud800", "Löwen", "1e9"],
  ];
  const expectFound = (filters: object) =>
    expect(() => QUERIES.search(index.reader, { league: "Standard", ...filters })).not.toThrow();
  for (const text of parts)
    for (const filters of [{ q: text }, { modText: text }, { base: text, seller: text }])
      expectFound(filters);
  for (const text of parts.flatMap((a) => parts.map((b) => `${a}${b} vig`)))
    expectFound({ q: text });
});
