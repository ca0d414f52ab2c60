/** The page log and the indexers that read it, on each database. */
import { Effect, Fiber, References, Stream } from "effect";
import { AuthenticationError, SqlError, UnknownError } from "effect/sql/SqlError";
import { describe, expect, it } from "vitest";
import { Changes, Indexer, PageLog, Quarantine, Status, Verify } from "../src/index.ts";
import { StashState } from "../src/sql/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { makePage } from "../src/testing/index.ts";
import { onEachDatabase, useCleanups } from "./support/hooks.ts";
import { KEY, run, tagOf } from "./support/Run.ts";
import { derived, listed, openStore, type OpenStore, queryIndex } from "./support/Stores.ts";

const { scoped } = useCleanups();

const stash = (id: string, name = "tab") => listed(id, name, [{ id: `item of ${id}` }]);

const commit = ({ sink }: OpenStore, seq: bigint, rows: ReadonlyArray<unknown>) =>
  sink.commit(makePage({ seq, rows }), 1);

/** Commits pages of two stashes each. */
const fill = async (store: OpenStore, pages = 10) => {
  await run(store.sink.claim(KEY, 1));
  for (let seq = 1n; seq <= BigInt(pages); seq += 1n) {
    await run(commit(store, seq, [stash(`${seq}`), stash("ff", `of ${seq}`)]));
  }
};

const withLog = <A, E>(log: PageLog.PageLogService, effect: Effect.Effect<A, E, PageLog.PageLog>) =>
  effect.pipe(
    Effect.provideService(PageLog.PageLog, log),
    Effect.provideService(References.MinimumLogLevel, "None"),
  );

/** The ids to which the pages after a position lead. */
const nextIds = async (log: PageLog.PageLogService, after: bigint) => {
  const ids: Array<string> = [];
  for (let seq = after; ;) {
    const page = await run(log.next(KEY, seq));
    if (page === undefined) return ids.join(" ");
    ids.push(page.nextId);
    seq = page.seq;
  }
};

