/** The threads that run queries: deadlines, turns, and whose answer is whose. */
import { type Duration, Effect, Fiber } from "effect";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { QueryThreads } from "../src/web/QueryThreads.ts";
import { item, openTestIndex, stash, stashPage, type TestIndex } from "./support/testIndex.ts";

let index: TestIndex;
beforeAll(async () => {
  index = await openTestIndex();
  const names = ["Anchor", "Beacon", "Comet", "Dagger", "Ember"];
  await index.apply([
    stashPage(1, [stash(names.map((name, no) => item(no + 1, { name, frameType: 3 })))]),
  ]);
});
afterAll(() => index.close());

/** Uses threads until the effect ends. */
const withThreads = <A, E>(
  { file = index.file, queryTimeout }: { file?: string; queryTimeout: Duration.Input },
  use: (threads: QueryThreads["Service"]) => Effect.Effect<A, E>,
) =>
  Effect.flatMap(QueryThreads, use).pipe(
    Effect.provide(QueryThreads.layer({ file, queryTimeout })),
    Effect.scoped,
    Effect.runPromise,
  );

const suggest = ({ run }: QueryThreads["Service"], q: string) =>
  Effect.map(run("suggest", { q }), ({ suggestions }) => suggestions);

it("ends a thread whose query is late, so that it never answers the next query", async () => {
  // Readers of a file without a write-ahead log wait for a writer, for two seconds.
  const file = `${index.file}-copy`;
  await Effect.runPromise(index.indexer.sql`VACUUM INTO ${file}`);
  const lock = new DatabaseSync(file);
  const answers = await withThreads({ file, queryTimeout: "300 millis" }, (threads) =>
    Effect.gen(function* () {
      lock.exec("BEGIN EXCLUSIVE");
      const late = Array.from({ length: 2 }, () => Effect.flip(suggest(threads, "anchor")));
      const errors = yield* Effect.all(late, { concurrency: "unbounded" });
      expect(errors).toEqual(late.map(() => expect.objectContaining({ _tag: "Busy" })));
      lock.exec("ROLLBACK");
      const next = ["beacon", "comet", "dagger", "ember"].map((q) =>
        // A busy machine may be late with these as well.
        suggest(threads, q).pipe(Effect.retry({ times: 20 })),
      );
      return yield* Effect.all(next);
    }),
  );
  lock.close();
  expect(answers).toEqual([["Beacon"], ["Comet"], ["Dagger"], ["Ember"]]);
});

it("returns the answer of the next query after a client has disconnected", async () => {
  const answers = await withThreads({ queryTimeout: "30 seconds" }, (threads) =>
    Effect.gen(function* () {
      const found: Array<string> = [];
      for (const q of ["anchor", "beacon", "comet", "dagger", "ember"]) {
        const fiber = yield* Effect.forkChild(suggest(threads, q === "comet" ? "beacon" : "comet"));
        yield* Effect.yieldNow;
        yield* Fiber.interrupt(fiber);
        found.push(...(yield* suggest(threads, q)));
      }
      return found;
    }),
  );
  expect(answers).toEqual(["Anchor", "Beacon", "Comet", "Dagger", "Ember"]);
});
