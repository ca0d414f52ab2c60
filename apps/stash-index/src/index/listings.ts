/**
 * Derives listings from pages of the stash stream. Each change shows a whole tab: what is new in it
 * becomes a row of `item`, and what is gone, repriced or changed ends.
 */
import type { Item } from "@game-data/schemas";
import type { Indexer } from "@game-data/stream-follower";
import { Array as Arr, Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { hash } from "node:crypto";
import { type Facts, itemFacts, text } from "./facts.ts";
import { itemWords } from "./words.ts";
import { insertRows, numberRows } from "./rows.ts";
import type { Ending } from "./tables.ts";

/** Changes or items that are handled before other fibers get a turn. */
const CHUNK = 30;
const WRITTEN_CHUNK = 300;
const KEPT_MILLIS = 14 * 86_400_000;

/** Applies a page of the stash stream, within the indexer's transaction. */
export const applyStashes = Effect.fnUntraced(function* (
  page: Indexer.IndexedPage,
  tools: Indexer.IndexTools,
) {
  const { sql } = tools;
  // The last appearance of a stash counts.
  const places = new Map(
    page.rows.flatMap(({ stash }, place) => (stash ? [[stash.id, place]] : [])),
  );
  const tabs: Array<Tab> = [];
  for (const chunk of Arr.chunksOf(places.values(), CHUNK)) {
    tabs.push(...(yield* Effect.forEach(chunk, (place) => readTab(page, place, tools))));
    yield* Effect.yieldNow;
  }
  const names = tabs.map(({ league }) => ({ name: league }));
  const leagues = yield* numberRows(sql, "league", names);
  const numbers = yield* putTabs(sql, Number(page.seq), tabs);
  const listed = yield* readListed(sql, numbers.values());
  const differences = tabs.flatMap((tab) => {
    const no = numbers.get(tab.id);
    // Without a number, the index has a newer page of this tab.
    return no === undefined ? [] : [compare(tab, leagues(tab.league), no, listed.get(no) ?? [])];
  });
  const added = differences.flatMap((each) => each.added);
  const ended = differences.flatMap((each) => each.ended);
  yield* write(sql, page, added, ended);
  yield* forget(sql, page);
});

/** Reads a change, and keeps it in `skipped` if some of its items cannot be read. */
const readTab = Effect.fnUntraced(function* (
  { rows }: Indexer.IndexedPage,
  place: number,
  { reject }: Indexer.IndexTools,
) {
  const stash = rows[place]!.stash!;
  const league = text(stash.league);
  const items = new Map<string, { readonly version: string; readonly facts: Facts }>();
  const unread: Array<number> = [];
  for (const [at, item] of stash.items.entries()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) unread.push(at);
    else {
      const facts = itemFacts(item, stash.name);
      items.set(itemKey(item, at), { version: versionOf(league, facts), facts });
    }
  }
  if (unread.length > 0) {
    const places = unread.slice(0, 10).join(", ");
    yield* reject(place, `${unread.length} items are not objects: ${places}`);
  }
  const { account, id, isPublic, name } = stash;
  return { id: text(id), isPublic, seller: text(account), name: text(name), league, items };
});

/** A tab as the last change of a page shows it. */
type Tab = Effect.Success<ReturnType<typeof readTab>>;

/** Returns a key that is unique within a tab. */
const itemKey = ({ id, typeLine }: Partial<Item>, place: number): string =>
  digest(text(id) || `${place}/${text(typeLine)}`);

const digest = (input: string): string => hash("sha1", input, "base64url").slice(0, 12);

/** Returns a digest of the item, a blank and the price, because a new price does not change the item. */
const versionOf = (league: string, { price, ...facts }: Facts): string =>
  `${digest(JSON.stringify([league, facts, [...facts.mods]]))} ${price?.amount} ${price?.currency}`;

/** Compares a tab with its listings in the index. */
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

