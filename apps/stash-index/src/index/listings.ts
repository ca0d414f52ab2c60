/**
 * Derives listings from pages of the stash stream. A change contains a whole tab. Its new items
 * become rows of `item`. The listings of items that are gone, repriced or changed end.
 */
import type { Item } from "@game-data/schemas";
import type { Indexer } from "@game-data/stream-follower";
import { Array as Arr, Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { hash } from "node:crypto";
import { type Facts, itemFacts, text } from "./facts.ts";
import { itemWords } from "./words.ts";
import { numberRows } from "./rows.ts";
import type { Ending } from "./tables.ts";

/** Number of tabs that are applied before other fibers can run. */
const CHUNK = 30;
/** Listings in one INSERT: a row has 16 parameters, and a statement may have 32,766. */
const INSERTED_CHUNK = 300;
const MAX_SHOWN_LINES = 40;
const KEPT_MILLIS = 14 * 86_400_000;

type Page = Indexer.IndexedPage;
type Stash = NonNullable<Page["rows"][number]["stash"]>;

/** Applies a page of the stash stream, within the indexer's transaction. */
export const applyStashes = Effect.fnUntraced(function* (
  page: Page,
  { reject, sql }: Indexer.IndexTools,
) {
  // If a page has a stash several times, the last change counts.
  const stashes = new Map(
    page.rows.flatMap(({ stash }, place) => (stash ? [[stash.id, { stash, place }]] : [])),
  );
  const ended: Array<Ended> = [];
  for (const chunk of Arr.chunksOf(stashes.values(), CHUNK)) {
    const tabs = Arr.map(chunk, ({ place, stash }) => ({ ...readTab(stash), place }));
    for (const { place, unread } of tabs) {
      const places = unread.slice(0, 10).join(", ");
      if (places !== "") yield* reject(place, `${unread.length} items are not objects: ${places}`);
    }
    ended.push(...(yield* applyTabs(sql, page, tabs)));
    yield* Effect.yieldNow;
  }
  // Runs after all insertions, because the full-text table begins a new segment if a row number is
  // smaller than the previous number.
  yield* endListings(sql, page, ended);
  yield* forget(sql, page);
});

/** Adds the new listings of tabs, and returns the listings that end. */
const applyTabs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  page: Page,
  tabs: Arr.NonEmptyReadonlyArray<Tab>,
) {
  const names = tabs.map(({ league }) => [league]);
  const leagues = yield* numberRows(sql, "league", ["name"], names);
  const numbers = yield* putTabs(sql, Number(page.seq), tabs);
  const listed = yield* readListed(sql, numbers.values());
  const differences = tabs.flatMap((tab) => {
    const no = numbers.get(tab.id);
    // Omits the tab, because the index has a newer page of it.
    return no === undefined ? [] : [compare(tab, leagues(tab.league), no, listed.get(no) ?? [])];
  });
  const added = differences.flatMap((each) => each.added);
  yield* addListings(sql, page, added);
  return differences.flatMap(({ ended }) => ended);
});

/** Reads a tab of a change. `unread` has the positions of items that are not objects. */
const readTab = ({ account, id, isPublic, items: all, name, ...stash }: Stash) => {
  const league = text(stash.league);
  const items = new Map<string, { readonly version: string; readonly facts: Facts }>();
  const unread: Array<number> = [];
  for (const [at, item] of all.entries()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) unread.push(at);
    else {
      const facts = itemFacts(item, name);
      items.set(itemKey(item, at), { version: versionOf(league, facts), facts });
    }
  }
  const texts = { id: text(id), seller: text(account), name: text(name) };
  return { ...texts, isPublic, league, items, unread };
};

type Tab = ReturnType<typeof readTab>;

/** Returns a key within a tab: a digest of the item's id, or else of its position and type. */
const itemKey = ({ id, typeLine }: Partial<Item>, place: number): string =>
  digest(text(id) || `${place}/${text(typeLine)}`);

const digest = (input: string): string => hash("sha1", input, "base64url").slice(0, 12);

/** Returns a digest of the item, a space and the price, so that a new price is not a new item. */
const versionOf = (league: string, { price, ...facts }: Facts): string =>
  `${digest(JSON.stringify([league, facts]))} ${price?.amount} ${price?.currency}`;

/** Compares a tab with its listings in the index, and returns added and ended listings. */
const compare = (
  { isPublic, items }: Tab,
  league: number,
  tab: number,
  listed: ReadonlyArray<Listing>,
) => {
  const left = new Map(listed.map((item) => [item.key, item]));
  const added = [...items].flatMap(([key, { facts, version }]) =>
    left.get(key)?.version === version ? [] : [{ tab, key, version, league, facts }],
  );
  const ended = listed.flatMap(({ key, no, version }): ReadonlyArray<Ended> => {
    const now = items.get(key);
    if (now === undefined) return [{ no, ended: isPublic ? "sold" : "unlisted" }];
    if (now.version === version) return [];
    const isSameItem = now.version.split(" ", 1)[0] === version.split(" ", 1)[0];
    return [{ no, ended: isSameItem ? "repriced" : "changed" }];
  });
  return { added, ended };
};

