/** The threads that run queries: deadlines, turns, and whose answer is whose. */
import { type Duration, Effect, Fiber } from "effect";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { QueryThreads } from "../src/web/QueryThreads.ts";
import { item, openTestIndex, stash, stashPage, type TestIndex } from "./support/testIndex.ts";

const NAMES = ["Anchor", "Beacon", "Comet", "Dagger", "Ember"];
let index: TestIndex;
beforeAll(async () => {
  index = await openTestIndex();
  const items = NAMES.map((name, no) => item(no + 1, { name, frameType: 3 }));
  await index.apply([stashPage(1, [stash(items)])]);
});
afterAll(() => index.close());

const suggest = Effect.fn(function* (q: string) {
  const { run } = yield* QueryThreads;
  return (yield* run("suggest", { q })).suggestions.join();
});

/** Runs an effect with threads over a file. */
const withThreads = <A, E>(
  use: Effect.Effect<A, E, QueryThreads>,
  queryTimeout: Duration.Input,
  file = index.file,
) => Effect.runPromise(Effect.provide(use, QueryThreads.layer({ file, queryTimeout })));

it("a query thread whose query is late is terminated, so that it never answers the next query", async () => {
  // Readers of a file without a write-ahead log wait for a writer, for two seconds.
  const file = `${index.file}-copy`;
  await Effect.runPromise(index.indexer.sql`VACUUM INTO ${file}`);
  using lock = new DatabaseSync(file);
  const queries = Effect.gen(function* () {
    lock.exec("BEGIN EXCLUSIVE");
    const late = [Effect.flip(suggest("anchor")), Effect.flip(suggest("anchor"))];
    for (const error of yield* Effect.all(late, { concurrency: "unbounded" }))
      expect(error).toMatchObject({ _tag: "Busy" });
    lock.exec("ROLLBACK");
    // A busy machine may be late with the next queries as well.
    return yield* Effect.forEach(NAMES, (name) => Effect.retry(suggest(name), { times: 20 }));
  });
  expect(await withThreads(queries, "300 millis", file)).toEqual(NAMES);
});

it("QueryThreads answers the next query correctly after a client has disconnected", async () => {
  const queries = Effect.forEach(NAMES, (name, at) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(suggest(NAMES.at(at - 1)!));
      yield* Effect.yieldNow;
      yield* Fiber.interrupt(fiber);
      return yield* suggest(name);
    }),
  );
  expect(await withThreads(queries, "30 seconds")).toEqual(NAMES);
});
