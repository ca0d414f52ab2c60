/**
 * Applies stash changes to the search index: each listed tab is compared with what the index holds
 * of it. New items are inserted, repriced ones updated, and those that are no longer there move to
 * `gone`, which is where "sold against stayed" comes from.
 */
import type { Item } from "@game-data/schemas";
import type { LoggedChange, LoggedPage } from "@game-data/stream-follower/PageLog";
import { SqliteIndexer } from "@game-data/stream-follower/sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { factsChecksum, itemFacts, type ItemFacts, itemKey, tabKey } from "./itemFacts.ts";
import { ITEM_TABLES, type Reason, REASONS } from "./tables.ts";

/** Opens the indexer over `path`. */
export const make = (path: string) =>
  SqliteIndexer.make({ path, name: "items", version: 2, tables: ITEM_TABLES, prepare });

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

interface StoredItem {
  readonly no: number;
  readonly key: number;
  readonly checksum: number;
  readonly term: number;
  readonly league: number;
  readonly currency: number | null;
  readonly amount: number | null;
  readonly first_seen: number;
}

interface StoredTab {
  readonly no: number;
  readonly seq: number;
  readonly public: number;
  readonly items: number;
}

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Listings that ended are kept for two weeks. */
const KEPT_MILLIS = 14 * 86_400_000;

