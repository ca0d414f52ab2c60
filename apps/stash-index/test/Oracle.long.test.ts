/**
 * Random searches and price checks against a fold of the raw pages, which shares no code with the
 * index. Some searches match few listings and some match thousands, so both ways of `search.ts` run.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Filters, SearchRequest } from "../src/search/Filters.ts";
import { QUERIES } from "../src/search/queries.ts";
import { MAX_SORTED } from "../src/search/search.ts";
import { hourPage, market, openTestIndex, stashPage, type TestIndex } from "./support/testIndex.ts";

/** The same choices in every run. */
let state = 7;
const random = (below: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
};
const pick = <A>(list: ReadonlyArray<A>): A => list[random(list.length)]!;
const sometimes = <A extends object>(chance: number, value: () => A): Partial<A> =>
  random(100) < chance ? value() : {};

const LEAGUES = ["Standard", "Standard", "Standard", "Standard", "Tidewrack"];
const BASES = [...Array<string>(4).fill("Alder Rod"), "Slate Band", "Pewter Band", "Löwen Helm"];
const MODS = ["+# to maximum Vigour", "#% increased Ward", "+#% to Frost Resistance"];
/** Powers of two, so that amounts convert without a rounding error. */
const VALUES: Readonly<Record<string, number>> = {
  "gilt-orb": 1,
  "tide-shard": 0.25,
  "dusk-orb": 8,
};

interface RawItem {
  readonly id: string;
  readonly name: string;
  readonly typeLine: string;
  readonly baseType: string;
  readonly frameType: number;
  readonly ilvl: number;
  readonly corrupted: boolean;
  readonly note?: string;
  readonly sockets: ReadonlyArray<{ readonly group: number }>;
  readonly explicitMods: ReadonlyArray<string>;
}

interface RawStash {
  readonly id: string;
  readonly public: boolean;
  readonly accountName: string | null;
  readonly stash: string | null;
  readonly league: string | null;
  readonly items: ReadonlyArray<RawItem>;
}

let created = 0;
const newItem = (): RawItem => {
  created += 1;
  const baseType = pick(BASES);
  const codes = [...Object.keys(VALUES), "lost-coin"];
  return {
    id: created.toString(16).padStart(64, "0"),
    name: pick(["", "Quiet Anchor"]),
    typeLine: `${baseType} ${created}`,
    baseType,
    frameType: random(4),
    ilvl: 1 + random(86),
    corrupted: random(5) === 0,
    ...sometimes(90, () => ({ note: `~price ${1 + random(40)} ${pick(codes)}` })),
    sockets: Array.from({ length: random(7) }, () => ({ group: random(2) })),
    explicitMods: Array.from({ length: random(4) }, () => pick(MODS).replace("#", `${random(99)}`)),
  };
};

const newStash = (no: number): RawStash => ({
  id: no.toString(16).padStart(64, "0"),
  public: true,
  accountName: `Seller#${no % 3}`,
  stash: pick(["Tab", "~price 3 gilt-orb"]),
  league: pick(LEAGUES),
  items: Array.from({ length: 400 }, newItem),
});

/** The next appearance of a stash: most items stay, some are sold, repriced, changed or new. */
const changed = (stash: RawStash): RawStash =>
  random(8) === 0
    ? { ...stash, public: false, accountName: null, stash: null, league: null, items: [] }
    : {
        ...newStash(Number.parseInt(stash.id, 16)),
        ...{ stash: stash.stash ?? "Tab", league: stash.league ?? "Standard" },
        items: [
          ...stash.items
            .filter(() => random(10) > 0)
            .map((item) => ({
              ...item,
              ...sometimes(8, () => ({ note: `~price ${1 + random(40)} dusk-orb` })),
              ...sometimes(4, () => ({ ilvl: 1 + random(86) })),
            })),
          ...Array.from({ length: 20 }, newItem),
        ],
      };

/** A listing of the fold, with the figures that a search reads. */
interface Listing {
  readonly item: RawItem;
  readonly stash: RawStash;
  readonly value: number | undefined;
  readonly price: string;
  readonly mods: ReadonlyMap<string, number>;
  readonly words: ReadonlyArray<string>;
  readonly at: number;
  ended?: { readonly how: string; readonly at: number };
}

/** Words as full text has them: without marks and in lower case. */
const words = (text: string) =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const listings: Array<Listing> = [];

