/**
 * The tables of the search index (`FILE.items`, SQLite). They are derived from the page log and may
 * be deleted at any time.
 *
 * Prices are kept as amount and currency: rates move, so queries convert. Full text stands over
 * distinct terms and mod templates, not over items, which keeps it a thousand times smaller.
 */

/** Written by the item indexer. */
export const ITEM_TABLES: Readonly<Record<string, string>> = {
  league: `CREATE TABLE league (
    no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, listed INTEGER NOT NULL DEFAULT 0) STRICT`,
  currency: "CREATE TABLE currency (no INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE) STRICT",
  seller: "CREATE TABLE seller (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
  term: `CREATE TABLE term (
    no INTEGER PRIMARY KEY, name TEXT NOT NULL, base TEXT NOT NULL, rarity INTEGER NOT NULL,
    UNIQUE (base, name, rarity)) STRICT`,
  term_text: `CREATE VIRTUAL TABLE term_text USING fts5(
    words, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3')`,
  mod: "CREATE TABLE mod (no INTEGER PRIMARY KEY, template TEXT NOT NULL UNIQUE) STRICT",
  mod_text: `CREATE VIRTUAL TABLE mod_text USING fts5(
    words, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3')`,
  tab: `CREATE TABLE tab (
    no INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, seq INTEGER NOT NULL, public INTEGER NOT NULL,
    seller INTEGER, name TEXT, type TEXT, league INTEGER, items INTEGER NOT NULL,
    seen_at INTEGER NOT NULL) STRICT`,
  tab_seller: "CREATE INDEX tab_seller ON tab (seller) WHERE public = 1",
  tab_seq: "CREATE INDEX tab_seq ON tab (seq)",
  // Numbers of items are never used twice, so that a watch can ask for those after the last one.
  item: `CREATE TABLE item (
    no INTEGER PRIMARY KEY AUTOINCREMENT, tab INTEGER NOT NULL, key INTEGER NOT NULL,
    league INTEGER NOT NULL, term INTEGER NOT NULL, rarity INTEGER NOT NULL, ilvl INTEGER NOT NULL,
    sockets INTEGER NOT NULL, links INTEGER NOT NULL, corrupted INTEGER NOT NULL,
    mods TEXT NOT NULL, currency INTEGER, amount REAL, first_seen INTEGER NOT NULL) STRICT`,
  item_tab: "CREATE INDEX item_tab ON item (tab)",
  // What lists show of an item and no filter asks for, apart from what a search walks over: its
  // title and the lines of its mods.
  item_doc: "CREATE TABLE item_doc (no INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT",
  // Every column that a filter asks for, so that a walk does not fetch the rows that it drops.
  item_price: `CREATE INDEX item_price ON item (
    league, currency, amount, no, term, rarity, ilvl, sockets, links, corrupted, mods)
    WHERE currency IS NOT NULL`,
  // The items of a term, and of a mod's range, in a league: see `facets.ts`.
  item_facet: `CREATE VIRTUAL TABLE item_facet USING fts5(
    facets, content='', columnsize=0, detail=none, tokenize='ascii')`,
  // Listings that ended, with every column of theirs that a filter asks for.
  gone: `CREATE TABLE gone (
    no INTEGER PRIMARY KEY, item INTEGER NOT NULL, tab INTEGER NOT NULL,
    league INTEGER NOT NULL, term INTEGER NOT NULL, rarity INTEGER NOT NULL, ilvl INTEGER NOT NULL,
    sockets INTEGER NOT NULL, links INTEGER NOT NULL, corrupted INTEGER NOT NULL,
    mods TEXT NOT NULL, currency INTEGER, amount REAL, first_seen INTEGER NOT NULL,
    gone_at INTEGER NOT NULL, reason INTEGER NOT NULL) STRICT`,
  gone_term: "CREATE INDEX gone_term ON gone (term, league, gone_at)",
};

/** Written by the market indexer. `first` and `second` are codes; ratios are second per first. */
export const MARKET_TABLES: Readonly<Record<string, string>> = {
  market_hour: `CREATE TABLE market_hour (
    league TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, hour INTEGER NOT NULL,
    volume_first REAL NOT NULL, volume_second REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
    typical REAL NOT NULL, PRIMARY KEY (league, first, second, hour)) STRICT, WITHOUT ROWID`,
  market_hour_time: "CREATE INDEX market_hour_time ON market_hour (league, hour)",
  market_hour_all: "CREATE INDEX market_hour_all ON market_hour (hour)",
};

/** The ways in which a listing ends. */
export const REASONS = ["sold", "unlisted", "repriced", "changed"] as const;

/** A reason by its number in `gone`. */
export type Reason = (typeof REASONS)[number];
