/**
 * Tables of the search index. They are derived from the page log, and may be deleted at any time.
 *
 * A listing is a row of `item`. An ended listing keeps its row for two weeks, with the kind of its
 * end, so that the same filters find listed and sold items. Full text covers distinct names and
 * mods, which are thousands of times fewer than items. Prices stay in the seller's currency,
 * because rates change every hour and queries convert.
 */

/** Kinds of ends of a listing. `sold` means that the item left a tab that is still public. */
export type Ending = "sold" | "unlisted" | "repriced" | "changed";

const wordsOf = (table: string, words: string): ReadonlyArray<string> => [
  `CREATE VIRTUAL TABLE ${table}_text USING fts5(
    words, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3')`,
  `CREATE TRIGGER ${table}_words AFTER INSERT ON ${table} BEGIN
    INSERT INTO ${table}_text (rowid, words) VALUES (new.no, ${words});
  END`,
];

/** SQL statements that create the tables, by table. */
export const TABLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  league: [
    "CREATE TABLE league (no INTEGER PRIMARY KEY, name TEXT UNIQUE, listed INTEGER DEFAULT 0)",
  ],
  term: ["CREATE TABLE term (no INTEGER PRIMARY KEY, base TEXT, name TEXT, UNIQUE (base, name))"],
  term_text: wordsOf("term", "new.base || ' ' || new.name"),
  mod: ["CREATE TABLE mod (no INTEGER PRIMARY KEY, template TEXT UNIQUE)"],
  mod_text: wordsOf("mod", "new.template"),
  tab: [
    "CREATE TABLE tab (no INTEGER PRIMARY KEY, id TEXT UNIQUE, seq INTEGER, seller TEXT, name TEXT)",
    "CREATE INDEX tab_seller ON tab (seller)",
  ],
  // `version` changes with the item and its price, see `listings.ts`. `mods` is a JSON object of
  // the values of mods, by the number of the mod.
  item: [
    `CREATE TABLE item (
      no INTEGER PRIMARY KEY, tab INTEGER, key TEXT, version TEXT, league INTEGER, term INTEGER,
      rarity INTEGER, ilvl INTEGER, sockets INTEGER, links INTEGER, corrupted INTEGER, mods TEXT,
      currency TEXT, amount REAL, seq INTEGER, seen_at INTEGER,
      ended TEXT, ended_seq INTEGER, ended_at INTEGER)`,
    "CREATE INDEX item_tab ON item (tab) WHERE ended IS NULL",
    // Has the columns of most filters, so that a scan in price order reads few rows of `item`.
    `CREATE INDEX item_price ON item (
      league, currency, amount, no, term, rarity, ilvl, sockets, links, corrupted, tab)
      WHERE ended IS NULL AND currency IS NOT NULL`,
    "CREATE INDEX item_seq ON item (seq)",
    "CREATE INDEX item_ended ON item (ended_seq) WHERE ended IS NOT NULL",
    "CREATE INDEX item_term_ended ON item (league, term, ended_seq) WHERE ended IS NOT NULL",
    `CREATE TRIGGER item_begins AFTER INSERT ON item BEGIN
      UPDATE league SET listed = listed + 1 WHERE no = new.league;
    END`,
    `CREATE TRIGGER item_ends AFTER UPDATE OF ended ON item BEGIN
      UPDATE league SET listed = listed - 1 WHERE no = old.league;
    END`,
    `CREATE TRIGGER item_forgotten AFTER DELETE ON item BEGIN
      DELETE FROM item_doc WHERE no = old.no;
    END`,
  ],
  // Apart from `item`, because no filter reads `doc`, and shorter rows are read faster.
  item_doc: ["CREATE TABLE item_doc (no INTEGER PRIMARY KEY, doc TEXT)"],
  item_word: [
    "CREATE VIRTUAL TABLE item_word USING fts5(words, columnsize=0, detail=none, tokenize='ascii')",
  ],
  // Ratios are amounts of `second` for one unit of `first`.
  market_hour: [
    `CREATE TABLE market_hour (
      league TEXT, first TEXT, second TEXT, hour INTEGER, volume REAL, low REAL, high REAL,
      typical REAL, PRIMARY KEY (league, first, second, hour)) WITHOUT ROWID`,
    "CREATE INDEX market_hour_time ON market_hour (league, hour)",
    "CREATE INDEX market_hour_all ON market_hour (hour)",
  ],
};
