/**
 * A follower of SQLite, an indexer and a followed file that are interrupted 500 times by seed: in any
 * step of their fibers or after some milliseconds, by an interruption or by the end of their scope.
 */
import { Effect, Exit, Fiber, References, Scheduler, Scope } from "effect";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { checkStore } from "../chaos/check.ts";
import * as Export from "../src/Export.ts";
import { Follower, Indexer, PageSource, Status } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory, random } from "./support/History.ts";
import { newFolder } from "./support/hooks.ts";
import { counted, differencesOf, KEY, run } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import { queryIndex, sqliteAt, stashesOf } from "./support/Stores.ts";

const INTERRUPTIONS = 500;
const PAGES_PER_RUN = 3;
const history = makeHistory({
  pages: PAGES_PER_RUN * INTERRUPTIONS,
  stashesPerPage: 3,
  itemsPerStash: 1,
});
const lease = { ttl: 400, renewInterval: 100, acquireInterval: 10 };

/** An indexer that counts how often it has written a page. */
const counting: Indexer.IndexerDefinition = {
  name: "counting",
  version: 1,
  tables: () => ({
    applied: ["CREATE TABLE applied (seq integer PRIMARY KEY, times integer NOT NULL)"],
  }),
  apply: ({ seq }, { sql }) =>
    sql`INSERT INTO applied VALUES (${seq}, 1) ON CONFLICT (seq) DO UPDATE SET times = times + 1`,
};

it("a follower and its readers lose, double or reorder no page in 500 interruptions, and leave no handle or lease", async () => {
  const folder = newFolder();
  const url = sqliteAt(join(folder, "pages.db"));
  const file = join(folder, "changes.ndjson");
  let visible = 0;
  const { source } = scripted({ answer: answerHistory(history, () => visible) });
  /** Everything that reads or writes the store, to the end of the stream or forever. */
  const work = (until: "caughtUp" | "forever") =>
    Effect.gen(function* () {
      const store = yield* StoreUrl.open(KEY, url, { lease });
      const follower = Follower.run({ source: "stashes", until });
      const readers = [
        Effect.flatMap(Indexer.open(url, counting), (indexer) =>
          Indexer.run(indexer, { key: KEY, until, pollInterval: 1 }),
        ),
        StoreUrl.indexState(url, { key: KEY, until, pollInterval: 1 }),
        Export.followFile(file, { key: KEY, until }),
      ];
      const following = Effect.provideService(follower, PageSource.PageSource, source);
      if (until === "caughtUp") yield* Effect.provideContext(following, store);
      const all = until === "caughtUp" ? readers : [following, ...readers];
      yield* Effect.all(all, { concurrency: "unbounded" }).pipe(Effect.provideContext(store));
    }).pipe(
      Effect.scoped,
      Effect.provideService(Status.Streams, new Map()),
      Effect.provideService(References.MinimumLogLevel, "None"),
    );
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
      } catch {
        return false;
      }
    });
  const dice = random(46);
  let atWork = 0;
  for (let round = 1; round <= INTERRUPTIONS; round += 1) {
    visible = round * PAGES_PER_RUN;
    const reached = Promise.withResolvers<void>();
    let steps = Math.ceil(dice() * 600);
    const scheduler = counted(new Scheduler.MixedScheduler(), () => {
      steps -= 1;
      if (steps === 0) reached.resolve();
    });
    const scope = Effect.runSync(Scope.make());
    const fiber = await run(
      work("forever").pipe(
        Effect.provideService(Scheduler.Scheduler, scheduler),
        Effect.forkIn(scope),
      ),
    );
    // A fiber that rests has no further steps.
    const rested = setTimeout(dice() * 80);
    await (dice() < 0.5 ? Promise.race([reached.promise, setTimeout(80)]) : rested);
    expect(fiber.pollUnsafe()).toBe(undefined);
    await run(dice() < 0.5 ? Fiber.interrupt(fiber) : Scope.close(scope, Exit.void));
    await expect.poll(openFiles, { interval: 2 }).toEqual([]);
    const [status] = await run(StoreUrl.statuses(url));
    expect(status?.holder).toBe(undefined);
    if ((status?.seq ?? 0n) < visible) atWork += 1;
  }
  // A test of runs that rest would show little.
  expect(atWork).toBeGreaterThan(INTERRUPTIONS / 10);
  await run(work("caughtUp"));
  expect(await checkStore(`sqlite:${url.path}`, history)).toEqual([]);
  expect(differencesOf(await stashesOf(url), history)).toEqual([]);
  const counts = "SELECT count(*) AS pages, max(times) AS times FROM applied";
  expect(await queryIndex(url, counts)).toEqual([{ pages: BigInt(history.length), times: 1n }]);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { stash: unknown }).stash)).toEqual(
    history.flatMap(({ stashes }) => stashes),
  );
  expect((await run(StoreUrl.statusOf(KEY, url))).holder).toBe(undefined);
  expect(openFiles()).toEqual([]);
}, 600_000);