/** Writes the tabs of which the index has no newer page, and returns their numbers by their ids. */
const putTabs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  seq: number,
  tabs: ReadonlyArray<Tab>,
) {
  const rows = tabs.map(({ id, name, seller }) => ({ id, seq, seller, name }));
  // A tab that was unlisted comes without its seller, which its listings that ended keep.
  const written = yield* insertRows(
    sql,
    "tab",
    rows,
    `ON CONFLICT (id) DO UPDATE SET seq = excluded.seq,
       seller = coalesce(nullif(excluded.seller, ''), tab.seller),
       name = coalesce(nullif(excluded.name, ''), tab.name)
     WHERE excluded.seq >= tab.seq RETURNING id, no`,
  );
  return new Map(written.map(({ id, no }) => [id as string, Number(no)]));
});

/** Reads the listings of tabs, by the number of the tab. */
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

/**
 * Writes what a page changes. The words are written last and in the order of their rows, because the
 * full-text table begins a new segment at a smaller number.
 */
const write = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { receivedAt, seq }: Indexer.IndexedPage,
  added: Added,
  ended: ReadonlyArray<Ended>,
) {
  yield* sql.unsafe(
    `UPDATE item SET ended = value ->> 'ended', ended_seq = ?, ended_at = ? FROM json_each(?)
     WHERE no = value ->> 'no'`,
    [Number(seq), receivedAt, JSON.stringify(ended)],
  );
  yield* sql.unsafe("DELETE FROM item_word WHERE rowid IN (SELECT value FROM json_each(?))", [
    JSON.stringify(ended.map(({ no }) => no)),
  ]);
  const [last] = yield* sql<{ no: bigint }>`SELECT coalesce(max(no), 0) AS no FROM item`;
  let no = Number(last!.no);
  for (const chunk of Arr.chunksOf(added, WRITTEN_CHUNK)) {
    yield* writeItems(sql, { first: no + 1, seq: Number(seq), seen_at: receivedAt }, chunk);
    no += chunk.length;
    yield* Effect.yieldNow;
  }
});

const writeItems = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { first, ...page }: { readonly first: number; readonly seq: number; readonly seen_at: number },
  added: Added,
) {
  const names = added.map(({ facts: { base, name } }) => ({ base, name }));
  const terms = yield* numberRows(sql, "term", names);
  const templates = added.flatMap(({ facts }) => [...facts.mods.keys()]);
  const mods = yield* numberRows(
    sql,
    "mod",
    Array.from(new Set(templates), (template) => ({ template })),
  );
  const items = added.map(({ facts, ...item }, at) => {
    const { base, ilvl, isCorrupted, lines, links, name, price, rarity, sockets, title } = facts;
    const no = first + at;
    const term = terms(base, name);
    const values = new Map(Array.from(facts.mods, ([mod, value]) => [mods(mod), value]));
    const row = {
      no,
      ...item,
      term,
      rarity,
      ilvl,
      sockets,
      links,
      corrupted: Number(isCorrupted),
      mods: JSON.stringify(Object.fromEntries(values)),
      currency: price?.currency ?? null,
      amount: price?.amount ?? null,
      ...page,
    };
    const doc = { no, doc: JSON.stringify([title, ...lines]) };
    return { row, doc, words: { rowid: no, words: itemWords(item.league, term, values) } };
  });
  const [rows, docs, words] = [
    items.map(({ row }) => row),
    items.map(({ doc }) => doc),
    items.map((item) => item.words),
  ];
  yield* insertRows(sql, "item", rows);
  yield* insertRows(sql, "item_doc", docs);
  yield* insertRows(sql, "item_word", words);
});

/** Pages from one merge of all segments to the next. */
const MERGE_INTERVAL = 600;
const MERGED_LEAVES = 64;

/** Deletes listings that ended long ago, and keeps the full text in few segments. */
const forget = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { receivedAt, seq }: Indexer.IndexedPage,
) {
  yield* sql`DELETE FROM item WHERE ended_at < ${receivedAt - KEPT_MILLIS} AND no IN (
    SELECT no FROM item WHERE ended IS NOT NULL ORDER BY ended_seq LIMIT 2000)`;
  // Each page makes a segment, and few segments are read much faster. A negative number begins a
  // merge of all segments, and the others continue it.
  const leaves = Number(seq) % MERGE_INTERVAL === 0 ? -MERGED_LEAVES : MERGED_LEAVES;
  yield* sql`INSERT INTO item_word (item_word, rank) VALUES ('merge', ${leaves})`;
});
