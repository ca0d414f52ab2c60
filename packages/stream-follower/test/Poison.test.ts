/**
 * Rows that no store can take as they are, alone and in pairs, followed into both databases: the bad
 * row is kept with its own bytes and the cause, its neighbours are applied, and the run goes on.
 */
import { Effect, Metric, Stream } from "effect";
import { expect, it } from "vitest";
import { Changes, type Follower, Metrics, Quarantine, type StreamKey } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import type { Answer } from "./support/FaultServer.ts";
import { onEachDatabase } from "./support/hooks.ts";
import { HOURS, KEY, quietly as run } from "./support/Run.ts";
import { derivedAll, followedInto } from "./support/Stores.ts";

const FIRST_HOUR = 3600;

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const latin1 = (text: string) => Buffer.from(text, "latin1");
/** Members that make a row unfit, and the cause that is reported. */
const MEMBERS: ReadonlyArray<readonly [members: Buffer, cause: string]> = [
  [Buffer.from(`"x":${nested(4999)}`), "nested 5000 levels"],
  [Buffer.from('"x":"\u0001"'), "control character"],
  [latin1('"x":"\u00ff"'), "not UTF-8"],
  [Buffer.from('"x":tru'), "not JSON"],
  [Buffer.from('"league":7,"id":7'), "without"],
];
/** Bad rows beside such a row. */
const PARTNERS: ReadonlyArray<readonly [row: Buffer, cause: string] | undefined> = [
  undefined,
  [Buffer.from("null"), "not an object"],
  [Buffer.from(`[{"":0},${nested(3000)}]`), "nested 3001 levels"],
  [latin1('{"id":"p","public":false,"league":"\u00e2"}'), "not UTF-8"],
];

/** A page's list, the ids of its good rows, and its bad rows. */
interface PoisonedPage {
  readonly list: Buffer;
  readonly good: ReadonlyArray<string>;
  readonly bad: ReadonlyArray<readonly [bytes: Buffer, cause: string]>;
}

const row = (source: StreamKey["source"], id: string, more: Buffer = Buffer.from('"y":1')) =>
  Buffer.concat([
    Buffer.from(
      source === "stashes"
        ? `{"id":"${id}","public":true,"items":[{"d":1e400}],`
        : `{"market_id":"${id}","league":"L","d":123456789012345678901234567890,`,
    ),
    more,
    Buffer.from("}"),
  ]);

const poisonedPages = (source: StreamKey["source"]): ReadonlyArray<PoisonedPage> =>
  MEMBERS.flatMap(([members, cause], kind) =>
    PARTNERS.map((partner, place) => {
      const good = [`a${kind}${place}`, `b${kind}${place}`];
      const bad = [[row(source, "bad", members), cause] as const, ...(partner ? [partner] : [])];
      const rows = [row(source, good[0]!), ...bad.map(([bytes]) => bytes), row(source, good[1]!)];
      const list = Buffer.concat(
        rows.flatMap((bytes, index) => (index > 0 ? [Buffer.from(","), bytes] : [bytes])),
      );
      return { list, good, bad };
    }),
  );

/** Serves the pages. The second names its list twice, and the third has bytes after its end. */
const answering = (source: StreamKey["source"], pages: ReadonlyArray<PoisonedPage>) => {
  const member = source === "stashes" ? "stashes" : "markets";
  const idOf = (index: number) =>
    source === "stashes" ? `"p${index}"` : String(FIRST_HOUR * (index + 1));
  return (id = idOf(0).replaceAll('"', "")): Answer => {
    const at = source === "stashes" ? Number(id.slice(1)) : Number(id) / FIRST_HOUR - 1;
    const page = pages[at];
    const next = idOf(page === undefined ? at : at + 1);
    const first = at === 1 ? `"${member}":[null],` : "";
    const head = Buffer.from(`{"next_change_id":${next},${first}"${member}":[`);
    const tail = Buffer.from(at === 2 ? "]}}" : "]}");
    return { body: Buffer.concat([head, page?.list ?? Buffer.from(""), tail]) };
  };
};

const follow = (
  key: StreamKey,
  pages: ReadonlyArray<PoisonedPage>,
  url: StoreUrl.StoreUrl,
  from: Follower.StashRun["from"] = "checkpoint",
) => {
  const answer = answering(key.source, pages);
  // The second request of a damaged page is tested in DamagedPage.test.ts.
  const options = { ...key, from, badPageRetryDelays: [] } as Partial<Follower.StashRun>;
  return run(followedInto(url, { answer: ({ id }) => answer(id) }, options));
};

/** The texts of the applied rows, by id. */
const appliedRows = async (key: StreamKey, url: StoreUrl.StoreUrl) => {
  const texts = new Map<string, string>();
  await run(
    Changes.subscribe({ key, until: "caughtUp" }).pipe(
      Stream.runForEach(({ changes, markets }) =>
        Effect.sync(() => {
          for (const { id, json } of changes) texts.set(id, json);
          for (const { json, marketId } of markets) texts.set(marketId, json);
        }),
      ),
      Effect.provide(StoreUrl.logLayer(url)),
    ),
  );
  return texts;
};

onEachDatabase((open) => {
  it.each([KEY, HOURS])(
    "an indexer quarantines bad rows with their bytes, and applies the rows beside them: $source",
    async (key) => {
      const url = open();
      const pages = poisonedPages(key.source);
      const first = key.source === "exchange" ? { id: String(FIRST_HOUR) } : "start";
      const summary = await follow(key, pages, url, first);
      expect(summary).toMatchObject({ ended: "caughtUp", pages: pages.length });
      const counter = Metric.withAttributes(Metrics.COUNTERS.quarantined, {
        ...key,
        error: "MalformedRow",
      });
      const countedBefore = (await run(Metric.value(counter))).count;
      await derivedAll(url);
      const records = await run(Quarantine.list(url));
      expect((await run(Metric.value(counter))).count - countedBefore).toBe(records.length);
      const wanted = pages.flatMap(({ bad }) => bad);
      expect(records).toHaveLength(wanted.length);
      for (const [index, [bytes, cause]] of wanted.entries()) {
        expect(Buffer.from(records[index]!.bytes).equals(bytes)).toBe(true);
        expect(records[index]!.message).toContain(cause);
      }
      // Every other row is applied, to the digit.
      const texts = await appliedRows(key, url);
      const good = pages.flatMap((page) => page.good);
      expect([...texts.keys()].toSorted()).toEqual(good.toSorted());
      for (const id of good) expect(texts.get(id)).toBe(row(key.source, id).toString());
      const counts = { rows: good.length, quarantined: records.length };
      expect(await run(StoreUrl.statusOf(key, url))).toMatchObject(counts);
      // A new start goes on, and finds nothing to do again.
      expect(await follow(key, pages, url)).toMatchObject({ ended: "caughtUp", pages: 0 });
      await derivedAll(url);
      expect(await run(Quarantine.list(url))).toHaveLength(records.length);
      // A dropped record is gone, and the others stay.
      await run(Quarantine.drop(url, records[0]!));
      const remaining = await run(Quarantine.list(url));
      expect(remaining.map(({ id }) => id)).toEqual(records.slice(1).map(({ id }) => id));
    },
  );
});
