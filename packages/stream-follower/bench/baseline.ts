/**
 * What a page costs at least, in a process of its own: gunzip, JSON.parse and a SQLite commit of
 * the same page, written by hand.
 *
 * Usage: node baseline.ts PAGES
 */
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { stashesText } from "./page.ts";

const WARM_PAGES = 5;
const pages = Number(process.argv[2]) + WARM_PAGES;
const wire = gzipSync(`{"next_change_id":"1","stashes":${stashesText()}}`);
const folder = mkdtempSync(join(tmpdir(), "baseline-"));
const db = new DatabaseSync(join(folder, "store.db"));
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
db.exec("CREATE TABLE checkpoint (id INTEGER PRIMARY KEY, next_id TEXT, seq INTEGER) STRICT");
db.exec(`CREATE TABLE stash (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, public INTEGER NOT NULL, account TEXT, name TEXT,
  type TEXT, league TEXT, items INTEGER NOT NULL, doc TEXT) STRICT, WITHOUT ROWID`);
db.exec("CREATE INDEX stash_by_account ON stash (account, league) WHERE public = 1");
const move = db.prepare("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?)");
const upsert = db.prepare(`INSERT INTO stash VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET seq = excluded.seq, public = excluded.public, account = excluded.account, name = excluded.name,
    type = excluded.type, league = excluded.league, items = excluded.items, doc = excluded.doc WHERE excluded.seq >= stash.seq`);

interface Stash {
  readonly id: string;
  readonly public: boolean;
  readonly accountName?: string;
  readonly stash?: string;
  readonly stashType?: string;
  readonly league?: string;
  readonly items?: ReadonlyArray<unknown>;
}

const page = (seq: number): void => {
  const { next_change_id: next, stashes } = JSON.parse(gunzipSync(wire).toString("utf8")) as {
    next_change_id: string;
    stashes: ReadonlyArray<Stash>;
  };
  db.exec("BEGIN IMMEDIATE");
  for (const one of stashes) {
    const { accountName = null, stash = null, stashType = null, league = null, items = [] } = one;
    const doc = one.public ? JSON.stringify(one) : null;
    upsert.run(
      one.id,
      seq,
      one.public ? 1 : 0,
      accountName,
      stash,
      stashType,
      league,
      items.length,
      doc,
    );
  }
  move.run(next, seq);
  db.exec("COMMIT");
};

let begun = process.cpuUsage();
for (let seq = 1; seq <= pages; seq += 1) {
  page(seq);
  if (seq === WARM_PAGES) begun = process.cpuUsage();
}
const { user, system } = process.cpuUsage(begun);
process.stdout.write(
  `${JSON.stringify({ cpuMillisPerPage: (user + system) / 1000 / (pages - WARM_PAGES) })}\n`,
);
db.close();
rmSync(folder, { recursive: true, force: true });
