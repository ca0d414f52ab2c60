/**
 * Applies stash changes to the search index: each listed tab is compared with what the index holds
 * of it. New items are inserted, repriced ones updated, and those that are no longer there move to
 * `gone`, which is where "sold against stayed" comes from.
 */
import type { Item } from "@game-data/schemas";
import type { LoggedChange, LoggedPage } from "@game-data/stream-follower/PageLog";
import { SqliteIndexer } from "@game-data/stream-follower/sqlite";
import { facetsOf, packMods } from "./facets.ts";
import { itemFacts, type ItemFacts, itemKey, shortText, tabKey } from "./itemFacts.ts";
import { ITEM_TABLES, type Reason, REASONS } from "./tables.ts";

/** Opens the indexer over `path`. */
export const make = (path: string) =>
  SqliteIndexer.make({ path, name: "items", version: 5, tables: ITEM_TABLES, prepare });

/** A change of the stash stream, as far as it is read here. */
interface Change {
  readonly id: string;
  readonly public: boolean;
  readonly accountName?: string | null;
  readonly stash?: string | null;
  readonly stashType?: string | null;
  readonly league?: string | null;
  readonly items?: ReadonlyArray<Partial<Item>>;
}

/** An item as its row has it; the columns in this order. */
const SHAPE = "league, term, rarity, ilvl, sockets, links, corrupted, mods";

interface StoredItem {
  readonly no: number;
  readonly key: number;
  readonly league: number;
  readonly shape: string;
  readonly currency: number | null;
  readonly amount: number | null;
}

interface StoredTab {
  readonly no: number;
  readonly seq: number;
  readonly public: number;
  readonly items: number;
}

const MOST_NUMBERS = 100_000;
/** Pages of the stream from one merge of all facets to the next. */
const MERGE_EVERY = 600;
const MERGED_LEAVES = 64;
/** Listings that ended are kept for two weeks. */
const KEPT_MILLIS = 14 * 86_400_000;
const TAB = "seq, public, seller, name, type, league, items, seen_at";