const read = (item: RawItem, stash: RawStash, at: number): Listing => {
  const price = /^~price (\d+) (\S+)$/u.exec(item.note ?? stash.stash ?? "");
  const value = Number(price?.[1]) * VALUES[price?.[2] ?? ""]!;
  const mods = new Map<string, number>();
  for (const mod of item.explicitMods) {
    const template = mod.replace(/\d+/u, "#");
    mods.set(template, (mods.get(template) ?? 0) + Number(/\d+/u.exec(mod)));
  }
  const hasRandomName = item.frameType === 1 || item.frameType === 2;
  return {
    ...{ item, stash, at, mods, price: `${price}`, value: value > 0 ? value : undefined },
    words: words(`${item.baseType} ${hasRandomName ? "" : item.name}`),
  };
};

const fold = (at: number, stashes: ReadonlyArray<RawStash>) => {
  const before = Map.groupBy(
    listings.filter(({ ended }) => ended === undefined),
    (listing) => listing.stash.id,
  );
  for (const stash of stashes) {
    const shown = new Map(stash.items.map((item) => [item.id, read(item, stash, at)]));
    for (const listing of before.get(stash.id) ?? []) {
      const now = shown.get(listing.item.id);
      const isSame =
        JSON.stringify({ ...now?.item, note: "" }) ===
        JSON.stringify({ ...listing.item, note: "" });
      if (isSame && now!.price === listing.price) shown.delete(listing.item.id);
      else {
        const gone = stash.public ? "sold" : "unlisted";
        listing.ended = { how: now === undefined ? gone : isSame ? "repriced" : "changed", at };
      }
    }
    listings.push(...shown.values());
  }
};

const hasWords = (found: ReadonlyArray<string>, wanted: string): boolean =>
  words(wanted).every((word, at, all) =>
    at === all.length - 1 ? found.some((each) => each.startsWith(word)) : found.includes(word),
  );

const isMatch = (listing: Listing, filters: Filters): boolean => {
  const { item, mods, stash, value } = listing;
  const groups = Map.groupBy(item.sockets, ({ group }) => group).values();
  const links = Math.max(0, ...groups.map(({ length }) => length));
  const isInside = (figure: number | undefined, min = -Infinity, max = Infinity) =>
    figure !== undefined && figure >= min && figure <= max;
  const { corrupted = item.corrupted ? "yes" : "no", priceMax, priceMin } = filters;
  return (
    stash.league === filters.league &&
    hasWords(listing.words, filters.q ?? "") &&
    (filters.base ?? item.baseType) === item.baseType &&
    (filters.seller ?? stash.accountName) === stash.accountName &&
    (filters.rarity === undefined ||
      ["normal", "magic", "rare", "unique"][item.frameType] === filters.rarity) &&
    (corrupted === "yes") === item.corrupted &&
    isInside(item.ilvl, filters.ilvlMin, filters.ilvlMax) &&
    isInside(item.sockets.length, filters.socketsMin) &&
    isInside(links, filters.linksMin) &&
    (filters.mod ?? []).every(({ max, min, template }) => isInside(mods.get(template), min, max)) &&
    (filters.modText === undefined ||
      mods.keys().some((template) => hasWords(words(template), filters.modText!))) &&
    ((priceMin ?? priceMax) === undefined || isInside(value, priceMin, priceMax))
  );
};

const randomFilters = (): Filters => ({
  ...{ league: pick(LEAGUES), currency: "gilt-orb" },
  ...sometimes(40, () => ({
    q: pick(["band", "al", "slate ba", "band pewter", "lowen", "quiet"]),
  })),
  ...sometimes(10, () => ({ base: pick(BASES) })),
  ...sometimes(30, () => ({ rarity: pick(["magic", "rare", "unique"] as const) })),
  ...sometimes(20, () => ({ ilvlMin: random(50), ilvlMax: 50 + random(40) })),
  ...sometimes(15, () => ({ socketsMin: random(6) })),
  ...sometimes(15, () => ({ linksMin: random(4) })),
  ...sometimes(15, () => ({ corrupted: pick(["yes", "no"] as const) })),
  ...sometimes(10, () => ({ seller: pick(["Seller#1", "Seller#2"]) })),
  ...sometimes(40, () => ({
    mod: Array.from({ length: 1 + random(2) }, () => ({
      template: pick([...MODS, ...MODS, "no such mod"]),
      min: pick([undefined, random(60)]),
      max: pick([undefined, 60 + random(60)]),
    })),
  })),
  ...sometimes(10, () => ({ modText: pick(["vigour", "resi", "increased ward"]) })),
  ...sometimes(20, () => ({ priceMin: random(8) })),
  ...sometimes(20, () => ({ priceMax: 8 + random(60) })),
});

let index: TestIndex;

