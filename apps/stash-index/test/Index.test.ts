/**
 * The index against a plain model: the same listings after any changes, and the same search results
 * for any filters, in the same order, whichever way the search walks.
 */
import type { DatabaseSync } from "node:sqlite";
import { Effect } from "effect";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { facetsOf } from "../src/indexer/facets.ts";
import { make } from "../src/indexer/itemIndexer.ts";
import { checkPrice } from "../src/web/priceCheck.ts";
import { openScope, search } from "../src/web/search.ts";
import { fullText } from "../src/web/filters.ts";
import { InvalidParameter } from "../src/web/Reader.ts";
import { type Filters, SORTS } from "../src/web/Parameters.ts";
import {
  applyPages,
  type GeneratedChange,
  hourPage,
  isMatch,
  itemOf,
  marketOf,
  type ModelItem,
  modelOf,
  modsByTemplate,
  openIndex,
  stashOf,
  streamPage,
} from "./support/changes.ts";

const LEAGUES = ["Standard", "Tidewrack"];
const BASES = ["Alder Rod", "Slate Band", "Pewter Band", "Löwen Helm"];
const CODES = ["gilt-orb", "tide-shard", "dusk-orb"];
/** Powers of two: amounts convert without a rounding error, so ties are ties in the model too. */
const VALUES = new Map([
  ["gilt-orb", 1],
  ["tide-shard", 0.25],
  ["dusk-orb", 8],
  ["lost-coin", Number.NaN],
]);
const MODS = ["+# to maximum Vigour", "#% increased Ward", "+#% to Frost Resistance"];

const hex = fc.integer({ min: 0, max: 40 }).map((n) => n.toString(16).padStart(64, "0"));
const itemId = fc
  .integer({ min: 0, max: 30 })
  .map((n) => n.toString(16).padStart(12, "0").padEnd(64, "a"));
const mod = fc
  .tuple(fc.constantFrom(...MODS), fc.integer({ min: 1, max: 99 }))
  .map(([template, value]) => template.replace("#", String(value)));
const note = fc
  .tuple(
    fc.constantFrom("~price", "~b/o", "~offer"),
    fc.integer({ min: 1, max: 12 }),
    fc.constantFrom(...CODES, "lost-coin"),
  )
  .map(([kind, amount, code]) => `${kind} ${amount} ${code}`);

const item = fc.record(
  {
    id: itemId,
    name: fc.constantFrom("", "Quiet Anchor"),
    typeLine: fc.constantFrom(...BASES),
    baseType: fc.constantFrom(...BASES),
    frameType: fc.integer({ min: 0, max: 3 }),
    ilvl: fc.integer({ min: 1, max: 86 }),
    note,
    sockets: fc.array(fc.record({ group: fc.integer({ min: 0, max: 2 }) }), { maxLength: 6 }),
    explicitMods: fc.array(mod, { maxLength: 3 }),
  },
  { requiredKeys: ["id", "name", "typeLine", "baseType", "frameType", "ilvl"] },
);

const change: fc.Arbitrary<GeneratedChange> = fc
  .record({
    id: hex,
    public: fc.boolean(),
    accountName: fc.constantFrom("Ada#1", "Bo#2"),
    stash: fc.constantFrom("Tab", "~price 3 gilt-orb"),
    stashType: fc.constant("PremiumStash"),
    league: fc.constantFrom(...LEAGUES),
    items: fc.array(item, { maxLength: 8 }),
  })
  .map((each) =>
    each.public ? each : { ...each, accountName: null, stash: null, league: null, items: [] },
  ) as fc.Arbitrary<GeneratedChange>;

/** Any code point but surrogates; fast-check's own unit takes a second for a table of them all. */
const character = fc
  .nat({ max: 0x10f7ff })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800));

