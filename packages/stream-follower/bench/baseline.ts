/**
 * A serial follower written by hand, in a process of its own: request, gunzip, JSON.parse and a
 * SQLite commit of the stashes, one page after the other.
 *
 * Usage: node baseline.ts PAGES [URL]; without the URL of a page server the pages cost no request.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { stashesText } from "./page.ts";

const WARM_PAGES = 5;
const pages = Number(process.argv[2]) + WARM_PAGES;
const url = process.argv[3];
const agent = new Agent({ keepAlive: true });
const made =
  url === undefined ? gzipSync(`{"next_change_id":"1","stashes":${stashesText()}}`) : undefined;
const request = (id: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    get(`${url}/?id=${id}`, { agent }, (response) => {
      const chunks: Array<Buffer> = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
    }).on("error", reject);
  });
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

/** Stores a page, and returns the next id. */
const store = (seq: number, wire: Uint8Array): string => {
  const { next_change_id: next, stashes } = JSON.parse(gunzipSync(wire).toString("utf8")) as {
    next_change_id: string;
    stashes: ReadonlyArray<Stash>;
  };
  db.exec("BEGIN IMMEDIATE");
  for (const one of stashes) {
    const { accountName = null, stash = null, stashType = null, league = null, items = [] } = one;
    const doc = one.public ? JSON.stringify(one) : null;
    const row = [one.id, seq, one.public ? 1 : 0, accountName, stash, stashType, league] as const;
    upsert.run(...row, items.length, doc);
  }
  move.run(next, seq);
  db.exec("COMMIT");
  return next;
};

let begun = process.cpuUsage();
let begunAt = performance.now();
let id = "0";
for (let seq = 1; seq <= pages; seq += 1) {
  id = store(seq, made ?? (await request(id)));
  if (seq === WARM_PAGES) {
    begun = process.cpuUsage();
    begunAt = performance.now();
  }
}
const { user, system } = process.cpuUsage(begun);
const measured = pages - WARM_PAGES;
process.stdout.write(
  `${JSON.stringify({
    cpuMillisPerPage: (user + system) / 1000 / measured,
    pagesPerSecond: measured / ((performance.now() - begunAt) / 1000),
  })}\n`,
);
agent.destroy();
db.close();
rmSync(folder, { recursive: true, force: true });
