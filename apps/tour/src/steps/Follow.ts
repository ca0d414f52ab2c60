/**
 * The two streams into one SQLite file: public stashes until there are no more, and the last hours of the currency exchange.
 *
 * What the file holds afterwards is read by SQL, and held against what was counted while the pages passed.
 */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Market } from "@game-data/schemas";
import {
  Follower,
  GameApiSource,
  Lease,
  PageSource,
  Sink,
  SinkSqlite,
} from "@game-data/stream-follower";
import { Clock, Deferred, Effect } from "effect";
import { bodiesWith, type Captured, listIn } from "../Captured.ts";
import * as Report from "../Report.ts";
import { applicationOf, compare, must, type Step, type Tour } from "../Tour.ts";

type Batch = Parameters<Sink.SinkService["commit"]>[0];
type Run = Parameters<typeof Follower.run>[0];

/** Follows into the tour's file; `passed` is told of every batch that is durable. */
const follow = Effect.fnUntraced(function* (tour: Tour, run: Run, passed: (batch: Batch) => void) {
  const sink = yield* SinkSqlite.make({ path: tour.store });
  const counted: Sink.SinkService = {
    ...sink,
    commit: (batch, epoch) =>
      Effect.tap(sink.commit(batch, epoch), () => Effect.sync(() => passed(batch))),
  };
  return yield* Follower.run(run).pipe(
    Effect.provideService(Sink.Sink, counted),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(applicationOf(tour).api)),
    Effect.provide(Lease.none),
  );
}, Effect.scoped);

/** Rows of the tour's file, by any SQLite's means. */
const rowsOf = <Row>(tour: Tour, sql: string): ReadonlyArray<Row> => {
  const db = new DatabaseSync(tour.store, { readOnly: true });
  try {
    return db.prepare(sql).all() as unknown as ReadonlyArray<Row>;
  } finally {
    db.close();
  }
};

/** Public stashes → SQLite. */
export const stream: Step = {
  title: "The public stash stream, into SQLite",
  speaker: "application",
  scopes: ["service:psapi"],
  run: Effect.fnUntraced(function* (tour) {
    const enough = yield* Deferred.make<void>();
    /** Items by stash, as the last page that names it has them. */
    const listed = new Map<string, number>();
    const totals = { pages: 0, changes: 0, bytes: 0, unread: 0 };
    const bar = Report.bar(tour.streamPages);
    const { ended } = yield* follow(
      tour,
      { source: "stashes", until: "caughtUp", stopWhen: Deferred.await(enough) },
      ({ pages }) => {
        for (const { page, quarantine, stashes } of pages) {
          totals.pages += 1;
          totals.changes += stashes.length;
          totals.bytes += page.raw.length;
          totals.unread += quarantine.length;
          for (const { id, isPublic, items } of stashes) {
            if (isPublic) listed.set(id, items.length);
            else listed.delete(id);
          }
        }
        bar.show(totals.pages, `${totals.pages} pages, ${listed.size} stashes`);
        if (tour.deployment !== undefined && totals.pages >= tour.streamPages)
          Deferred.doneUnsafe(enough, Effect.void);
      },
    );
    const millis = bar.end(tour.streamPages, `${totals.pages} pages, ${listed.size} stashes`);
    const [held] = rowsOf<{ stashes: number; items: number }>(
      tour,
      "SELECT count(*) AS stashes, coalesce(sum(items), 0) AS items FROM stash WHERE public = 1",
    );
    const { items = -1, stashes = -1 } = held ?? {};
    Report.facts(
      ["pages", `${totals.pages}, ${Report.megabytes(totals.bytes)} of JSON`],
      ["changes", Report.number(totals.changes)],
      ["stashes listed", Report.number(stashes)],
      ["items in them", Report.number(items)],
      ["set aside", Report.number(totals.unread)],
      ["file", Report.megabytes(statSync(tour.store).size)],
    );
    const counted = [...listed.values()].reduce((sum, count) => sum + count, 0);
    yield* must(stashes === listed.size && items === counted, "the file holds other figures");
    if (tour.captured !== undefined)
      yield* compareStream(tour.captured, totals.changes, stashes, items);
    const rate = Report.number(Math.round(totals.pages / (millis / 1000)));
    const end = ended === "caughtUp" ? "caught up" : `the first ${totals.pages} pages`;
    return { proof: `${end} at ${rate} pages a second; SQL counts what passed by` };
  }),
};

