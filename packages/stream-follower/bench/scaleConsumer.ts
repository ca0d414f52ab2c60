/**
 * One consumer of the scale benchmark: applies the changes of its shards to a SQLite file, or only
 * receives the messages.
 *
 * Usage: node scaleConsumer.ts '{"kind","log","path","count","mine","pages"}'; prints pages and
 * milliseconds from the first page to the last.
 */
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Effect, type Layer } from "effect";
import { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { Changes, type PageLog } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as {
  /** `raw` receives messages, `nats` and `sqlite` apply changes of that log. */
  readonly kind: "raw" | "nats" | "sqlite";
  readonly log: string;
  readonly path: string;
  readonly count: number;
  readonly mine: ReadonlyArray<number>;
  readonly pages: number;
};

let first = 0;
let pages = 0;
const counted = () => {
  if (pages === 0) first = performance.now();
  pages += 1;
};

const receive = async () => {
  const url = new URL(order.log);
  const nc = await connect({ servers: url.host });
  const stream = `${url.pathname.slice(1)}_stashes_pc`;
  const consumer = await jetstream(nc).consumers.get(stream, { deliver_policy: "all" });
  for await (const message of await consumer.consume({ max_messages: 8 })) {
    if (message.headers?.get("Kind") !== "page") continue;
    counted();
    if (pages === order.pages) break;
  }
  await nc.close();
};

const apply = async () => {
  const db = new DatabaseSync(order.path);
  db.exec(`PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE position (only INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;
    CREATE TABLE stash (id TEXT PRIMARY KEY, version INTEGER NOT NULL, account TEXT, doc BLOB) STRICT, WITHOUT ROWID;`);
  const move = db.prepare(
    "INSERT INTO position VALUES (1, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
  );
  const upsert = db.prepare(
    `INSERT INTO stash VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version,
       account = excluded.account, doc = excluded.doc WHERE excluded.version >= stash.version`,
  );
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  const log: Layer.Layer<PageLog.PageLog, unknown> =
    order.kind === "nats"
      ? SinkNats.layer({ url: order.log })
      : SinkSqlite.layer({ path: order.log });
  const run = Changes.run({
    key: { source: "stashes", realm: "pc" },
    until: "caughtUp",
    shards: { count: order.count, mine: new Set(order.mine) },
    apply: ({ changes, version }) =>
      Effect.sync(() => {
        db.exec("BEGIN IMMEDIATE");
        move.run(version);
        for (const { account, id, isPublic, json } of changes) {
          upsert.run(id, version, account, isPublic ? zstdCompressSync(json, level) : null);
        }
        db.exec("COMMIT");
        counted();
      }),
  });
  await Effect.runPromise(Effect.provide(run, log));
};

await (order.kind === "raw" ? receive() : apply());
// The first page begins the clock, so one page less is measured.
process.stdout.write(
  `${JSON.stringify({ pages: pages - 1, millis: performance.now() - first })}\n`,
);
process.exit(0);