const prepare = ({ count, db, reject }: SqliteIndexer.IndexTools): SqliteIndexer.IndexWriter => {
  // Most of an index's pages are written at random places: they have to stay in memory.
  db.exec("PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 4000");
  const numbers = new Map<string, number>();
  /** Finds or makes the number of a row of words; `text` is its full text. */
  const words = (table: string, columns: ReadonlyArray<string>, text?: string) => {
    const find = db.prepare(
      `SELECT no FROM ${table} WHERE ${columns.map((name) => `${name} = ?`).join(" AND ")}`,
    );
    const insert = db.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    const index = text && db.prepare(`INSERT INTO ${text} (rowid, words) VALUES (?, ?)`);
    return (...parts: ReadonlyArray<string | number>): number => {
      const name = `${table} ${parts.length === 1 ? parts[0] : JSON.stringify(parts)}`;
      let no = numbers.get(name) ?? (find.get(...parts)?.["no"] as number | undefined);
      if (no === undefined) {
        no = Number(insert.run(...parts).lastInsertRowid);
        if (index) index.run(no, parts.filter((part) => typeof part === "string").join(" "));
      }
      numbers.set(name, no);
      return no;
    };
  };
  const leagueNo = words("league", ["name"]);
  const currencyNo = words("currency", ["code"]);
  const sellerNo = words("seller", ["name"]);
  const termNo = words("term", ["base", "name", "rarity"], "term_text");
  const modNo = words("mod", ["template"], "mod_text");

  const findTab = db.prepare("SELECT no, seq, public, items FROM tab WHERE key = ?");
  const addTab = db.prepare(`INSERT INTO tab (${TAB}, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const setTab = db.prepare(`UPDATE tab SET (${TAB}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE no = ?`);
  const setDoc = db.prepare("INSERT OR REPLACE INTO tab_doc (no, doc) VALUES (?, ?)");
  const dropDoc = db.prepare("DELETE FROM tab_doc WHERE no = ?");
  const itemsOf = db.prepare(
    `SELECT no, key, league, concat_ws(', ', ${SHAPE}) AS shape, currency, amount
       FROM item WHERE tab = ?`,
  );
  const addItem = db.prepare(
    `INSERT INTO item (${SHAPE}, tab, key, currency, amount, first_seen)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addFacets = db.prepare("INSERT INTO item_facet (rowid, facets) VALUES (?, ?)");
  const reprice = db.prepare("UPDATE item SET currency = ?, amount = ? WHERE no = ?");
  const dropItem = db.prepare("DELETE FROM item WHERE no = ?");
  const dropFacets = db.prepare("DELETE FROM item_facet WHERE rowid = ?");
  const addGone = db.prepare(
    `INSERT INTO gone (item, tab, ${SHAPE}, currency, amount, first_seen, gone_at, reason)
       SELECT no, tab, ${SHAPE}, currency, amount, first_seen, ?, ? FROM item WHERE no = ?`,
  );
  const forget = db.prepare(
    `DELETE FROM gone WHERE no IN (
       SELECT no FROM (SELECT no, gone_at FROM gone ORDER BY no LIMIT 2000) WHERE gone_at < ?)`,
  );
  // A new segment comes with each page. Merged into one, bit by bit, they are read far faster.
  const merge = db.prepare("INSERT INTO item_facet (item_facet, rank) VALUES ('merge', ?)");
  const countListed = db.prepare("UPDATE league SET listed = listed + ? WHERE no = ?");

  /** Counts of the running page: listings by league, tabs, and items. */
  let listed = new Map<number, number>();
  let [tabs, held] = [0, 0];

  /** Copies a listing to `gone` as it is: before anything of it changes. */
  const end = (no: number, at: number, reason: Reason) => {
    addGone.run(at, REASONS.indexOf(reason), no);
    if (reason === "repriced") return;
    dropItem.run(no);
    dropFacets.run(no);
  };

  /** Brings the items of a tab to what the change says. */
  const applyItems = (
    tab: number,
    league: number,
    items: ReadonlyMap<number, ItemFacts>,
    at: number,
    reason: Reason,
  ): void => {
    const rows = itemsOf.all(tab) as unknown as ReadonlyArray<StoredItem>;
    const stored = new Map(rows.map((item) => [item.key, item]));
    for (const { league: from } of rows) listed.set(from, (listed.get(from) ?? 0) - 1);
    listed.set(league, (listed.get(league) ?? 0) + items.size);
    for (const [key, facts] of items) {
      const { ilvl, isCorrupted, links, price, rarity, sockets } = facts;
      const term = termNo(facts.base, facts.name, rarity);
      const mods = Array.from(facts.mods, ([text, value]) => [modNo(text), value] as const);
      const figures = [league, term, rarity, ilvl, sockets, links, Number(isCorrupted)] as const;
      const shape = [...figures, packMods(mods)] as const;
      const currency = price === undefined ? null : currencyNo(price.currency);
      const amount = price?.amount ?? null;
      const known = stored.get(key);
      stored.delete(key);
      if (known?.shape === shape.join(", ")) {
        if (currency === known.currency && amount === known.amount) continue;
        end(known.no, at, "repriced");
        reprice.run(currency, amount, known.no);
        continue;
      }
      if (known !== undefined) end(known.no, at, "changed");
      const { lastInsertRowid: no } = addItem.run(...shape, tab, key, currency, amount, at);
      addFacets.run(no, facetsOf(league, term, mods));
    }
    for (const { no } of stored.values()) end(no, at, reason);
  };

  const applyChange = (page: LoggedPage, logged: LoggedChange): void => {
    const change = parse(logged.json);
    if (typeof change === "string") return reject(page, logged, "MalformedRow", change);
    const { accountName, id, items: shown = [], league: name, public: isPublic, stash } = change;
    const key = tabKey(id);
    const known = findTab.get(key) as unknown as StoredTab | undefined;
    if (known !== undefined && known.seq > Number(page.seq)) return;
    // Ids are unique in a tab; should one come twice, the later item counts.
    const items = new Map<number, ItemFacts>();
    const unread: Array<string> = [];
    for (const [place, item] of (isPublic ? shown : []).entries()) {
      const facts = factsOf(item, stash);
      if (typeof facts === "string") unread.push(`item ${place}: ${facts}`);
      else items.set(itemKey(item, place), facts);
    }
    if (unread.length > 0)
      reject(page, logged, "MalformedRow", `${unread[0]} (${unread.length} of ${shown.length})`);
    const league = leagueNo(shortText(name));
    const owner = isPublic
      ? [sellerNo(shortText(accountName)), stash == null ? null : shortText(stash)]
      : [null, null];
    const type = change.stashType == null ? null : shortText(change.stashType);
    const kind = isPublic ? [type, league] : [null, null];
    const at = page.receivedAt;
    const row = [Number(page.seq), Number(isPublic), ...owner, ...kind, items.size, at] as const;
    if (known !== undefined) setTab.run(...row, known.no);
    const no = known?.no ?? Number(addTab.run(...row, key).lastInsertRowid);
    applyItems(no, league, items, at, isPublic ? "sold" : "unlisted");
    if (items.size > 0) setDoc.run(no, detailsOf(items));
    else if (known !== undefined) dropDoc.run(no);
    tabs += Number(isPublic) - (known?.public ?? 0);
    held += items.size - (known?.items ?? 0);
  };

  let last = 0;
  return {
    apply: (page) => {
      // Numbers of a transaction that was rolled back are gone: its pages come again.
      const seq = Number(page.seq);
      if (seq !== last + 1 || numbers.size > MOST_NUMBERS) numbers.clear();
      last = seq;
      listed = new Map();
      [tabs, held] = [0, 0];
      for (const change of page.changes) applyChange(page, change);
      for (const [league, added] of listed) countListed.run(added, league);
      count(page.key, tabs, held);
      forget.run(page.receivedAt - KEPT_MILLIS);
      // A negative number begins a merge of all segments; the others go on with it.
      merge.run(seq % MERGE_EVERY === 0 ? -MERGED_LEAVES : MERGED_LEAVES);
    },
  };
};

/** Texts of a tab's items that lists leave out, by the items' keys. */
export type Details = Readonly<Record<string, Pick<ItemFacts, "title" | "lines" | "note">>>;

const detailsOf = (items: ReadonlyMap<number, ItemFacts>): string =>
  JSON.stringify(
    Object.fromEntries(
      Array.from(items, ([key, { lines, note, title }]) => [key, { lines, note, title }]),
    ) satisfies Details,
  );

/** Members of an item that are texts; some services have sent numbers. */
const TEXTS = ["id", "name", "typeLine", "baseType", "note", "rarity"] as const;

/** The facts of an item, or why it has none: an item is what a stranger wrote. */
const factsOf = (item: Partial<Item>, tabName: string | null | undefined): ItemFacts | string => {
  if (!isRecord(item)) return "is not an object";
  const bad = TEXTS.find((name) => typeof item[name] === "object" && item[name] !== null);
  if (bad !== undefined) return `${bad} is not a string`;
  try {
    return itemFacts(item, tabName);
  } catch (cause) {
    return `cannot be read: ${(cause as Error).message}`;
  }
};

/** The change, or why it is none. */
const parse = (json: string): Change | string => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return `not JSON: ${(cause as Error).message}`;
  }
  const change = value as Partial<Record<keyof Change, unknown>> | null;
  if (typeof change?.id !== "string") return "id is not a string";
  if (typeof change.public !== "boolean") return "public is not a boolean";
  const { items } = change;
  if (!change.public) return change as unknown as Change;
  if (!Array.isArray(items)) return "items is not a list";
  const texts = [change.accountName, change.stash, change.stashType, change.league];
  return texts.every((text) => text === undefined || text === null || typeof text === "string")
    ? (change as unknown as Change)
    : "a text is not a string";
};

const isRecord = (item: unknown): boolean =>
  typeof item === "object" && item !== null && !Array.isArray(item);