type Added = ReturnType<typeof compare>["added"];

interface Ended {
  readonly no: number;
  readonly ended: Ending;
}

/** Writes the tabs of which the index has no newer page. Returns their numbers by their ids. */
const putTabs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  seq: number,
  tabs: Arr.NonEmptyReadonlyArray<Tab>,
) {
  const rows = Arr.map(tabs, ({ id, name, seller }) => ({ id, seq, seller, name }));
  // A change that unlists a tab has no seller, so the index keeps the seller for ended listings.
  const written = yield* sql<{ readonly id: string; readonly no: bigint }>`
    INSERT INTO tab ${sql.insert(rows)} ON CONFLICT (id) DO UPDATE SET seq = excluded.seq,
      seller = coalesce(nullif(excluded.seller, ''), tab.seller),
      name = coalesce(nullif(excluded.name, ''), tab.name)
    WHERE excluded.seq >= tab.seq RETURNING id, no`;
  return new Map(written.map(({ id, no }) => [id, Number(no)]));
});

/** Reads the current listings of tabs, grouped by the number of the tab. */
const readListed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tabs: Iterable<number>) {
  const rows = yield* sql.unsafe<Readonly<Record<"no" | "tab" | "key" | "version", string>>>(
    `SELECT no, tab, key, version FROM item
     WHERE ended IS NULL AND tab IN (SELECT value FROM json_each(?))`,
    [JSON.stringify([...tabs])],
  );
  const items = rows.map((row) => ({ ...row, no: Number(row.no), tab: Number(row.tab) }));
  return Map.groupBy(items, ({ tab }) => tab);
});

interface Listing {
  readonly no: number;
  readonly key: string;
  readonly version: string;
}

const endListings = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { receivedAt, seq }: Page,
  ended: ReadonlyArray<Ended>,
) {
  const json = JSON.stringify(ended);
  yield* sql`UPDATE item SET ended = value ->> 'ended', ended_seq = ${seq}, ended_at = ${receivedAt}
    FROM json_each(${json}) WHERE no = value ->> 'no'`;
  yield* sql`DELETE FROM item_word WHERE rowid IN (SELECT value ->> 'no' FROM json_each(${json}))`;
});

const addListings = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  page: Page,
  added: Added,
) {
  const names = added.map(({ facts }) => [facts.base, facts.name]);
  const terms = yield* numberRows(sql, "term", ["base", "name"], names);
  const templates = added.flatMap(({ facts }) => Array.from(facts.mods.keys(), (mod) => [mod]));
  const mods = yield* numberRows(sql, "mod", ["template"], templates);
  const [last] = yield* sql<{ no: bigint }>`SELECT coalesce(max(no), 0) AS no FROM item`;
  let no = Number(last!.no);
  for (const chunk of Arr.chunksOf(added, INSERTED_CHUNK)) {
    const items = Arr.map(chunk, ({ facts, ...item }) => {
      const { base, isCorrupted, lines, mods: rolls, name, price, title, ...plain } = facts;
      const term = terms(base, name);
      const values = new Map(Array.from(rolls, ([template, value]) => [mods(template), value]));
      no += 1;
      const row = {
        no,
        ...item,
        ...plain,
        term,
        corrupted: Number(isCorrupted),
        mods: JSON.stringify(Object.fromEntries(values)),
        currency: price?.currency ?? null,
        amount: price?.amount ?? null,
        seq: page.seq,
        seen_at: page.receivedAt,
      };
      const doc = { no, doc: JSON.stringify([title, ...lines.slice(0, MAX_SHOWN_LINES)]) };
      return { row, doc, words: { rowid: no, words: itemWords(item.league, term, values) } };
    });
    yield* sql`INSERT INTO item ${sql.insert(Arr.map(items, ({ row }) => row))}`;
    yield* sql`INSERT INTO item_doc ${sql.insert(Arr.map(items, ({ doc }) => doc))}`;
    yield* sql`INSERT INTO item_word ${sql.insert(Arr.map(items, ({ words }) => words))}`;
  }
});

/** Number of pages between two merges of all full-text segments. */
const MERGE_INTERVAL = 600;
const MERGED_LEAVES = 64;

/** Deletes old ended listings, and merges segments of the full-text table. */
const forget = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { receivedAt, seq }: Page) {
  yield* sql`DELETE FROM item WHERE ended_at < ${receivedAt - KEPT_MILLIS} AND no IN (
    SELECT no FROM item WHERE ended IS NOT NULL ORDER BY ended_seq LIMIT 2000)`;
  // Each page makes a segment, and queries are much faster with few segments. A negative number
  // begins a merge of all segments, and positive numbers continue the merge.
  const leaves = Number(seq) % MERGE_INTERVAL === 0 ? -MERGED_LEAVES : MERGED_LEAVES;
  yield* sql`INSERT INTO item_word (item_word, rank) VALUES ('merge', ${leaves})`;
});
