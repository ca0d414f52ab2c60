/**
 * Rows that no store can take as they are, alone and in pairs, followed into every store: the bad row
 * is set aside with its own bytes and cause, the rest is applied, and the run goes on.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect } from "effect";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Changes, type Follower, Quarantine, type StreamKey } from "../src/index.ts";
import { Store } from "../src/Sink.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { commitOf, makePage } from "../src/testing/index.ts";
import type { Answer } from "./support/FaultServer.ts";
import { useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { HOURS, KEY, quietly as run } from "./support/Run.ts";
import { followedInto, indexedAt, sqliteAt } from "./support/Stores.ts";

const FIRST_HOUR = 3600;

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const latin1 = (text: string) => Buffer.from(text, "latin1");
/** Members that make a row unfit, and the cause that is told. */
const KINDS: Readonly<Record<string, readonly [members: Buffer, cause: string]>> = {
  "5,000 levels": [Buffer.from(`"x":${nested(4999)}`), "nested 5000 levels"],
  "a control character": [Buffer.from('"x":"\u0001"'), "control character"],
  "0xFF": [latin1('"x":"\u00ff"'), "not UTF-8"],
  "a wrong literal": [Buffer.from('"x":tru'), "not JSON"],
  "a name that is none": [Buffer.from('"league":7,"id":7'), "without"],
};
/** What stands beside it. */
const PARTNERS: Readonly<Record<string, readonly [row: Buffer, cause: string] | undefined>> = {
  nothing: undefined,
  null: [Buffer.from("null"), "not an object"],
  "a list": [Buffer.from(`[{"":0},${nested(3000)}]`), "not an object"],
  "bad UTF-8": [latin1('{"id":"p","public":false,"league":"\u00e2"}'), "not UTF-8"],
};