const prepare = ({ count, db, reject }: SqliteIndexer.IndexTools): SqliteIndexer.IndexWriter => {
  // Of one page only: a transaction that is rolled back must not leave a number behind.
  const numbers = new Map<string, number>();
  const words = (table: string, columns: string, text?: string) => {
    const values = columns.split(", ");
    const find = db.prepare(
      `SELECT no FROM ${table} WHERE ${values.map((name) => `${name} = ?`).join(" AND ")}`,
    );
    const insert = db.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${values.map(() => "?").join(", ")})`,
    );
    const index =
      text === undefined
        ? undefined
        : db.prepare(`INSERT INTO ${text} (rowid, words) VALUES (?, ?)`);
    return (...parts: ReadonlyArray<string | number>): number => {
      const name =
        parts.length === 1 ? `${table} ${parts[0]}` : `${table} ${JSON.stringify(parts)}`;
      const cached = numbers.get(name);
      if (cached !== undefined) return cached;
      const known = find.get(...parts) as { readonly no: number } | undefined;
      const no = known?.no ?? Number(insert.run(...parts).lastInsertRowid);
      if (known === undefined)
        index?.run(no, parts.filter((part) => typeof part === "string").join(" "));
      numbers.set(name, no);
      return no;
    };
  };
  const leagueNo = words("league", "name");
  const currencyNo = words("currency", "code");
  const sellerNo = words("seller", "name");
  const termNo = words("term", "base, name, rarity", "term_text");
  const modNo = words("mod", "template", "mod_text");

  const findTab = db.prepare("SELECT no, seq, public, items FROM tab WHERE key = ?");
  const addTab = db.prepare(
    "INSERT INTO tab (key, seq, public, items, seen_at) VALUES (?, 0, 0, 0, 0) RETURNING no",
  );
  const setTab = db.prepare(
    `UPDATE tab SET seq = ?, public = ?, seller = ?, name = ?, type = ?, league = ?, items = ?,
       seen_at = ? WHERE no = ?`,
  );
  const setDoc = db.prepare(
    "INSERT INTO tab_doc (no, doc) VALUES (?, ?) ON CONFLICT DO UPDATE SET doc = excluded.doc",
  );
  const dropDoc = db.prepare("DELETE FROM tab_doc WHERE no = ?");
  const itemsOf = db.prepare(
    `SELECT no, key, checksum, term, league, currency, amount, first_seen FROM item WHERE tab = ?`,
  );
  const addItem = db.prepare(
    `INSERT INTO item (tab, key, checksum, league, term, rarity, ilvl, sockets, links, corrupted,
       currency, amount, first_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const reprice = db.prepare("UPDATE item SET currency = ?, amount = ? WHERE no = ?");
  const dropItem = db.prepare("DELETE FROM item WHERE no = ?");
  const addMod = db.prepare("INSERT INTO item_mod (item, mod, value, league) VALUES (?, ?, ?, ?)");
  const dropMods = db.prepare("DELETE FROM item_mod WHERE item = ?");
  const addGone = db.prepare(
    `INSERT INTO gone (item, tab, term, league, currency, amount, first_seen, gone_at, reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = db.prepare(
    `DELETE FROM gone WHERE no IN (
       SELECT no FROM (SELECT no, gone_at FROM gone ORDER BY no LIMIT 2000) WHERE gone_at < ?)`,
  );
  const countListed = db.prepare("UPDATE league SET listed = listed + ? WHERE no = ?");
  const insertItem = (tab: number, league: number, key: number, facts: ItemFacts, seen: number) => {
    const { base, ilvl, isCorrupted, links, mods, name, price, rarity, sockets } = facts;
    const term = termNo(base, name, rarity);
    const sale =
      price === undefined
        ? ([null, null] as const)
        : ([currencyNo(price.currency), price.amount] as const);
    const shape = [rarity, ilvl, sockets, links, Number(isCorrupted)] as const;
    const row = [tab, key, factsChecksum(facts), league, term, ...shape, ...sale, seen] as const;
    const no = addItem.run(...row).lastInsertRowid;
    for (const [template, value] of mods) addMod.run(no, modNo(template), value, league);
  };

  const end = (tab: number, item: StoredItem, at: number, reason: Reason) => {
    const { amount, currency, first_seen: seen, league, no, term } = item;
    addGone.run(no, tab, term, league, currency, amount, seen, at, REASONS.indexOf(reason));
    if (reason === "repriced") return;
    dropItem.run(no);
    dropMods.run(no);
  };

  /** Brings the items of a tab to what the change says. */
  const applyItems = (
    tab: number,
    league: number,
    change: Change,
    items: ReadonlyMap<number, Partial<Item>>,
    stored: Map<number, StoredItem>,
    at: number,
  ): void => {
    for (const [key, item] of items) {
      const facts = itemFacts(item, change.stash ?? null);
      const known = stored.get(key);
      stored.delete(key);
      if (known === undefined) {
        insertItem(tab, league, key, facts, at);
      } else if (known.checksum !== factsChecksum(facts) || known.league !== league) {
        end(tab, known, at, "changed");
        insertItem(tab, league, key, facts, at);
      } else {
        const { price } = facts;
        const currency = price === undefined ? null : currencyNo(price.currency);
        const amount = price?.amount ?? null;
        if (currency !== known.currency || amount !== known.amount) {
          end(tab, known, at, "repriced");
          reprice.run(currency, amount, known.no);
        }
      }
    }
    for (const item of stored.values()) end(tab, item, at, change.public ? "sold" : "unlisted");
  };

  const applyChange = (page: LoggedPage, logged: LoggedChange): void => {
    const change = parse(logged.json);
    if (typeof change === "string") return reject(page, logged, "MalformedRow", change);
    const key = tabKey(change.id);
    const seq = Number(page.seq);
    const at = page.receivedAt;
    const known = findTab.get(key) as unknown as StoredTab | undefined;
    if (known !== undefined && known.seq > seq) return;
    const no = known?.no ?? (addTab.get(key) as { no: number }).no;
    const stored = new Map(
      (itemsOf.all(no) as unknown as ReadonlyArray<StoredItem>).map((item) => [item.key, item]),
    );
    const before = Map.groupBy(stored.values(), ({ league }) => league);
    const league = leagueNo((change.league ?? "").toWellFormed());
    // Ids are unique in a tab; should one come twice, the later item counts.
    const items = new Map(
      (change.public ? (change.items ?? []) : []).map((item, place) => [
        itemKey(item, place),
        item,
      ]),
    );
    for (const [from, gone] of before) countListed.run(-gone.length, from);
    countListed.run(items.size, league);
    applyItems(no, league, change, items, stored, at);
    const seller = change.public ? sellerNo((change.accountName ?? "").toWellFormed()) : null;
    const [name, type] = [change.stash ?? null, change.stashType ?? null].map((value) =>
      change.public ? (value?.toWellFormed() ?? null) : null,
    );
    setTab.run(
      seq,
      Number(change.public),
      seller,
      name!,
      type!,
      change.public ? league : null,
      items.size,
      at,
      no,
    );
    if (change.public) setDoc.run(no, zstdCompressSync(logged.json, FAST));
    else dropDoc.run(no);
    const listed = Number(change.public) - (known?.public ?? 0);
    count(page.key, listed, items.size - (known?.items ?? 0));
  };

  return {
    apply: (page) => {
      numbers.clear();
      for (const change of page.changes) applyChange(page, change);
      forget.run(page.receivedAt - KEPT_MILLIS);
    },
  };
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
  if (!items.every(isRecord)) return "an item is not an object";
  const texts = [change.accountName, change.stash, change.stashType, change.league];
  return texts.every((text) => text === undefined || text === null || typeof text === "string")
    ? (change as unknown as Change)
    : "a text is not a string";
};

const isRecord = (item: unknown): boolean =>
  typeof item === "object" && item !== null && !Array.isArray(item);
