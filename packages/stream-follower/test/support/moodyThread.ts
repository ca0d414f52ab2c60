/** A thread as an indexer's: it tells of its part, and then does as its name says. */
import * as Effect from "effect/Effect";
import { writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import * as IndexerThread from "../../src/IndexerThread.ts";
import * as Parts from "../../src/Parts.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const { file, mood, seq } = workerData as {
  readonly mood: string;
  readonly seq: bigint;
  /** Written when the program is told to end. */
  readonly file?: string;
};

const program = Effect.gen(function* () {
  const cell = yield* Parts.part(KEY, "indexer", { name: "state", limitMillis: 1200 });
  Parts.moved(cell, seq);
  yield* Parts.succeeded(cell);
  yield* Effect.sleep("100 millis");
  if (mood === "exits") process.exit(3);
  if (mood === "fails") return yield* Effect.fail(new Error("no such table"));
  if (mood === "loops") while (true) Math.random();
  yield* Effect.never;
}).pipe(Effect.onInterrupt(() => Effect.sync(() => file !== undefined && writeFileSync(file, ""))));
await Effect.runPromise(IndexerThread.tell(parentPort, program)).catch(() => process.exit(1));