beforeAll(async () => {
  index = await openTestIndex();
  let stashes = Array.from({ length: 16 }, (_, no) => newStash(no + 1));
  const pages = [stashes];
  for (let page = 0; page < 8; page += 1) {
    const some = stashes.filter(() => random(3) === 0).map(changed);
    pages.push(some);
    stashes = stashes.map((stash) => some.find(({ id }) => id === stash.id) ?? stash);
  }
  for (const [at, page] of pages.entries()) fold((at + 1) * 1000, page);
  const markets = [...new Set(LEAGUES)].flatMap((league) => [
    market(league, "gilt-orb|tide-shard", 4),
    market(league, "dusk-orb|gilt-orb", 8),
  ]);
  await index.apply([hourPage(3600, markets), ...pages.map((page, at) => stashPage(at + 1, page))]);
});
afterAll(() => index.close());

const titleOf = ({ item: { name, typeLine } }: Listing) =>
  [name, typeLine].filter(Boolean).join(", ");

/** The listings that a search finds, in its order. */
const expected = (filters: Filters, sort: NonNullable<SearchRequest["sort"]>) => {
  const found = listings.filter((each) => each.ended === undefined && isMatch(each, filters));
  if (sort === "age") return found.toReversed();
  const priced = found.filter(({ value }) => value !== undefined);
  const sign = sort === "price" ? 1 : -1;
  // A listing that is newer has a greater number, by which equal prices are sorted.
  return (sort === "price" ? priced : priced.toReversed()).toSorted(
    (a, b) => sign * (a.value! - b.value!),
  );
};

it("finds what a fold of the pages finds, in the same order, page by page: 300 searches", () => {
  let [walked, empty] = [0, 0];
  for (let run = 0; run < 300; run += 1) {
    const filters = randomFilters();
    const sort = pick(["price", "-price", "age"] as const);
    const limit = 1 + random(100);
    const all = expected(filters, sort);
    const found: Array<readonly [string, number | null]> = [];
    let cursor: SearchRequest["cursor"] | null;
    for (let page = 0; page < 3 && cursor !== null; page += 1) {
      const result = QUERIES.search(index.reader, {
        ...{ ...filters, sort, limit },
        ...(cursor && { cursor }),
      });
      found.push(...result.items.map(({ title, value }) => [title, value] as const));
      cursor = result.cursor;
    }
    const first = all.slice(0, 3 * limit);
    const folded = first.map((listing) => [titleOf(listing), listing.value ?? null]);
    expect({ filters, sort, found }).toEqual({ filters, sort, found: folded });
    expect(cursor === null).toBe(all.length <= 3 * limit);
    walked += Number(filters.league === "Standard" && filters.q === "al");
    empty += Number(all.length === 0);
  }
  expect(expected({ league: "Standard", q: "al" }, "age").length).toBeGreaterThan(MAX_SORTED);
  expect(walked).toBeGreaterThan(10);
  expect(empty).toBeLessThan(150);
});

it("checks prices as a fold of the pages does: 150 price checks", () => {
  const median = (values: ReadonlyArray<number>) => {
    const sorted = values.toSorted((a, b) => a - b);
    const middle = (sorted.length - 1) / 2;
    if (sorted.length === 0) return null;
    return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  };
  let sold = 0;
  for (let run = 0; run < 150; run += 1) {
    const filters = randomFilters();
    const check = QUERIES.priceCheck(index.reader, filters);
    const similar = expected(filters, "price");
    const values = similar.map(({ value }) => value!);
    const over = listings.filter(
      (each) => each.ended !== undefined && each.value !== undefined && isMatch(each, filters),
    );
    const ways = Map.groupBy(over, ({ ended }) => ended!.how);
    const gone = ways.get("sold") ?? [];
    const kinds = new Set(
      similar.map(({ item }) => `${item.baseType}${item.frameType % 3 === 0 ? item.name : ""}`),
    );
    const hasTerms = (filters.q ?? filters.base) !== undefined;
    expect({ filters, ...check }).toMatchObject({
      filters,
      listings: values.length,
      isSample: false,
      kinds: kinds.size,
      outcome: !hasTerms
        ? null
        : {
            sold: gone.length,
            unlisted: ways.get("unlisted")?.length ?? 0,
            repriced: ways.get("repriced")?.length ?? 0,
            stayed: values.length,
            soldMedian: median(gone.map(({ value }) => value!)),
            stayedMedian: median(values),
            soldAfterMillis: median(gone.map(({ at, ended }) => ended!.at - at)),
          },
    });
    expect(check.percentiles?.["p50"] ?? null).toBe(median(values));
    expect(check.cheapest.map(({ title }) => title)).toEqual(similar.slice(0, 10).map(titleOf));
    sold += check.outcome?.sold ?? 0;
  }
  expect(sold).toBeGreaterThan(100);
});
