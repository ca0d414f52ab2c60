/**
 * Hours of the currency exchange, followed into SQLite and drawn as a chart.
 */
import { Clock, Effect } from "effect";
import { number, Report, timestamp } from "../report.ts";
import { assert, type Step } from "../Tour.ts";
import { followInto } from "./followInto.ts";
import { lastHours, mostEvenlyTraded, shortName } from "./marketSeries.ts";

const HOUR = 3600;
const HOURS = 30;

export const exchange: Step = {
  title: "The currency exchange, hour by hour",
  session: "application",
  scopes: ["service:cxapi"],
  run: Effect.fnUntraced(function* ({ application, captured, store }) {
    const report = yield* Report;
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    const first = String((Math.floor(now / HOUR) - HOURS) * HOUR);
    const inFiles = captured?.counts["hours"];
    const from = inFiles === undefined ? { id: first } : "start";
    const { markets, pages, stored } = yield* followInto(
      store,
      application,
      { source: "exchange", from },
      {
        maxPages: Infinity,
        onPage: ({ pages: done }) => report.progress(done, inFiles ?? HOURS, `${done} hours`),
      },
    );

    const market = mostEvenlyTraded(markets);
    if (market !== undefined) {
      const [currency, other] = market.currencies.map(shortName);
      report.say(`${currency} traded for ${other} in ${market.league}, by hour:`);
      const last = Math.max(...markets.map(({ hour }) => hour));
      const labels = [last - (HOURS - 1) * HOUR, last].map((hour) => timestamp(hour * 1000));
      report.chart(lastHours(market, HOURS, last), labels as [string, string]);
    }
    yield* assert((stored?.rows ?? 0) === markets.length, "the counts of the file differ");
    return {
      result: `${pages} hours, ${number(markets.length)} markets; SQL counts the same`,
      counts: { hours: pages, markets: markets.length },
    };
  }),
};