onEachDatabase((newStore) => {
  const open = () => scoped(openStore(newStore()));

  describe("a page log", () => {
    it("a page log returns the page after a position, and its rows unchanged", async () => {
      const store = await open();
      const { log } = store;
      expect(await run(log.next(KEY, 0n))).toBe(undefined);
      await fill(store);
      expect(await nextIds(log, 0n)).toBe("1 2 3 4 5 6 7 8 9 10");
      const page = await run(log.next(KEY, 0n));
      expect(page).toMatchObject({ key: KEY, requestedId: undefined, seq: 1n, rowCount: 2 });
      const rows = await run(PageLog.pageRows(page!));
      expect(rows.map(({ json }) => JSON.parse(json) as unknown)).toEqual([
        stash("1"),
        stash("ff", "of 1"),
      ]);
      const [position] = await run(log.positions);
      expect(position).toMatchObject({ key: KEY, nextId: "10", seq: 10n, oldestSeq: 1n });
    });

    it("verify checks a log that a follower writes, up to the end that the log had at first", async () => {
      const store = await open();
      await fill(store, 3);
      let seq = 3n;
      const next = Effect.suspend(() => Effect.orDie(commit(store, (seq += 1n), [stash("4")])));
      // Another page after each look at the position.
      const busy = { ...store.log, positions: Effect.tap(store.log.positions, next) };
      const report = await run(withLog(busy, Verify.verify(KEY, { deep: true })));
      expect(report).toMatchObject({ problems: [], pages: 3 });
      const [position] = await run(store.log.positions);
      expect(position).toMatchObject({ seq, oldestSeq: 1n });
    });

    it("a page log fails with HistoryExpired for pruned pages, and prunes unread pages only by force", async () => {
      const store = await open();
      const { log } = store;
      await fill(store);
      const [position] = await run(log.positions);
      const keep = { bytes: Math.ceil(position!.bytes * 0.55) };
      await run(log.acknowledge("slow", KEY, 2n));
      await run(log.acknowledge("quick", KEY, 9n));
      await run(log.acknowledge("slow", { ...KEY, realm: "console_a" }, 0n));
      expect((await run(log.prune(KEY, keep, { dryRun: true }))).pages).toBe(2);
      expect((await run(log.prune(KEY, keep))).pages).toBe(2);
      expect(await run(Effect.flip(log.next(KEY, 1n)))).toMatchObject({
        _tag: "HistoryExpired",
        position: 1n,
        first: 3n,
      });
      expect(await nextIds(log, 2n)).toBe("3 4 5 6 7 8 9 10");
      // A retention that is smaller than a burst of pages waits too.
      expect((await run(log.prune(KEY, { bytes: 1 }))).pages).toBe(0);
      const forced = await run(log.prune(KEY, keep, { force: true }));
      expect(forced.isAheadOfReaders).toBe(true);
      expect(tagOf(await Effect.runPromiseExit(log.next(KEY, 2n)))).toBe("HistoryExpired");
      const [after] = await run(log.positions);
      expect(after!.bytes).toBeLessThanOrEqual(keep.bytes);
      expect(await run(log.prune(KEY, { bytes: 0 }, { force: true }))).toMatchObject({});
      expect(await run(Effect.flip(log.next(KEY, 9n)))).toMatchObject({ first: 11n });
      expect(await run(log.next(KEY, 10n))).toBe(undefined);
    });

    it("Changes.subscribe fails with ChainBroken if the log is another log than the consumer has read", async () => {
      const store = await open();
      await fill(store, 3);
      const read = (nextId: string) => {
        const after = { version: 2n, nextId };
        const changes = Changes.subscribe({ key: KEY, after, until: "caughtUp" });
        return withLog(store.log, Stream.runCollect(changes));
      };
      expect((await run(read("2"))).map(({ version }) => version)).toEqual([3n]);
      const broken = { _tag: "ChainBroken", reason: "replaced", version: 2n };
      expect(await run(Effect.flip(read("another")))).toMatchObject(broken);
      // A page that was pruned cannot be compared, but the page after it can.
      await run(store.log.prune(KEY, { bytes: 200 }, { force: true }));
      const after = { _tag: "ChainBroken", reason: "discontinuous", version: 3n };
      expect(await run(Effect.flip(read("another")))).toMatchObject(after);
    });
  });

  describe("an indexer", () => {
    const opened = async (url: StoreUrl.StoreUrl = newStore()) => ({
      url,
      store: await scoped(openStore(url)),
      index: (version = 1) => scoped(Indexer.open(url, names(version))),
    });

    it("an indexer applies each page to its tables once, and keeps the rows that it rejects", async () => {
      const { index, store, url } = await opened();
      await fill(store, 3);
      const indexer = await index();
      expect(await runIndexer(store, indexer)).toEqual({ pages: 3, seq: 3n });
      expect(await runIndexer(store, indexer)).toEqual({ pages: 0, seq: 3n });
      expect(await rowsOf(indexer)).toEqual(["1 tab 1", "2 tab 1", "3 tab 1", "ff of 3 3"]);
      await run(commit(store, 4n, [stash("refused"), null, stash("ff", "of 4")]));
      expect(await runIndexer(store, indexer)).toEqual({ pages: 1, seq: 4n });
      expect(await rowsOf(indexer)).toContain("ff of 4 4");
      const records = await run(Quarantine.list(url));
      expect(
        records.map(({ errorTag, indexer: name, message, place }) => [
          ...[name, place, errorTag, message],
        ]),
      ).toEqual([
        ["names", 1, "MalformedRow", "a stash that is not an object"],
        ["names", 0, "Rejected", "by its id"],
      ]);
      const [status] = await run(StoreUrl.statuses(url));
      expect(status!.indexers).toEqual([{ name: "names", seq: 4n, behind: 0, quarantined: 2 }]);
    });

    it("two processes that run one indexer apply no page twice", async () => {
      const { index, store } = await opened();
      await fill(store, 12);
      const [one, two] = [await index(), await index()];
      const summaries = await Promise.all([runIndexer(store, one), runIndexer(store, two)]);
      expect(summaries.map(({ seq }) => seq)).toEqual([12n, 12n]);
      expect(await rowsOf(one)).toContain("ff of 12 12");
    });

    it('an indexer fails at a page that it cannot apply, or quarantines the page with onPoison "skip"', async () => {
      const { index, store, url } = await opened();
      await fill(store, 4);
      const indexer = await index();
      const faulty: Indexer.Indexer = {
        ...indexer,
        apply: (page, tools) =>
          page.seq === 3n ? Effect.die(new Error("no memory")) : indexer.apply(page, tools),
      };
      const failed = await Effect.runPromiseExit(
        withLog(store.log, Indexer.run(faulty, { key: KEY, until: "caughtUp" })),
      );
      expect(tagOf(failed)).toBe("IndexerFailed");
      expect(String(failed)).toContain("cannot apply the page after 2: no memory");
      expect(await runIndexer(store, faulty, { onPoison: "skip" })).toEqual({ pages: 2, seq: 4n });
      expect(await rowsOf(indexer)).toEqual(["1 tab 1", "2 tab 1", "4 tab 1", "ff of 4 3"]);
      const [record, ...others] = await run(Quarantine.list(url));
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        kind: "page",
        seq: 3n,
        indexer: "names",
        errorTag: "PoisonPage",
        message: "no memory",
      });
      const page = await run(store.log.next(KEY, 2n));
      expect(Buffer.from(record!.bytes)).toEqual(
        Buffer.from(await run(PageLog.inflatePage(page!))),
      );
    });

    it("a replay applies a record by the indexer that rejected it, and keeps the records of other indexers", async () => {
      const { index, store, url } = await opened();
      await run(store.sink.claim(KEY, 1));
      await run(commit(store, 1n, [stash("1"), stash("refused")]));
      const indexer = await index();
      await runIndexer(store, indexer);
      const before = await run(Quarantine.list(url));
      expect(before).toMatchObject([{ indexer: "names", place: 1 }]);
      const nothing = { replayed: 0, remaining: 1, rows: 0 };
      expect(await run(Quarantine.replay(url))).toEqual({ ...nothing, otherIndexers: ["names"] });
      const again = await run(Quarantine.replay(url, { indexers: [indexer] }));
      expect(again).toEqual({ ...nothing, otherIndexers: [] });
      expect(await run(Quarantine.list(url))).toEqual(before);

      const fixed = { ...indexer, apply: namesOf(() => false) };
      const replay = Quarantine.replay(url, { indexers: [StashState.definition, fixed] });
      const applied = { replayed: 1, remaining: 0, rows: 1, otherIndexers: [] };
      expect(await run(replay)).toEqual(applied);
      expect(await rowsOf(indexer)).toEqual(["1 tab 1", "refused tab 1"]);
      await scoped(Indexer.open(url, StashState.definition));
      expect(await queryIndex(url, "SELECT id FROM stash")).toEqual([]);
    });

    it("a replay of a page that the follower gave up keeps the page for each indexer that did not receive it", async () => {
      const { index, store, url } = await opened();
      await run(store.sink.claim(KEY, 1));
      const { page, ...rows } = makePage({ seq: 1n, rows: [] });
      const bytes = Buffer.from(JSON.stringify({ next_change_id: "1", stashes: [stash("1")] }));
      const quarantine = [{ errorTag: "MalformedPage", message: "", bytes }];
      await run(store.sink.commit({ ...rows, page: { ...page, quarantine } }, 1));
      const indexer = await index();
      await runIndexer(store, indexer);
      await run(derived(url));
      const applied = { replayed: 1, rows: 1 };
      const first = await run(Quarantine.replay(url, { key: KEY }));
      expect(first).toEqual({ ...applied, remaining: 1, otherIndexers: ["names"] });
      expect((await run(StoreUrl.statusOf(KEY, url))).rows).toBe(1);
      const [record, ...others] = await run(Quarantine.list(url));
      expect([record, others]).toMatchObject([{ indexer: "names", kind: "page", bytes }, []]);
      const second = await run(Quarantine.replay(url, { indexers: [indexer] }));
      expect(second).toEqual({ ...applied, remaining: 0, otherIndexers: [] });
      expect(await rowsOf(indexer)).toEqual(["1 tab 1"]);
    });

    it("an indexer reads the log from its first page after a reset, or with a new version", async () => {
      const { index, store } = await opened();
      await fill(store, 2);
      const indexer = await index();
      await runIndexer(store, indexer);
      await run(Indexer.reset(indexer));
      expect(await rowsOf(indexer)).toEqual([]);
      expect((await runIndexer(store, indexer)).pages).toBe(2);
      expect((await runIndexer(store, await index(1))).pages).toBe(0);
      expect((await runIndexer(store, await index(2))).pages).toBe(2);
    });

    it("the status reports why an indexer waits for a log that ends before its position", async () => {
      const { index, store } = await opened();
      await fill(store, 3);
      const indexer = await index();
      await runIndexer(store, indexer);
      // A power loss dropped the last commits of the log.
      const shorter = {
        ...store.log,
        positions: Effect.map(store.log.positions, (all) =>
          all.map((position) => ({ ...position, seq: 1n })),
        ),
      };
      const finish = withLog(shorter, Indexer.run(indexer, { key: KEY, until: "caughtUp" }));
      expect(await run(Effect.flip(finish))).toMatchObject({ reason: "corrupt" });
      const streams = new Map<string, Status.StreamRecord>();
      const waiting = Effect.runFork(
        withLog(shorter, Indexer.run(indexer, { key: KEY })).pipe(
          Effect.provideService(Status.Streams, streams),
        ),
      );
      const part = () => streams.get("stashes/pc")?.parts.get("indexer names");
      await expect
        .poll(() => part()?.failure?.message, { timeout: 10_000 })
        .toContain("the log ends at page 1, and its reader is at page 3");
      expect(waiting.pollUnsafe()).toBe(undefined);
      await run(Fiber.interrupt(waiting));
    });

    it("an indexer fails with ChainBroken, and reports it, if the log has another page in place of its last one", async () => {
      const { index, store, url } = await opened();
      await fill(store, 3);
      const indexer = await index();
      await runIndexer(store, indexer);
      // A copy of the log was put back, and the follower has fetched other pages since.
      const { connect } = await import("../src/sql/Database.ts");
      const sql = await scoped(connect(url, "log"));
      for (const table of ["page", "stream"]) {
        await run(sql`UPDATE ${sql(table)} SET next_id = 'other' WHERE seq = 3`);
      }
      const streams = new Map<string, Status.StreamRecord>();
      const broken = withLog(store.log, Indexer.run(indexer, { key: KEY, until: "caughtUp" })).pipe(
        Effect.provideService(Status.Streams, streams),
      );
      const expected = { _tag: "ChainBroken", reason: "replaced", version: 3n };
      expect(await run(Effect.flip(broken))).toMatchObject(expected);
      const next = makePage({ seq: 4n, requestedId: "other", rows: [stash("4")] });
      await run(store.sink.commit(next, 1));
      expect(await run(Effect.flip(broken))).toMatchObject(expected);
      expect(await rowsOf(indexer)).not.toContain("4 tab 1");
      const [status] = await run(StoreUrl.statuses(url));
      const reason =
        "page 3 of the log is not the page that it has applied: build its tables again";
      expect(status!.indexers).toMatchObject([{ name: "names", behind: 1, reason }]);
      const { parts } = Status.processReport(streams, Date.now()).streams[0]!;
      expect(parts.find(({ name }) => name === "indexer names")).toMatchObject({
        state: "retrying",
        failure: { tag: "ChainBroken", reason: "replaced" },
      });
    });

    const sqlError = (Reason: typeof UnknownError | typeof AuthenticationError, code: string) => {
      const cause = Object.assign(new Error(`code ${code}`), { code });
      return new SqlError({ reason: new Reason({ cause, message: "", operation: "" }) });
    };

    it("an indexer applies a page again if the driver throws because the connection was terminated", async () => {
      const { index, store } = await opened();
      await fill(store, 2);
      const indexer = await index();
      let failures = 0;
      const apply: Indexer.Indexer["apply"] = (page, tools) =>
        (failures += 1) === 1
          ? Effect.die(sqlError(UnknownError, "57P01"))
          : indexer.apply(page, tools);
      expect(await runIndexer(store, { ...indexer, apply })).toEqual({ pages: 2, seq: 2n });
    });

    it("an indexer fails with the error of a store that refuses its login, and skips no page", async () => {
      const { index, store, url } = await opened();
      await fill(store, 2);
      const indexer = { ...(await index()), apply: () => sqlError(AuthenticationError, "28000") };
      const options = { key: KEY, until: "caughtUp", onPoison: "skip" } as const;
      const refused = withLog(store.log, Indexer.run(indexer, options));
      expect(await run(Effect.flip(refused))).toMatchObject({
        ...{ _tag: "SinkError", reason: "internal" },
        message: expect.stringContaining("code 28000"),
      });
      expect(await run(Quarantine.list(url))).toEqual([]);
    });

    it('an indexer fails if unread pages were pruned, or skips them with onHistoryExpired "skip"', async () => {
      const { index, store } = await opened();
      await fill(store, 4);
      await run(store.log.prune(KEY, { bytes: 300 }, { force: true }));
      const [position] = await run(store.log.positions);
      const indexer = await index();
      const expired = withLog(store.log, Indexer.run(indexer, { key: KEY, until: "caughtUp" }));
      expect(tagOf(await Effect.runPromiseExit(expired))).toBe("HistoryExpired");
      const { pages, seq } = await runIndexer(store, indexer, { onHistoryExpired: "skip" });
      expect([BigInt(pages), seq]).toEqual([5n - position!.oldestSeq!, 4n]);
    });

    it("an indexer lets other work of the process run while it applies a page", async () => {
      const url = newStore();
      const store = await scoped(openStore(url));
      await run(store.sink.claim(KEY, 1));
      const rows = Array.from({ length: 300 }, (_, index) => stash(`${index}`));
      await run(commit(store, 1n, rows));
      const state = await scoped(Indexer.open(url, StashState.definition));
      let turns = 0;
      const count = () => {
        turns += 1;
        timer = setImmediate(count);
      };
      let timer = setImmediate(count);
      await runIndexer(store, state);
      clearImmediate(timer);
      // One for each statement of 20 stashes.
      expect(turns).toBeGreaterThanOrEqual(300 / 20);
    });
  });
});

