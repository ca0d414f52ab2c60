/** The view of the exchange: markets ordered by price change, and the history of one market. */
import type { Market, MarketHour } from "../web/records.ts";
import { Link, useAddress } from "./address.tsx";
import { useApi } from "./api.ts";
import { Refusal, Table } from "./components.tsx";
import { figure } from "./format.ts";

const PERCENT = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

export const Exchange = ({ league }: { readonly league: string }) => {
  const pair = useAddress().get("pair");
  const query = new URLSearchParams({ league }).toString();
  const { error, result } = useApi<{ readonly markets: ReadonlyArray<Market> }>(
    `exchange/markets?${query}`,
  );
  if (error !== undefined) return <Refusal error={error} />;
  if (result === undefined) return <p class="lead">Loading …</p>;
  if (result.markets.length === 0) return <p class="lead">This league has no exchange yet.</p>;
  const [first = "", second = ""] = (pair ?? pairName(result.markets[0]!)).split("|");
  return (
    <>
      <History league={league} first={first} second={second} />
      <section class="card" aria-label="Markets">
        <h2>Largest movements of the last day</h2>
        <Table label="markets" class="markets" columns={["Market", "#Rate", "#Change", "#Volume"]}>
          {result.markets.slice(0, 40).map((market) => (
            <tr key={pairName(market)}>
              <th scope="row">
                <Link to={{ pair: pairName(market) }}>
                  {market.first} in {market.second}
                </Link>
              </th>
              <td class="number">{figure(market.rate)}</td>
              <td class="number">{PERCENT.format(market.change)}</td>
              <td class="number">{figure(market.volumeFirst)}</td>
            </tr>
          ))}
        </Table>
      </section>
    </>
  );
};

const pairName = ({ first, second }: Market): string => `${first}|${second}`;

const History = (market: Readonly<Record<"league" | "first" | "second", string>>) => {
  const { first, second } = market;
  const query = new URLSearchParams(market).toString();
  const { error, result } = useApi<{ readonly hours: ReadonlyArray<MarketHour> }>(
    `exchange/history?${query}`,
  );
  const { hours = [] } = result ?? {};
  return (
    <section class="card" aria-label="Market">
      <h2>
        {first} in {second}
      </h2>
      <Refusal error={error} />
      {hours.length > 0 && <Chart hours={hours} />}
    </section>
  );
};

/** Draws the typical rate as a line, over the area between the lowest and the highest rate. */
const Chart = ({ hours }: { readonly hours: ReadonlyArray<MarketHour> }) => {
  const [from, to] = [hours[0]!.hour, hours.at(-1)!.hour];
  const low = Math.min(...hours.map((each) => each.low));
  const high = Math.max(...hours.map((each) => each.high));
  const at = ({ hour }: MarketHour, rate: number) =>
    `${(100 * (hour - from)) / (to - from || 1)},${100 - (100 * (rate - low)) / (high - low || 1)}`;
  const area = [
    ...hours.map((hour) => at(hour, hour.high)),
    ...hours.map((hour) => at(hour, hour.low)).toReversed(),
  ];
  return (
    <figure class="chart">
      <figcaption>
        <span class="key key-typical" />
        typical rate, {figure(hours.at(-1)!.typical)} in the last hour
        <span class="key key-range" />
        lowest to highest rate, from {figure(low)} to {figure(high)}
      </figcaption>
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Rates of ${hours.length} hours, from ${figure(low)} to ${figure(high)}`}
      >
        <polygon points={area.join(" ")} />
        <polyline points={hours.map((hour) => at(hour, hour.typical)).join(" ")} />
      </svg>
      <p class="ends muted">
        <span>{time(from)}</span>
        <span>{time(to)}</span>
      </p>
    </figure>
  );
};

const time = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
