/**
 * Applies stash changes to the search index: each listed tab is compared with what the index holds
 * of it. New items are inserted, repriced ones updated, and those that are no longer there move to
 * `gone`, which is where "sold against stayed" comes from.
 */
import type { Item } from "@game-data/schemas";
import type { DatabaseSync } from "node:sqlite";
import { type Facets, facetsOf, openFacets, packMods } from "./facets.ts";
import { itemFacts, type ItemFacts, itemKey, shortText, tabKey } from "./itemFacts.ts";
import * as SqliteIndexer from "./SqliteIndexer.ts";
import { ITEM_TABLES, type Reason, REASONS } from "./tables.ts";

/** Opens the indexer over `path`. */
export const make = (path: string) =>
  SqliteIndexer.make({ path, name: "items", version: 7, tables: ITEM_TABLES, prepare });

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
  readonly term: number;
  readonly mods: string;
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

/** What a change says of a tab. */
interface ShownTab {
  readonly no: number;
  readonly league: number;
  readonly items: ReadonlyMap<number, ItemFacts>;
  readonly at: number;
  /** What became of items that are no longer there. */
  readonly ended: Reason;
}

const MOST_NUMBERS = 100_000;
/** Listings that ended are kept for two weeks. */
const KEPT_MILLIS = 14 * 86_400_000;
/** Lines of an item that lists show. */
const MOST_SHOWN = 40;
const TAB = "seq, public, seller, name, type, league, items, seen_at";

const prepare = ({ count, db, reject }: SqliteIndexer.IndexTools): SqliteIndexer.IndexWriter => {
  // Most of an index's pages are written at random places: they have to stay in memory.
  db.exec("PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 4000");
  const numbers = openNumbers(db);
  const rows = openRows(db);
  const facets = openFacets(db);
  const applyItems = itemsWriter(numbers, rows, facets);
  /** Tabs and items more than before, of the running page. */
  let [tabs, held] = [0, 0];

  const applyChange = (
    page: SqliteIndexer.IndexedPage,
    logged: SqliteIndexer.LoggedChange,
  ): void => {
    const change = parse(logged);
    if (typeof change === "string") return reject(page, logged, change);
    const { id, public: isPublic } = change;
    const key = tabKey(id);
    const known = rows.findTab.get(key) as unknown as StoredTab | undefined;
    if (known !== undefined && known.seq > Number(page.seq)) return;
    const { items, unread } = readItems(change);
    if (unread.length > 0) {
      const causes = unread.slice(0, MOST_CAUSES).join("; ");
      const told = `${causes} (${unread.length} of ${change.items!.length})`;
      reject(page, logged, told);
    }
    const league = numbers.league(shortText(change.league));
    const at = page.receivedAt;
    const shown = isPublic
      ? shownColumns(change, numbers.seller, league)
      : [null, null, null, null];
    const row = [Number(page.seq), Number(isPublic), ...shown, items.size, at] as const;
    if (known !== undefined) rows.setTab.run(...row, known.no);
    const no = known?.no ?? Number(rows.addTab.run(...row, key).lastInsertRowid);
    applyItems({ no, league, items, at, ended: isPublic ? "sold" : "unlisted" });
    tabs += Number(isPublic) - (known?.public ?? 0);
    held += items.size - (known?.items ?? 0);
  };

  let last = 0;
  return {
    apply: (page) => {
      const seq = Number(page.seq);
      // Numbers of a transaction that was rolled back are gone: its pages come again.
      numbers.forget(seq !== last + 1);
      facets.forget();
      last = seq;
      [tabs, held] = [0, 0];
      for (const change of page.changes) applyChange(page, change);
      count(page.key, tabs, held);
      rows.forget.run(page.receivedAt - KEPT_MILLIS);
      facets.write(seq);
    },
  };
};

/** Finds or makes the numbers of words. */
const openNumbers = (db: DatabaseSync) => {
  const known = new Map<string, number>();
  /** The number of a row of words; `text` is its full text. */
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
      let no = known.get(name) ?? (find.get(...parts)?.["no"] as number | undefined);
      if (no === undefined) {
        no = Number(insert.run(...parts).lastInsertRowid);
        if (index) index.run(no, parts.filter((part) => typeof part === "string").join(" "));
      }
      known.set(name, no);
      return no;
    };
  };
  return {
    league: words("league", ["name"]),
    currency: words("currency", ["code"]),
    seller: words("seller", ["name"]),
    term: words("term", ["base", "name", "rarity"], "term_text"),
    mod: words("mod", ["template"], "mod_text"),
    forget: (isGone: boolean) => {
      if (isGone || known.size > MOST_NUMBERS) known.clear();
    },
  };
};
type Numbers = ReturnType<typeof openNumbers>;