/** Writes the names of a page, and rejects some ids. */
const namesOf = (isRefused: (id: string) => boolean): Indexer.IndexerDefinition["apply"] =>
  Effect.fnUntraced(function* ({ rows }, { reject, sql }) {
    for (const [place, { stash: change }] of rows.entries()) {
      if (change === undefined) continue;
      const id = change.id.replace(/^0+/u, "");
      if (isRefused(id)) yield* reject(place, "by its id");
      else {
        yield* sql`INSERT INTO name (id, name, times) VALUES (${id}, ${change.name}, 1)
          ON CONFLICT (id) DO UPDATE SET name = excluded.name, times = name.times + 1`;
      }
    }
  });

/** The indexer of these tests: names by id, and how often each was written. */
const names = (version: number): Indexer.IndexerDefinition => ({
  name: "names",
  version,
  tables: () => ({
    name: [
      "CREATE TABLE name (id text PRIMARY KEY, name text NOT NULL, times integer NOT NULL)",
      "CREATE INDEX name_by_name ON name (name)",
    ],
  }),
  apply: namesOf((id) => id === "refused"),
});

const runIndexer = (
  { log }: OpenStore,
  indexer: Indexer.Indexer,
  options: Partial<Indexer.IndexOptions> = {},
) => run(withLog(log, Indexer.run(indexer, { key: KEY, until: "caughtUp", ...options })));

const rowsOf = async ({ sql }: Indexer.Indexer) => {
  const rows = await run(sql<{ t: string }>`
    SELECT id || ' ' || name || ' ' || times AS t FROM name ORDER BY id`);
  return rows.map(({ t }) => t).toSorted();
};