/** A page's body, the good ids in it, and what is to be set aside. */
interface Poisoned {
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

const pagesOf = (source: StreamKey["source"]): ReadonlyArray<Poisoned> =>
  Object.entries(KINDS).flatMap(([, [members, cause]], kind) =>
    Object.values(PARTNERS).map((partner, place) => {
      const good = [`a${kind}${place}`, `b${kind}${place}`];
      const bad = [[row(source, "bad", members), cause] as const, ...(partner ? [partner] : [])];
      const rows = [row(source, good[0]!), ...bad.map(([bytes]) => bytes), row(source, good[1]!)];
      const list = Buffer.concat(
        rows.flatMap((each, i) => (i > 0 ? [Buffer.from(","), each] : [each])),
      );
      return { list, good, bad };
    }),
  );

const idOf = (source: StreamKey["source"], index: number) =>
  source === "stashes" ? `"p${index}"` : String(FIRST_HOUR * (index + 1));

/** The pages one after another; one names its list twice, and one has bytes after its end. */
const answering = (source: StreamKey["source"], pages: ReadonlyArray<Poisoned>) => {
  const member = source === "stashes" ? "stashes" : "markets";
  return (id = idOf(source, 0).replaceAll('"', "")): Answer => {
    const at = source === "stashes" ? Number(id.slice(1)) : Number(id) / FIRST_HOUR - 1;
    const page = pages[at];
    const next = idOf(source, page === undefined ? at : at + 1);
    const first = at === 1 ? `"${member}":[null],` : "";
    const head = Buffer.from(`{"next_change_id":${next},${first}"${member}":[`);
    const tail = Buffer.from(at === 2 ? "]}}" : "]}");
    return { body: Buffer.concat([head, page?.list ?? Buffer.from(""), tail]) };
  };
};

const LISTED = makePage({ seq: 1n, rows: [{ id: "healed", public: true, items: [] }] });

const KEEP = { keepBytes: 100e6 };

const follow = (
  key: StreamKey,
  pages: ReadonlyArray<Poisoned>,
  url: StoreUrl.StoreUrl,
  from: Follower.StashRun["from"] = "checkpoint",
) => {
  const answer = answering(key.source, pages);
  // Requests of damaged pages again: DamagedPage.test.ts.
  const options = { ...key, from, badPageRetryDelays: [] } as Partial<Follower.StashRun>;
  return run(followedInto(url, { answer: ({ id }) => answer(id) }, options, KEEP));
};

const applied = async (key: StreamKey, url: StoreUrl.StoreUrl) => {
  const found = new Map<string, string>();
  await run(
    Changes.run({
      key,
      until: "caughtUp",
      apply: ({ changes, markets }) =>
        Effect.sync(() => {
          for (const { id, json } of changes) found.set(id, json);
          for (const { json, marketId } of markets) found.set(marketId, json);
        }),
    }).pipe(Effect.provide(StoreUrl.logLayer(url))),
  );
  return found;
};

const poison = (open: () => StoreUrl.StoreUrl) => {
  it.each([KEY, HOURS])("is set aside alone, in $source", async (key) => {
    const url = open();
    const pages = pagesOf(key.source);
    const stored = <A, E>(effect: Effect.Effect<A, E, Store>) =>
      run(Effect.provide(effect, StoreUrl.layer(url, KEEP)));
    const first = key.source === "exchange" ? { id: String(FIRST_HOUR) } : "start";
    const summary = await follow(key, pages, url, first);
    expect(summary).toMatchObject({ ended: "caughtUp", pages: pages.length });
    // The page with bytes after its end is set aside whole.
    const read = pages.filter((_page, index) => index !== 2);
    const records = await stored(Quarantine.list);
    const rows = records.filter(({ kind }) => kind === "row");
    const wanted = read.flatMap(({ bad }) => bad);
    expect(rows).toHaveLength(wanted.length);
    for (const [index, [bytes, cause]] of wanted.entries()) {
      expect(Buffer.from(rows[index]!.bytes).equals(bytes)).toBe(true);
      expect(rows[index]!.message).toContain(cause);
    }
    expect(records.filter(({ kind }) => kind === "page")).toHaveLength(1);
    // Everything else is applied, to the digit.
    const found = await applied(key, url);
    const good = read.flatMap((page) => page.good);
    expect([...found.keys()].toSorted()).toEqual(good.toSorted());
    for (const id of good) expect(found.get(id)).toBe(row(key.source, id).toString());
    await indexedAt(url);
    const status = await run(StoreUrl.statusOf(key, url));
    const rowsOfStore = url.kind === "nats" ? 0 : good.length;
    expect(status).toMatchObject({ rows: rowsOfStore, quarantined: records.length });
    // A new start goes on, and finds nothing to do again.
    expect(await follow(key, pages, url)).toMatchObject({ ended: "caughtUp" });
    const again = await stored(Quarantine.list);
    expect(again).toHaveLength(records.length);
    // A record that is dropped is gone, and the others stay.
    await stored(Quarantine.drop(records[0]!));
    const left = await stored(Quarantine.list);
    expect(left.map(({ id }) => id)).toEqual(records.slice(1).map(({ id }) => id));
    const after = await run(StoreUrl.statusOf(key, url));
    expect(after.quarantined).toBe(records.length - 1);
  });
};

describe("poison on SQLite", () => {
  poison(() => sqliteAt(join(newFolder(), "pages.db")));
});

describeWithService("postgres", "poison on PostgreSQL", (address) => {
  const nextUrl = useSchemas(address);
  poison(() => Effect.runSync(StoreUrl.parse(nextUrl())));
});

describeWithService("nats", "poison on NATS", (program) => {
  const cluster = useCluster(program, 1);
  const open = () => Effect.runSync(StoreUrl.parse(cluster.nextUrl()));
  poison(open);

  it("says that a broker applies no record again", async () => {
    const url = open();
    await follow(KEY, pagesOf("stashes").slice(0, 1), url, "start");
    const message = await run(
      Effect.flatMap(Store, (store) =>
        Effect.flatMap(store.quarantine, ([record]) =>
          Effect.flip(store.resolve(record!, { stashes: commitOf(LISTED).stashes, markets: [] })),
        ),
      ).pipe(
        Effect.provide(StoreUrl.layer(url)),
        Effect.map(({ message: text }) => text),
      ),
    );
    expect(message).toContain("keeps no rows");
  });
});