const bound = fc.integer({ min: 1, max: 90 });
const maybe = fc.option(bound, { nil: undefined });
const anyFilters: fc.Arbitrary<Filters> = fc.record(
  {
    league: fc.constantFrom(...LEAGUES),
    q: fc.constantFrom("band", "al", "slate ba", "band pewter", "lowen"),
    base: fc.constantFrom(...BASES),
    rarity: fc.constantFrom("magic", "rare", "unique"),
    ilvlMin: bound,
    ilvlMax: bound,
    socketsMin: fc.integer({ min: 0, max: 6 }),
    linksMin: fc.integer({ min: 0, max: 6 }),
    mod: fc.array(
      fc.record({ template: fc.constantFrom(...MODS, "no such mod"), min: maybe, max: maybe }),
      { maxLength: 2 },
    ),
    modText: fc.constantFrom("vigour", "resi", "increased ward"),
    priceMin: fc.integer({ min: 0, max: 8 }),
    priceMax: fc.integer({ min: 1, max: 60 }),
    currency: fc.constant("gilt-orb"),
  },
  { requiredKeys: ["league", "currency"] },
);
/** Ranges that end before they begin are refused by name. */
const filters = anyFilters.filter(
  ({ ilvlMax = Infinity, ilvlMin = 0, priceMax = Infinity, priceMin = 0 }) =>
    ilvlMin <= ilvlMax && priceMin <= priceMax,
);

const onlyWords = ({ currency = "", league = "", q }: Filters): Filters => ({
  ...{ currency, league },
  ...(q !== undefined && { q }),
});

/** Runs of a property: a third of those that CI makes. */
const runs = (all: number) => ({
  numRuns: process.env["REQUIRE_SERVICES"] === "1" ? all : Math.ceil(all / 3),
});

/** An index over pages of changes and the hour of the exchange, until the test is over. */
const openWith = async (pages: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const { close, items, markets, reader } = await openIndex();
  onTestFinished(close);
  applyPages(
    items,
    pages.map((changes, at) => streamPage(at + 1, changes)),
  );
  applyPages(markets, [hourPage(3600, HOUR)]);
  return { db: items.db, reader, rows: (sql: string) => items.db.prepare(sql).all() };
};

/** The exchange of every league: one gilt-orb is four tide-shards, a dusk-orb eight gilt-orbs. */
const HOUR = LEAGUES.flatMap((league) => [
  marketOf(league, "gilt-orb|tide-shard", 4),
  marketOf(league, "dusk-orb|gilt-orb", 8),
]);

/** An index over thirty pages of changes, and the model of them. */
const openSampled = async (seed: number) => {
  const ten = fc.array(change, { minLength: 10, maxLength: 10 });
  const pages = fc.sample(ten, { numRuns: 30, seed });
  return { model: modelOf(pages.flat()), ...(await openWith(pages)) };
};

const valueOf = ({ facts: { price } }: ModelItem): number | undefined => {
  const value =
    price === undefined ? Number.NaN : price.amount * (VALUES.get(price.currency) ?? Number.NaN);
  return Number.isNaN(value) ? undefined : value;
};

/** The words of each item in the full-text table, and as its row has them. */
const facetsHeld = (db: DatabaseSync): ReadonlySet<string> => {
  db.exec("CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, item_facet, instance)");
  const words = db.prepare("SELECT doc, term FROM temp.word").all();
  return new Set(words.map(({ doc, term }) => `${doc} ${term}`));
};
const facetsOfRows = (db: DatabaseSync): ReadonlySet<string> => {
  const rows = db.prepare("SELECT no, league, term, mods FROM item").all();
  return new Set(
    rows.flatMap(({ league, mods, no, term }) =>
      facetsOf(Number(league), Number(term), String(mods))
        .split(" ")
        .map((word) => `${no} ${word}`),
    ),
  );
};

