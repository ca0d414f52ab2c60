/**
 * One consumer process of the kill test: applies the changes of its shards to a SQLite file of its
 * own, version and rows in one transaction, and counts how often each page was applied.
 *
 * Usage: node consumer.ts '{"log":"nats://…","path":"…","count":4,"mine":[0,1],"until":"forever"}'
 */
import { Effect, References } from "effect";
import { DatabaseSync } from "node:sqlite";
import { Changes } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";

/** Settings of a consumer process, passed as JSON in its first argument. */
export interface ConsumerOrder {
  readonly log: string;
  readonly path: string;
  readonly count: number;
  readonly mine: ReadonlyArray<number>;
  readonly until: "caughtUp" | "forever";
}

const order = JSON.parse(process.argv[2] ?? "{}") as ConsumerOrder;
const db = new DatabaseSync(order.path, { timeout: 5000 });
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS position (only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS applied (version INTEGER PRIMARY KEY, next_id TEXT NOT NULL, times INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS stash (id TEXT PRIMARY KEY, version INTEGER NOT NULL, doc TEXT) STRICT;`);
const stored = db.prepare("SELECT version FROM position").get() as { version: number } | undefined;
const move = db.prepare(
  "INSERT INTO position VALUES (1, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
);
const note = db.prepare(
  "INSERT INTO applied VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET times = times + 1",
);
const upsert = db.prepare(
  `INSERT INTO stash VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, doc = excluded.doc
   WHERE excluded.version >= stash.version`,
);

const consume = Changes.run({
  key: { source: "stashes", realm: "pc" },
  after: BigInt(stored?.version ?? 0),
  until: order.until,
  shards: { count: order.count, mine: new Set(order.mine) },
  apply: ({ changes, nextId, version }) =>
    Effect.sync(() => {
      db.exec("BEGIN IMMEDIATE");
      move.run(version);
      note.run(version, nextId);
      for (const { id, isPublic, json } of changes) upsert.run(id, version, isPublic ? json : null);
      db.exec("COMMIT");
    }),
}).pipe(
  Effect.provide(SinkNats.layer({ url: order.log })),
  Effect.provideService(References.MinimumLogLevel, "Error"),
);

const exit = await Effect.runPromiseExit(consume);
if (exit._tag === "Failure") process.stderr.write(`${String(exit.cause)}\n`);
process.exit(exit._tag === "Success" ? 0 : 1);