const compareStream = Effect.fnUntraced(function* (
  captured: Captured,
  changes: number,
  stashes: number,
  items: number,
) {
  const inFiles = bodiesWith(captured, "next_change_id").flatMap((body) => listIn(body, "stashes"));
  if (inFiles.length === 0) return Report.say("No page is captured: these are generated.");
  const listed = new Map<unknown, number>();
  for (const change of inFiles) {
    if (change["public"] === true) listed.set(change["id"], listIn(change, "items").length);
    else listed.delete(change["id"]);
  }
  yield* compare(
    ["changes", changes, inFiles.length],
    ["stashes in SQLite", stashes, listed.size],
    ["items in SQLite", items, [...listed.values()].reduce((sum, count) => sum + count, 0)],
  );
});

const HOUR = 3600;
const HOURS = 30;

/** Hours of the exchange → SQLite → a chart. */
export const exchange: Step = {
  title: "The currency exchange, hour by hour",
  speaker: "application",
  scopes: ["service:cxapi"],
  run: Effect.fnUntraced(function* (tour) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    const first = String((Math.floor(now / HOUR) - HOURS) * HOUR);
    const captured = tour.captured && exchangeIn(tour.captured);
    const from = captured === undefined ? { id: first } : "start";
    const totals = { hours: 0, markets: 0 };
    const bar = Report.bar(captured?.hours ?? HOURS);
    yield* follow(tour, { source: "exchange", until: "caughtUp", from }, ({ pages }) => {
      totals.hours += pages.length;
      for (const { markets } of pages) totals.markets += markets.length;
      bar.show(totals.hours, `${totals.hours} hours`);
    });
    bar.end(captured?.hours ?? HOURS, `${totals.hours} hours`);
    drawSteadiest(tour);
    const [held] = rowsOf<{ markets: number }>(tour, "SELECT count(*) AS markets FROM market");
    yield* must(held?.markets === totals.markets, "the file holds other figures");
    if (captured !== undefined)
      yield* compare(
        ["hours", totals.hours, captured.hours],
        ["markets in SQLite", totals.markets, captured.markets],
      );
    return {
      proof: `${totals.hours} hours, ${Report.number(totals.markets)} markets; SQL counts as many`,
    };
  }),
};

const exchangeIn = (captured: Captured) => {
  const pages = bodiesWith(captured, "markets");
  if (pages.length === 0) return undefined;
  const markets = pages.reduce((sum, page) => sum + listIn(page, "markets").length, 0);
  return { hours: pages.length, markets };
};

/** A market and what was traded in each of its hours. */
interface Traded {
  readonly league: string;
  readonly currencies: ReadonlyArray<string>;
  readonly byHour: ReadonlyMap<number, number>;
}

/** The market that traded most steadily, as a chart. */
const drawSteadiest = (tour: Tour) => {
  const rows = rowsOf<{ hour: number; league: string; market_id: string; doc: string }>(
    tour,
    "SELECT hour, league, market_id, doc FROM market ORDER BY hour",
  );
  const markets = [...Map.groupBy(rows, (row) => `${row.league}|${row.market_id}`)].map(
    ([key, all]): Traded => {
      const [league = "", ...currencies] = key.split("|");
      const byHour = new Map(
        all.map(({ doc, hour }) => {
          const { volume_traded: volumes } = JSON.parse(doc) as Pick<Market, "volume_traded">;
          return [hour, volumes[currencies[0] ?? ""] ?? 0] as const;
        }),
      );
      return { league, currencies, byHour };
    },
  );
  const [market] = markets.toSorted((a, b) => steadiness(b) - steadiness(a));
  if (market === undefined) return;
  const last = Math.max(...rows.map(({ hour }) => hour));
  const hours = Array.from({ length: HOURS }, (_, index) => last - (HOURS - 1 - index) * HOUR);
  const [currency, other] = market.currencies.map(nameOf);
  Report.say(`${currency} traded for ${other} in ${market.league}, by hour:`);
  Report.chart(
    hours.map((hour) => market.byHour.get(hour) ?? 0),
    [stamp(hours[0]!), stamp(last)],
  );
};

/** As many full hours would make the same volume. */
const steadiness = ({ byHour }: Traded): number => {
  const volumes = [...byHour.values()];
  return volumes.reduce((sum, volume) => sum + volume, 0) / Math.max(1, ...volumes);
};

/** Some deployments name currencies by paths. */
const nameOf = (currency: string) => currency.slice(currency.lastIndexOf("/") + 1);

const stamp = (seconds: number) =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")}Z`;