describe("the index", () => {
  it("holds the last appearance of every stash, whatever came before", async () => {
    const ROWS = `SELECT league.name AS league, item.key, term.base, term.name, item.rarity,
        item.ilvl, item.sockets, item.links, item.amount, currency.code, item.mods
      FROM item JOIN league ON league.no = item.league JOIN term ON term.no = item.term
      LEFT JOIN currency ON currency.no = item.currency`;
    /** A listing as one line, whose members are in one order. */
    const lineOf = (
      row: Readonly<Record<string, unknown>>,
      mods: Readonly<Record<string, number>>,
    ) => JSON.stringify([row, mods].map((each) => Object.entries(each).toSorted()));
    const pagesOf = fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 });
    const expectHeld = Effect.fnUntraced(function* (
      pages: ReadonlyArray<ReadonlyArray<GeneratedChange>>,
    ) {
      const index = yield* make(":memory:");
      const { db } = index;
      applyPages(
        index,
        pages.map((changes, at) => streamPage(at + 1, changes)),
      );
      const found = db
        .prepare(ROWS)
        .all()
        .map(({ key, mods, ...row }) => {
          const shown = { ...row, key: Number(key).toString(16).padStart(12, "0") };
          return lineOf(shown, modsByTemplate(db, String(mods)));
        });
      const model = modelOf(pages.flat());
      const expected = model.map(({ facts, id, league }) => {
        const { base, ilvl, links, mods, name, price, rarity, sockets } = facts;
        const { amount = null, currency: code = null } = price ?? {};
        const shape = { league, base, name, rarity, ilvl, sockets, links, amount, code };
        return lineOf({ ...shape, key: id.slice(0, 12) }, Object.fromEntries(mods));
      });
      expect(found.toSorted()).toEqual(expected.toSorted());
      db.exec("INSERT INTO item_facet (item_facet) VALUES ('integrity-check')");
      expect(facetsHeld(db)).toEqual(facetsOfRows(db));
      const listed = db.prepare("SELECT name, listed FROM league WHERE listed <> 0").all();
      const counts = Map.groupBy(model, ({ league }) => league);
      expect(new Map(listed.map(({ listed: n, name }) => [name, n]))).toEqual(
        new Map([...counts].map(([name, all]) => [name, all.length])),
      );
    }, Effect.scoped);
    await fc.assert(
      fc.asyncProperty(pagesOf, (pages) => Effect.runPromise(expectHeld(pages))),
      runs(60),
    );
  });

  it("finds what a scan finds, in the order of one currency, page by page", async () => {
    const { model, reader } = await openSampled(7);
    fc.assert(
      fc.property(
        // Of many filters at once few items are left, and no second page.
        fc.oneof(filters, filters.map(onlyWords)),
        fc.constantFrom("price", "-price"),
        fc.integer({ min: 1, max: 9 }),
        (asked, sort, limit) => {
          const found: Array<number> = [];
          const opened = openScope(reader, asked);
          let cursor;
          do {
            const page = search(opened, { sort: sort as "price", limit, cursor });
            found.push(...page.hits.map(({ value }) => value!));
            expect(found.length).toBeLessThanOrEqual(model.length);
            cursor = page.next;
          } while (cursor !== undefined);
          const expected = model
            .filter((each) => isMatch(each, asked, valueOf(each)))
            .flatMap((each) => valueOf(each) ?? [])
            .toSorted((a, b) => (sort === "price" ? a - b : b - a));
          expect(found).toEqual(expected);
        },
      ),
      runs(300),
    );
    expect(model.length).toBeGreaterThan(50);
  });

  it("keeps how a listing ended: sold, unlisted, repriced, changed", async () => {
    const priced = (no: number, amount: number, ilvl = 10) =>
      itemOf(no, { note: `~price ${amount} gilt-orb`, ilvl });
    const c = priced(3, 3);
    const hidden = { public: false, accountName: null, stash: null, league: null };
    const { reader, rows } = await openWith([
      [stashOf([priced(1, 1), priced(2, 2), c])],
      [stashOf([priced(1, 4), c])],
      [stashOf([priced(1, 4), priced(3, 3, 11)])],
      [stashOf([], hidden)],
    ]);
    const gone = rows("SELECT amount, reason, gone_at AS at FROM gone ORDER BY no");
    expect(gone.map(({ amount, at, reason }) => [amount, reason, at])).toEqual([
      [1, 2, 2000],
      [2, 0, 2000],
      [3, 3, 3000],
      [4, 1, 4000],
      [3, 1, 4000],
    ]);
    const outcomeOf = (asked: Filters) =>
      checkPrice(openScope(reader, { league: "Standard", base: "Alder Rod", ...asked })).outcome;
    expect(outcomeOf({})).toMatchObject({ sold: 1, repriced: 1, unlisted: 2, stayed: 0 });
    expect(outcomeOf({ ilvlMin: 11 })).toMatchObject({ sold: 0, repriced: 0, unlisted: 1 });
    expect(outcomeOf({ priceMin: 0, priceMax: 0 })).toMatchObject({ sold: 0, unlisted: 0 });
  });

  it("counts as still listed what it counts as listings, under any filters", async () => {
    const { model, reader } = await openSampled(11);
    let found = 0;
    fc.assert(
      fc.property(filters, fc.boolean(), (all, hasBaseOnly) => {
        const { base = BASES[0], currency, ilvlMax, league } = all;
        const loose = { league, currency, base, ...(ilvlMax !== undefined && { ilvlMax }) };
        const asked = hasBaseOnly ? (loose as Filters) : all;
        const { listings, outcome } = checkPrice(openScope(reader, asked));
        const priced = (each: ModelItem) =>
          isMatch(each, asked, valueOf(each)) && valueOf(each) !== undefined;
        expect(listings).toBe(model.filter(priced).length);
        if (outcome !== null) expect(outcome.stayed).toBe(listings);
        found += outcome?.stayed ?? 0;
      }),
      runs(200),
    );
    expect(found).toBeGreaterThan(50);
  });

  it.each([
    ["few", [1, 1, 1], 0],
    [null, [10, 10, 11, 11, 12, 12, 13, 13, 1000], 1],
    ["wide", [1, 1, 1, 2, 2, 50, 60, 70, 80], 0],
  ])("says whether one price speaks for the listings: %s", async (doubt, prices, outliers) => {
    const list = prices.map((price, no) => itemOf(no, { note: `~price ${price} gilt-orb` }));
    const { reader } = await openWith([[stashOf(list)]]);
    const check = checkPrice(openScope(reader, { league: "Standard", base: "Alder Rod" }));
    expect(check).toMatchObject({ doubt, outliers, kinds: 1, listings: prices.length });
    const drawn = check.histogram.reduce((sum, each) => sum + each.count, 0);
    expect(drawn).toBe(check.histogram.length === 0 ? 0 : prices.length - outliers);
  });

  it("sets a change aside that it cannot read, and an item, and applies those beside them", async () => {
    const bad = [
      null,
      {},
      ...[{ public: "yes" }, { items: 3 }, { league: 5 }].map((member) => stashOf([], member)),
    ];
    const long = "x".repeat(100_000);
    const texts = { accountName: long, stash: long, stashType: long };
    const odd = { toString: 1, valueOf: 1 };
    const mixed = stashOf([null, [], itemOf(2, { note: odd }), itemOf(1)], texts);
    const { rows } = await openWith([[], [...bad, mixed]]);
    expect(rows("SELECT ilvl FROM item")).toEqual([{ ilvl: 10 }]);
    const aside = rows("SELECT seq, place, message FROM quarantine");
    expect(aside).toHaveLength(bad.length + 1);
    expect(aside).toContainEqual({ seq: 2, place: 4, message: "league is not a string" });
    const causes =
      "item 0: is not an object; item 1: is not an object; item 2: note is not a string";
    expect(aside).toContainEqual({ seq: 2, place: bad.length, message: `${causes} (3 of 4)` });
    expect(
      rows(`SELECT length(tab.name) AS tab, length(type) AS type, length(seller.name) AS seller
        FROM tab JOIN seller ON seller.no = tab.seller`),
    ).toEqual([{ tab: 500, type: 500, seller: 500 }]);
  });
});

describe("full text", () => {
  it("reads no input as syntax: every text is refused or searched", async () => {
    const { reader } = await openWith([fc.sample(change, { numRuns: 50, seed: 3 })]);
    const syntax = fc.array(
      fc.constantFrom(
        ...['"', "*", "(", ")", ":", "^", "-", "+", "{", "}", ",", "\0", "'", ";"],
        ...["NEAR", "AND", "OR", "NOT", "words", "band", "\u{301}", "ß", "\ud800"],
      ),
      { maxLength: 14 },
    );
    const input = fc.oneof(
      fc.string({ unit: character, maxLength: 60 }),
      syntax.map((parts) => parts.join("")),
      syntax.map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(
        input,
        fc.constantFrom("q", "modText"),
        fc.constantFrom(...SORTS),
        (text, where, sort) => {
          const asked = {
            league: "Standard",
            [where]: text,
            ...(sort === "relevance" ? { q: text } : {}),
          };
          try {
            const { hits } = search(openScope(reader, asked), { sort, limit: 5 });
            expect(hits.length).toBeLessThanOrEqual(5);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidParameter);
            expect(fullText(text)).toBeUndefined();
          }
        },
      ),
      runs(600),
    );
  });
});
