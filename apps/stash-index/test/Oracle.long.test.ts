/**
 * Random searches and price checks against a fold of the raw pages, which shares no code with the
 * index. Some searches match few listings and some match thousands, so both ways of `search.ts` run.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Filters, SearchRequest } from "../src/search/Filters.ts";
import { QUERIES } from "../src/search/queries.ts";
import { MAX_SORTED } from "../src/search/search.ts";
import { hourPage, item, market, openTestIndex, stashPage } from "./support/testIndex.ts";

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

let created = 0;
const newItem = () => {
  created += 1;
  const baseType = pick(BASES);
  const codes = [...Object.keys(VALUES), "lost-coin"];
  return {
    ...item(created, { name: pick(["", "Quiet Anchor"]), typeLine: `${baseType} ${created}` }),
    baseType,
    frameType: random(4),
    ilvl: 1 + random(86),
    corrupted: random(5) === 0,
    ...sometimes(90, () => ({ note: `~price ${1 + random(40)} ${pick(codes)}` })),
    sockets: Array.from({ length: random(7) }, () => ({ group: random(2) })),
    explicitMods: Array.from({ length: random(4) }, () => pick(MODS).replace("#", `${random(99)}`)),
  };
};
type RawItem = ReturnType<typeof newItem>;

const newItems = (length: number) => Array.from({ length }, newItem);

const newStash = (no: number, items: ReadonlyArray<RawItem>) => ({
  ...{ id: no.toString(16).padStart(64, "0"), public: true, items },
  accountName: `Seller#${no % 3}` as string | null,
  stash: pick(["Tab", "~price 3 gilt-orb"]) as string | null,
  league: pick(LEAGUES) as string | null,
});
type RawStash = ReturnType<typeof newStash>;

/** The next appearance of a stash: most items stay, some are sold, repriced, changed or new. */
const changed = (stash: RawStash): RawStash => {
  const items = stash.items
    .filter(() => random(10) > 0)
    .map((each) => ({
      ...each,
      ...sometimes(8, () => ({ note: `~price ${1 + random(40)} dusk-orb` })),
      ...sometimes(4, () => ({ ilvl: 1 + random(86) })),
    }));
  if (random(8) === 0)
    return { ...stash, public: false, accountName: null, stash: null, league: null, items: [] };
  const { league, stash: name } = stash;
  const next = newStash(Number.parseInt(stash.id, 16), [...items, ...newItems(20)]);
  return { ...next, stash: name ?? "Tab", league: league ?? "Standard" };
};

/** Words as full text has them: without marks and in lower case. */
const words = (text: string): ReadonlyArray<string> =>
  text.replaceAll("ö", "o").toLowerCase().match(/\w+/gu) ?? [];

/** Returns the figures of an item that a search reads. */
const read = (raw: RawItem, stash: RawStash, at: number) => {
  const price = /^~price (\d+) (\S+)$/u.exec(raw.note ?? stash.stash ?? "");
  const value = Number(price?.[1]) * VALUES[price?.[2] ?? ""]!;
  const mods = new Map<string, number>();
  for (const mod of raw.explicitMods) {
    const template = mod.replace(/\d+/u, "#");
    mods.set(template, (mods.get(template) ?? 0) + Number(/\d+/u.exec(mod)));
  }
  const name = raw.frameType === 1 || raw.frameType === 2 ? "" : raw.name;
  return {
    ...{ item: raw, stash, at, mods, price: `${price}`, kind: `${raw.baseType} ${name}` },
    value: value > 0 ? value : undefined,
    ended: undefined as { readonly how: string; readonly at: number } | undefined,
  };
};
type Listing = ReturnType<typeof read>;

const listings: Array<Listing> = [];

const fold = (at: number, stashes: ReadonlyArray<RawStash>) => {
  const before = Map.groupBy(
    listings.filter(({ ended }) => ended === undefined),
    (listing) => listing.stash.id,
  );
  const unpriced = (raw: RawItem | undefined) => JSON.stringify({ ...raw, note: "" });
  for (const stash of stashes) {
    const shown = new Map(stash.items.map((raw) => [raw.id, read(raw, stash, at)]));
    for (const listing of before.get(stash.id) ?? []) {
      const now = shown.get(listing.item.id);
      const isSame = unpriced(now?.item) === unpriced(listing.item);
      if (isSame && now!.price === listing.price) shown.delete(listing.item.id);
      else {
        const gone = stash.public ? "sold" : "unlisted";
        listing.ended = { how: now === undefined ? gone : isSame ? "repriced" : "changed", at };
      }
    }
    listings.push(...shown.values());
  }
};

const hasWords = (text: string, wanted = ""): boolean =>
  words(wanted).every((word, at, all) =>
    words(text).some((each) => (at === all.length - 1 ? each.startsWith(word) : each === word)),
  );

const isInside = (figure: number | undefined, min = -Infinity, max = Infinity) =>
  figure !== undefined && figure >= min && figure <= max;

const isMatch = ({ item: raw, kind, mods, stash, value }: Listing, filters: Filters): boolean => {
  const groups = Map.groupBy(raw.sockets, ({ group }) => group).values();
  const { corrupted = raw.corrupted ? "yes" : "no", priceMax, priceMin } = filters;
  const rarity = ["normal", "magic", "rare", "unique"][raw.frameType];
  return (
    stash.league === filters.league &&
    hasWords(kind, filters.q) &&
    (filters.base ?? raw.baseType) === raw.baseType &&
    (filters.seller ?? stash.accountName) === stash.accountName &&
    (filters.rarity ?? rarity) === rarity &&
    (corrupted === "yes") === raw.corrupted &&
    isInside(raw.ilvl, filters.ilvlMin, filters.ilvlMax) &&
    isInside(raw.sockets.length, filters.socketsMin) &&
    isInside(Math.max(0, ...groups.map(({ length }) => length)), filters.linksMin) &&
    (filters.mod ?? []).every(({ max, min, template }) => isInside(mods.get(template), min, max)) &&
    (filters.modText === undefined ||
      mods.keys().some((template) => hasWords(template, filters.modText))) &&
    ((priceMin ?? priceMax) === undefined || isInside(value, priceMin, priceMax))
  );
};