/** The statements over tabs and items. */
const openRows = (db: DatabaseSync) => ({
  findTab: db.prepare("SELECT no, seq, public, items FROM tab WHERE key = ?"),
  addTab: db.prepare(`INSERT INTO tab (${TAB}, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  setTab: db.prepare(`UPDATE tab SET (${TAB}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE no = ?`),
  itemsOf: db.prepare(
    `SELECT no, key, league, term, mods, concat_ws(', ', ${SHAPE}) AS shape, currency, amount
       FROM item WHERE tab = ?`,
  ),
  addItem: db.prepare(
    `INSERT INTO item (${SHAPE}, tab, key, currency, amount, first_seen)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  addDoc: db.prepare("INSERT INTO item_doc (no, doc) VALUES (?, ?)"),
  reprice: db.prepare("UPDATE item SET currency = ?, amount = ? WHERE no = ?"),
  drop: ["item", "item_doc"].map((table) => db.prepare(`DELETE FROM ${table} WHERE no = ?`)),
  addGone: db.prepare(
    `INSERT INTO gone (item, tab, ${SHAPE}, currency, amount, first_seen, gone_at, reason)
       SELECT no, tab, ${SHAPE}, currency, amount, first_seen, ?, ? FROM item WHERE no = ?`,
  ),
  forget: db.prepare(
    `DELETE FROM gone WHERE no IN (
       SELECT no FROM (SELECT no, gone_at FROM gone ORDER BY no LIMIT 2000) WHERE gone_at < ?)`,
  ),
  countListed: db.prepare("UPDATE league SET listed = listed + ? WHERE no = ?"),
});
type Rows = ReturnType<typeof openRows>;

/** Brings the items of a tab to what a change says. */
const itemsWriter = (numbers: Numbers, rows: Rows, facets: Facets) => {
  /** Copies a listing to `gone` as it is: before anything of it changes. */
  const end = ({ league, mods, no, term }: StoredItem, at: number, reason: Reason) => {
    rows.addGone.run(at, REASONS.indexOf(reason), no);
    if (reason === "repriced") return;
    for (const statement of rows.drop) statement.run(no);
    facets.drop(no, facetsOf(league, term, mods));
  };

  const applyItem = (
    { at, league, no: tab }: ShownTab,
    key: number,
    facts: ItemFacts,
    known: StoredItem | undefined,
  ) => {
    const { base, ilvl, isCorrupted, lines, links, name, price, rarity, sockets, title } = facts;
    const term = numbers.term(base, name, rarity);
    const mods = packMods(
      Array.from(facts.mods, ([text, value]) => [numbers.mod(text), value] as const),
    );
    const figures = [league, term, rarity, ilvl, sockets, links, Number(isCorrupted)] as const;
    const shape = [...figures, mods] as const;
    const currency = price === undefined ? null : numbers.currency(price.currency);
    const amount = price?.amount ?? null;
    if (known?.shape === shape.join(", ")) {
      if (currency === known.currency && amount === known.amount) return;
      end(known, at, "repriced");
      rows.reprice.run(currency, amount, known.no);
      return;
    }
    if (known !== undefined) end(known, at, "changed");
    const no = Number(rows.addItem.run(...shape, tab, key, currency, amount, at).lastInsertRowid);
    facets.add(no, facetsOf(league, term, mods));
    rows.addDoc.run(no, JSON.stringify([title, ...lines.slice(0, MOST_SHOWN)]));
  };

  return (tab: ShownTab): void => {
    const found = rows.itemsOf.all(tab.no) as unknown as ReadonlyArray<StoredItem>;
    const stored = new Map(found.map((item) => [item.key, item]));
    const listed = new Map([[tab.league, tab.items.size]]);
    for (const { league } of found) listed.set(league, (listed.get(league) ?? 0) - 1);
    for (const [league, added] of listed) if (added !== 0) rows.countListed.run(added, league);
    for (const [key, facts] of tab.items) {
      applyItem(tab, key, facts, stored.get(key));
      stored.delete(key);
    }
    for (const item of stored.values()) end(item, tab.at, tab.ended);
  };
};

/** Seller, name, type and league of a public tab. */
const shownColumns = (
  { accountName, stash, stashType }: Change,
  seller: Numbers["seller"],
  league: number,
) => [
  seller(shortText(accountName)),
  stash == null ? null : shortText(stash),
  stashType == null ? null : shortText(stashType),
  league,
];

/** The items of a tab by their keys, and why others are not among them. */
const readItems = ({ items: shown = [], public: isPublic, stash }: Change) => {
  // Ids are unique in a tab; should one come twice, the later item counts.
  const items = new Map<number, ItemFacts>();
  const unread: Array<string> = [];
  for (const [place, item] of (isPublic ? shown : []).entries()) {
    const facts = factsOf(item, stash);
    if (typeof facts === "string") unread.push(`item ${place}: ${facts}`);
    else items.set(itemKey(item, place), facts);
  }
  return { items, unread };
};

/** Items of a change whose causes its record names; a stranger may write a thousand. */
const MOST_CAUSES = 10;

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
const parse = ({ error, json }: SqliteIndexer.LoggedChange): Change | string => {
  if (error !== undefined) return error;
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
  const texts = ["accountName", "stash", "stashType", "league"] as const;
  const bad = texts.find((name) => typeof (change[name] ?? "") !== "string");
  return bad === undefined ? (change as unknown as Change) : `${bad} is not a string`;
};

const isRecord = (item: unknown): boolean =>
  typeof item === "object" && item !== null && !Array.isArray(item);
