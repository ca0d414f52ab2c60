/**
 * A sink of your own: claim and commit are the whole contract. This one keeps the sellers of each
 * stash in three lines of SQL.
 *
 * Run it: node examples/own-sink.ts (it starts a sandbox, follows it to the end, and prints a count)
 */
import { Follower, Lease, Fenced, Sink, SinkError } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { Effect, Layer } from "effect";
import { DatabaseSync } from "node:sqlite";
import { sandboxApi } from "./sandbox-api.ts";

const db = new DatabaseSync(":memory:");
db.exec("CREATE TABLE position (id INTEGER PRIMARY KEY CHECK (id = 1), at TEXT, epoch INTEGER)");
db.exec("CREATE TABLE seller (stash TEXT PRIMARY KEY, account TEXT, items INTEGER)");
const position = () => db.prepare("SELECT at, epoch FROM position").get();
const failed = (operation: string) => (cause: unknown) =>
  cause instanceof Fenced ? cause : new SinkError({ operation, reason: "internal", cause });

const sellers: Sink.SinkService = {
  claim: (_, epoch) =>
    Effect.sync(() => {
      db.prepare(
        "INSERT INTO position VALUES (1, NULL, ?) ON CONFLICT DO UPDATE SET epoch = max(epoch, ?)",
      ).run(epoch, epoch);
      const at = position()?.["at"];
      if (typeof at !== "string") return undefined;
      const saved = JSON.parse(at);
      return { ...saved, seq: BigInt(saved.seq) };
    }),
  commit: ({ page, stashes }, epoch) =>
    Effect.try({
      try: () => {
        db.exec("BEGIN IMMEDIATE");
        const at = position();
        const seq = typeof at?.["at"] === "string" ? BigInt(JSON.parse(at["at"]).seq) : 0n;
        const stale = Number(at?.["epoch"]) > epoch || seq !== page.previousSeq;
        for (const { id, account, items } of stale ? [] : stashes) {
          db.prepare("INSERT OR REPLACE INTO seller VALUES (?, ?, ?)").run(
            id,
            account,
            items.length,
          );
        }
        const { checksum, nextId, receivedAt } = page;
        const next = JSON.stringify({ nextId, seq: String(page.seq), epoch, checksum, receivedAt });
        if (!stale) db.prepare("UPDATE position SET at = ?").run(next);
        db.exec("COMMIT");
        if (stale) throw new Fenced({ epoch, detail: "another writer was here" });
      },
      catch: failed("commit"),
    }),
};

await using sandbox = await sandboxApi();
const summary = await Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
  Effect.provide(Layer.merge(Lease.none, GameApiSource.layer.pipe(Layer.provide(sandbox.api)))),
  Effect.provideService(Sink.Sink, sellers),
  Effect.runPromise,
);
const count = db.prepare("SELECT count(DISTINCT account) AS sellers FROM seller").get();
console.log(JSON.stringify({ ...summary, ...count }));
