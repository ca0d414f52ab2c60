/**
 * What strangers write: each text member of a stream page and each parameter of the API gets its
 * worst input, which costs little and stops nothing.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Item, ListedStash } from "@game-data/schemas/effect";
import { cpuOf } from "@game-data/test-support";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QUERIES, type Queries } from "../src/web/queries.ts";
import { QueryPool } from "../src/web/QueryPool.ts";
import { InvalidParameter, type Reader } from "../src/web/Reader.ts";
import { openScope } from "../src/web/search.ts";
import * as changes from "./support/changes.ts";

const { applyPages, stashOf, streamPage } = changes;
const MOST_MILLIS = 200;

/** Texts that make a backtracking expression slow, and texts that make anything slow. */
const WORST = [
  " ".repeat(99_000),
  `1${" ".repeat(99_000)}x`,
  `~price 1${" ".repeat(99_000)}`,
  "a".repeat(100_000),
  "1".repeat(100_000),
  `${"1.".repeat(50_000)}x`,
  "<".repeat(100_000),
  "<a>{".repeat(25_000),
  "[a|".repeat(33_000),
  "(implicit)".repeat(10_000),
  "\n".repeat(100_000),
  "-".repeat(100_000),
  `Rarity: Rare\nA\nB\n--------\n1${" ".repeat(99_000)}x`,
  "\u{1f600}".repeat(50_000),
  "\ud800".repeat(100_000),
  Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(" "),
];

/** Values where a text belongs. */
const NO_TEXTS: ReadonlyArray<unknown> = [
  { toString: 1, valueOf: 1 },
  { toWellFormed: 1, length: -1 },
  [[[[1]]]],
  null,
  true,
  1e308,
  { __proto__: null, slice: "x" },
];

const MEMBERS = {
  name: "Quiet Anchor",
  frameType: 3,
  rarity: "Unique",
  note: "~price 1 gilt-orb",
  explicitMods: ["+1 to maximum Vigour"],
};
const ITEM = changes.itemOf(1, MEMBERS);

let db: changes.OpenIndex;
let reader: Reader;

beforeAll(async () => {
  db = await changes.openIndex();
  ({ reader } = db);
  const codes = Array.from({ length: 300 }, (_, n) => `coin-${n}`);
  const markets = codes.flatMap((first, at) =>
    codes
      .slice(at + 1)
      .map((second) => changes.marketOf("Standard", `${first}|${second}`, 1 + at / 300)),
  );
  applyPages(db.markets, [changes.hourPage(3600, markets)]);
  const wordy = (n: number) =>
    changes.itemOf(n, {
      ...{ ...MEMBERS, note: `~price 1 word-${n}`, name: `Word${n} of Many` },
      explicitMods: [`+1 to word${n % 5000}`],
    });
  const pageOf = (page: number) => {
    const items = Array.from({ length: 1000 }, (_, n) => wordy(page * 1000 + n));
    return streamPage(page + 1, [stashOf(items, { id: page.toString(16).padStart(64, "0") })]);
  };
  applyPages(
    db.items,
    Array.from({ length: 100 }, (_, page) => pageOf(page)),
  );
}, 120_000);

afterAll(() => db?.close());

describe("a page of the stream", () => {
  const countOf = (sql: string) => Number(db.items.db.prepare(sql).get()?.["n"]);
  let seq = 200;

  // Every member that the records have: one that is new is tried as well.
  it.each(Object.keys(Item.fields))("may have anything as an item's %s", async (member) => {
    const isRead = member in ITEM || member.endsWith("Mods");
    for (const value of [...(isRead ? WORST : WORST.slice(0, 2)), ...NO_TEXTS, WORST, NO_TEXTS]) {
      const bad = { ...ITEM, id: "2".repeat(64), [member]: value };
      const { millis } = await cpuOf(MOST_MILLIS, () => {
        seq += 1;
        applyPages(db.items, [streamPage(seq, [stashOf([bad, ITEM])])]);
      });
      expect(millis).toBeLessThan(MOST_MILLIS);
    }
  });

  it.each(Object.keys(ListedStash.fields))("may have anything as a change's %s", async (member) => {
    for (const value of [...WORST, ...NO_TEXTS]) {
      const { millis } = await cpuOf(MOST_MILLIS, () => {
        seq += 1;
        applyPages(db.items, [streamPage(seq, [stashOf([ITEM], { [member]: value })])]);
      });
      expect(millis).toBeLessThan(MOST_MILLIS);
    }
  });

  it("makes no search slower by 100,000 currencies that have no market", async () => {
    const { values } = openScope(reader, { league: "Standard" });
    expect(countOf("SELECT count(*) AS n FROM currency")).toBeGreaterThan(100_000);
    expect(values.size).toBeLessThanOrEqual(300);
    const { millis } = await cpuOf(50, () => void QUERIES.search(reader, { league: "Standard" }));
    expect(millis).toBeLessThan(50);
  });
});

describe("a request", () => {
  const league = "Standard";
  const inputs: { readonly [Name in keyof Queries]: (text: string) => unknown } = {
    search: (text) => ({ league, q: text.slice(0, 200), modText: text.slice(0, 200) }),
    suggest: (text) => ({ q: text.slice(0, 200) }),
    filters: (item) => ({ item }),
    priceCheck: (text) => ({ league, q: text.slice(0, 200), name: text.slice(0, 200) }),
    markets: () => ({ league }),
    history: (text) => ({ league, first: text.slice(0, 60), second: "coin-1" }),
    currencies: (text) => ({ league: text.slice(0, 200) }),
    tabs: (text) => text.slice(0, 200),
    tab: () => "f".repeat(64),
  };

  it.each(Object.keys(inputs) as ReadonlyArray<keyof Queries>)(
    "of %s costs 200 ms at most",
    async (name) => {
      for (const text of [...WORST, "a", "w", "word word word", "of", "many of wo"]) {
        const { millis } = await cpuOf(MOST_MILLIS, () => {
          try {
            (QUERIES[name] as (reader: Reader, input: unknown) => unknown)(
              reader,
              inputs[name](text),
            );
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidParameter);
          }
        });
        expect(millis).toBeLessThan(MOST_MILLIS);
      }
    },
  );

  it("that is slow all the same is told so, and others are answered meanwhile", async () => {
    const options = { path: db.path, threads: 2, mostWaiting: 2 };
    const pool = new QueryPool({ ...options, deadlineMillis: 0 });
    await pool.ready();
    const input = inputs.priceCheck("of");
    expect(await pool.run({ kind: "query", name: "priceCheck", input })).toEqual({
      kind: "late",
      why: "deadline",
    });
    await pool.close();

    const patient = new QueryPool({ ...options, deadlineMillis: 30_000 });
    await patient.ready();
    const many = Array.from({ length: 5 }, () =>
      patient.run({ kind: "query", name: "currencies", input: { league } }),
    );
    const kinds = (await Promise.all(many)).map(({ kind }) => kind);
    expect(kinds).toEqual(["value", "value", "value", "value", "late"]);
    await patient.close();
    await sleep(0);
    expect(await patient.run({ kind: "query", name: "tab", input: "x" })).toEqual({
      kind: "late",
      why: "bound",
    });
  });
});
