/** Step: follows the last hours of the exchange, and finds the market with the most trade. */
import { currenciesOf, type Market } from "@game-data/schemas/Market";
import { Clock, Effect } from "effect";
import { follow } from "../follow.ts";
import { check, count, print, type Step } from "../Step.ts";

const HOUR = 3600;
const HOURS = 24;

export const exchange: Step = {
  title: "The currency exchange, hour by hour",
  run: Effect.fn("tour.exchange")(function* ({ applicationApi }) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    const first = String((Math.floor(now / HOUR) - HOURS) * HOUR);
    const { pages, stored } = yield* follow(applicationApi, {
      source: "exchange",
      from: { id: first },
    });
    const rows = pages.flatMap(({ markets }) => markets);
    const byMarket = Map.groupBy(rows, ({ league, marketId }) => `${league} ${marketId}`);
    const [hours = []] = [...byMarket.values()].toSorted((a, b) => b.length - a.length);
    const market_id = hours[0]?.marketId ?? "";
    const [currency = ""] = currenciesOf({ market_id }) ?? [];
    const volumes = hours.map(({ value }) => (value as Market).volume_traded[currency] ?? 0);
    yield* print([`${market_id} by hour: ${sparkline(volumes)}`]);
    yield* check(stored?.rows === rows.length, "the counts of the file differ");
    return `${pages.length} hours with ${count(rows.length)} markets, and the file holds the same`;
  }),
};

const BARS = "▁▂▃▄▅▆▇█";

const sparkline = (values: ReadonlyArray<number>): string =>
  values.map((value) => BARS[Math.round((value / Math.max(1, ...values)) * 7)]).join("");
