/**
 * What the application's token opens in the realm: leagues and a ladder, the public stash stream,
 * the hours of the currency exchange.
 *
 * Both streams go into one SQLite file. What it holds afterwards is counted there by SQL, and held
 * against what was counted while the pages passed.
 */
import { statSync } from "node:fs";
import * as Report from "../report/Report.ts";
import { must } from "../report/runSteps.ts";
import { applicationOf } from "../ApiSession.ts";
import * as Pages from "@game-data/api-client/pages";
import { Limits } from "@game-data/contract";
import { CountingSink, Follower, Lease, PageSource, Sink } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import {
  groupByMarket,
  lastHours,
  mostEvenlyTraded,
  shortName,
} from "@game-data/stream-follower/MarketSeries";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Clock, Effect, Stream } from "effect";
import type { Tour, TourStep } from "../Tour.ts";

/** Leagues, with the application's token. */
const leagues: TourStep = {
  title: "The leagues",
  speaker: "application",
  scopes: ["service:leagues"],
  run: Effect.fnUntraced(function* (tour) {
    const all = yield* applicationOf(tour).api.leagues.list({ limit: Limits.leagues.max });
    const rows = all.map(({ endAt, id, rules, startAt }) => {
      const named = (rules ?? []).map(({ name }) => name).join(", ");
      return [id, startAt?.slice(0, 10), endAt?.slice(0, 10) ?? "", named];
    });
    Report.table(["league", "began", "ends", "rules"], rows, 10);
    // A full page says nothing about those behind it.
    const figures = { leagues: all.length };
    return { proof: `${all.length} leagues`, ...(all.length < Limits.leagues.max && { figures }) };
  }),
};

/** Entries of the ladder that the tour reads; the sandbox serves 15 000. */
const ENTRIES = 2500;

/** A ladder as one stream over its pages. */
const ladder: TourStep = {
  title: "A ladder, page by page",
  speaker: "application",
  scopes: ["service:leagues", "service:leagues:ladder"],
  run: Effect.fnUntraced(function* (tour) {
    const { api } = applicationOf(tour);
    const all = yield* api.leagues.list({ limit: Limits.leagues.max });
    const league = all.find(({ category }) => category?.current === true) ?? all[0];
    if (league === undefined) return { leftOut: "there is no league" };
    const captured = tour.captured?.figures["entries of the ladder"];
    const wanted = captured ?? ENTRIES;

    const bar = Report.bar(wanted);
    let read = 0;
    const pages = Pages.ladder(api, { league: league.id, limit: Limits.ladder.max });
    const entries = yield* Pages.entries(pages).pipe(
      Stream.take(captured === undefined ? ENTRIES : Infinity),
      Stream.tap(() => Effect.sync(() => bar.show((read += 1), `${read} entries`))),
      Stream.runCollect,
      // Captures may be older than the interface: then the client says so, and the tour goes on.
      Effect.catchTag("ResponseMalformed", (error) =>
        captured === undefined ? Effect.fail(error) : Effect.succeed(error.message),
      ),
    );
    if (typeof entries === "string")
      return { leftOut: `the captured ladder is none by the specification. ${entries}` };
    bar.end(wanted, `${entries.length} entries`);
    const rows = entries.map(({ character, rank }) => {
      return [rank, character.name, character.class, character.level, character.experience];
    });
    Report.table(["rank", "character", "class", "level", "experience"], rows, 5);
    const gaps = entries.filter(({ rank }, index) => rank !== index + 1).length;
    yield* must(gaps === 0, `${gaps} ranks do not follow the one before`);
    return {
      proof: `${Report.number(entries.length)} entries of ${league.id}, rank after rank without a gap`,
      figures: { "entries of the ladder": entries.length },
    };
  }),
};

/**
 * Follows into the tour's file, until caught up or for so many pages: what passed by, and what the
 * file holds.
 */