const randomMod = () => ({
  template: pick([...MODS, ...MODS, "no such mod"]),
  min: pick([undefined, random(60)]),
  max: pick([undefined, 60 + random(60)]),
});
const randomFilters = (): Filters => ({
  ...{ league: pick(LEAGUES), currency: "gilt-orb" },
  ...sometimes(40, () => ({ q: pick(["band", "al", "slate ba", "band pewter", "lowen"]) })),
  ...sometimes(10, () => ({ base: pick(BASES) })),
  ...sometimes(30, () => ({ rarity: pick(["magic", "rare", "unique"]) })),
  ...sometimes(20, () => ({ ilvlMin: random(50), ilvlMax: 50 + random(40) })),
  ...sometimes(15, () => ({ socketsMin: random(6) })),
  ...sometimes(15, () => ({ linksMin: random(4) })),
  ...sometimes(15, () => ({ corrupted: pick(["yes", "no"]) })),
  ...sometimes(10, () => ({ seller: pick(["Seller#1", "Seller#2"]) })),
  ...sometimes(40, () => ({ mod: Array.from({ length: 1 + random(2) }, randomMod) })),
  ...sometimes(10, () => ({ modText: pick(["vigour", "resi", "increased ward"]) })),
  ...sometimes(20, () => ({ priceMin: random(8) })),
  ...sometimes(20, () => ({ priceMax: 8 + random(60) })),
});

const index = await openTestIndex();
beforeAll(async () => {
  let stashes = Array.from({ length: 22 }, (_, no) => newStash(no + 1, newItems(400)));
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
  // The last appearance of a stash in a page counts, and a page that is applied again changes nothing.
  const logged = pages.map((page, at) =>
    stashPage(at + 1, [...page.map((stash) => ({ ...stash, items: [] })), ...page]),
  );
  await index.apply([hourPage(3600, markets), ...logged, ...logged]);
});
afterAll(() => index.close());

const title = ({ item: { name, typeLine } }: Listing) =>
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

it("300 random searches return the listings of a simple model, in the same order and pages", () => {
  for (let run = 0; run < 300; run += 1) {
    const filters = randomFilters();
    const sort = pick(["price", "-price", "age"] as const);
    const limit = 1 + random(100);
    const all = expected(filters, sort);
    const found: Array<readonly [string, number | null]> = [];
    let cursor: SearchRequest["cursor"] | null;
    for (let page = 0; page < 3 && cursor !== null; page += 1) {
      const request = { ...filters, sort, limit, ...(cursor && { cursor }) };
      const result = QUERIES.search(index.reader, request);
      found.push(...result.items.map((each) => [each.title, each.value] as const));
      cursor = result.cursor;
    }
    const folded = all.slice(0, 3 * limit).map((each) => [title(each), each.value ?? null]);
    expect({ filters, sort, found }).toEqual({ filters, sort, found: folded });
    expect(cursor === null).toBe(all.length <= 3 * limit);
  }
  expect(expected({ league: "Standard", q: "al" }, "age").length).toBeGreaterThan(MAX_SORTED);
});

const quantile = (values: ReadonlyArray<number>, share = 0.5) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return sorted.length === 0 ? null : low + (high - low) * (at % 1);
};

/** Whether the median is a reliable price, and the number of prices outside of Tukey's fences. */
const confidence = (values: ReadonlyArray<number>) => {
  const [lower, upper] = [quantile(values, 0.25)!, quantile(values, 0.75)!];
  const reach = (upper / lower) ** 1.5;
  const outliers = values.filter((each) => each < lower / reach || each > upper * reach).length;
  return { outliers, doubt: values.length < 8 ? "few" : upper > 4 * lower ? "wide" : null };
};

it("150 random price checks return the figures of a simple model", () => {
  for (let run = 0; run < 150; run += 1) {
    const filters = randomFilters();
    const check = QUERIES.priceCheck(index.reader, filters);
    const similar = expected(filters, "price");
    const values = similar.map(({ value }) => value!);
    const ended = listings.filter(
      (each) => each.ended !== undefined && each.value !== undefined && isMatch(each, filters),
    );
    const count = (how: string) => ended.filter((each) => each.ended!.how === how).length;
    const sold = ended.filter((each) => each.ended!.how === "sold");
    const outcome = {
      ...{ sold: sold.length, unlisted: count("unlisted"), repriced: count("repriced") },
      stayed: values.length,
      soldMedian: quantile(sold.map(({ value }) => value!)),
      stayedMedian: quantile(values),
      soldAfterMillis: quantile(sold.map((each) => each.ended!.at - each.at)),
    };
    expect({ filters, ...check }).toMatchObject({
      ...{ filters, listings: values.length, isSample: false, ...confidence(values) },
      outcome: (filters.q ?? filters.base) === undefined ? null : outcome,
    });
    expect(check.percentiles?.["p50"] ?? null).toBe(quantile(values));
    const drawn = check.histogram.reduce((sum, bucket) => sum + bucket.count, check.outliers);
    if (check.histogram.length > 0) expect(drawn).toBe(values.length);
  }
});
