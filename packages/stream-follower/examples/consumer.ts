/**
 * A consumer of changes: counts the stashes of each account, in a SQLite file of its own. Rows and
 * version are one transaction, so it may be killed at any moment. Several consumers share the work by
 * shards.
 *
 * Run it: node examples/consumer.ts (it starts a sandbox, follows it into a local log, and reads the
 * log). Of a follower on another machine: LOG=postgres://… FILE=sellers.db SHARD=0 SHARDS=2
 */
import { Changes, Follower } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, Layer, Stream } from "effect";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sandboxApi } from "./sandbox-api.ts";

const { FILE = ":memory:", LOG, SHARD = "0", SHARDS = "1" } = process.env;

const db = new DatabaseSync(FILE);
db.exec(
  "CREATE TABLE IF NOT EXISTS position (only INTEGER PRIMARY KEY, version INTEGER, next_id TEXT)",
);
db.exec("CREATE TABLE IF NOT EXISTS stash (id TEXT PRIMARY KEY, version INTEGER, account TEXT)");
const stored = db.prepare("SELECT version, next_id FROM position").get();

const consume = (until: "caughtUp" | "forever") =>
  Changes.subscribe({
    key: { source: "stashes", realm: "pc" },
    after: stored && {
      version: BigInt(Number(stored["version"])),
      nextId: String(stored["next_id"]),
    },
    shards: { count: Number(SHARDS), mine: new Set([Number(SHARD)]) },
    until,
  }).pipe(
    Stream.runForEach(({ changes, nextId, version }) =>
      Effect.sync(() => {
        db.exec("BEGIN IMMEDIATE");
        for (const { account, id } of changes) {
          db.prepare("INSERT OR REPLACE INTO stash VALUES (?, ?, ?)").run(id, version, account);
        }
        db.prepare("INSERT OR REPLACE INTO position VALUES (1, ?, ?)").run(version, nextId);
        db.exec("COMMIT");
      }),
    ),
  );

if (LOG === undefined) {
  const url = {
    kind: "sqlite",
    path: join(mkdtempSync(join(tmpdir(), "log-")), "pages.db"),
  } as const;
  await using sandbox = await sandboxApi();
  const source = GameApiSource.layer.pipe(Layer.provide(sandbox.api));
  await Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
    Effect.provide(Layer.merge(StoreUrl.layer(url), source)),
    Effect.runPromise,
  );
  await Effect.runPromise(Effect.provide(consume("caughtUp"), StoreUrl.logLayer(url)));
} else {
  const url = await Effect.runPromise(StoreUrl.parse(LOG));
  await Effect.runPromise(Effect.provide(consume("forever"), StoreUrl.logLayer(url)));
}
const top = db.prepare(
  "SELECT account, count(*) AS stashes FROM stash WHERE account IS NOT NULL GROUP BY account ORDER BY stashes DESC LIMIT 3",
);
console.log(JSON.stringify(top.all()));