const follow = Effect.fnUntraced(function* (
  tour: Tour,
  run: Omit<Follower.StashRun, "until"> | Omit<Follower.ExchangeRun, "until">,
  passed: (counts: CountingSink.Counts) => void,
  enough = Infinity,
) {
  const path = tour.store;
  const { after, sink, counts } = CountingSink.make(yield* SinkSqlite.make({ path }), passed);
  const options = { ...run, until: "caughtUp", stopWhen: after(enough) } as const;
  const { ended } = yield* Follower.run(options).pipe(
    Effect.provideService(Sink.Sink, sink),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(applicationOf(tour).api)),
    Effect.provide(Lease.none),
  );
  // The file holds the pages as they came; stashes and markets are derived from them.
  const followed = { source: run.source, realm: run.realm ?? "pc" } as const;
  yield* StoreUrl.indexState({ kind: "sqlite", path }, { key: followed, until: "caughtUp" });
  const statuses = yield* StoreUrl.statuses({ kind: "sqlite", path });
  return { ...counts(), ended, held: statuses.find(({ key }) => key.source === run.source) };
}, Effect.scoped);

/** Public stashes → SQLite. */
const stream: TourStep = {
  title: "The public stash stream, into SQLite",
  speaker: "application",
  scopes: ["service:psapi"],
  run: Effect.fnUntraced(function* (tour) {
    const bar = Report.bar(tour.streamPages);
    const followed = yield* follow(
      tour,
      { source: "stashes" },
      (counts) => bar.show(counts.pages, told(counts)),
      // A deployment's stream is endless: its first pages will do.
      tour.sandbox === undefined ? tour.streamPages : Infinity,
    );
    const millis = bar.end(tour.streamPages, told(followed));
    const { bytes, ended, held, items, pages, quarantined, rows, stashes } = followed;
    Report.facts(
      ["pages", `${pages}, ${Report.megabytes(bytes)} of JSON`],
      ["changes", Report.number(rows)],
      ["stashes listed", Report.number(stashes)],
      ["items in them", Report.number(items)],
      ["set aside", Report.number(quarantined)],
      ["file", Report.megabytes(statSync(tour.store).size)],
    );
    const isSame = held?.rows === stashes && held.items === items && held.pages === pages;
    yield* must(isSame, "the file holds other figures");
    const rate = Report.number(Math.round(pages / (millis / 1000)));
    const end = ended === "caughtUp" ? "caught up" : `the first ${pages} pages`;
    return {
      proof: `${end} at ${rate} pages a second; SQL counts what passed by`,
      figures: {
        changes: rows,
        "stashes listed": held?.rows ?? 0,
        "items in stashes": held?.items ?? 0,
      },
    };
  }),
};

const told = ({ pages, stashes }: CountingSink.Counts) => `${pages} pages, ${stashes} stashes`;

const HOUR = 3600;
const HOURS = 30;

const stamp = (hour: number) => Report.moment(hour * 1000);

/** Hours of the exchange → SQLite → a chart. */
const exchange: TourStep = {
  title: "The currency exchange, hour by hour",
  speaker: "application",
  scopes: ["service:cxapi"],
  run: Effect.fnUntraced(function* (tour) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    const first = String((Math.floor(now / HOUR) - HOURS) * HOUR);
    const captured = tour.captured?.figures["hours"];
    const from = captured === undefined ? { id: first } : "start";
    const bar = Report.bar(captured ?? HOURS);
    const { held, markets, pages } = yield* follow(tour, { source: "exchange", from }, (counts) =>
      bar.show(counts.pages, `${counts.pages} hours`),
    );
    bar.end(captured ?? HOURS, `${pages} hours`);
    const market = mostEvenlyTraded(groupByMarket(markets));
    if (market !== undefined) {
      const [currency, other] = market.currencies.map(shortName);
      Report.say(`${currency} traded for ${other} in ${market.league}, by hour:`);
      const last = Math.max(...markets.map(({ hour }) => hour));
      const below = [stamp(last - (HOURS - 1) * HOUR), stamp(last)] as const;
      Report.chart(lastHours(market, HOURS, last), { below });
    }
    yield* must((held?.rows ?? 0) === markets.length, "the file holds other figures");
    return {
      proof: `${pages} hours, ${Report.number(markets.length)} markets; SQL counts as many`,
      figures: { hours: pages, markets: markets.length },
    };
  }),
};

/** The steps. */
export const realm = [leagues, ladder, stream, exchange];
