/** The exchange: markets by movement, and the hours of one. */
import { useMemo } from "preact/hooks";
import type { Market, MarketHour } from "../web/records.ts";
import { changeAddress, useAddress } from "./address.tsx";
import { useApi } from "./api.ts";
import { type Candle, Chart } from "./Chart.tsx";
import { Refusal, Select, Table } from "./components.tsx";
import { figure } from "./format.ts";

const PERCENT = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** Shows the exchange of a league. */
export const Exchange = ({ league }: { readonly league: string }) => {
  const parameters = useAddress();
  const at = `league=${encodeURIComponent(league)}`;
  const { error, result } = useApi<{ readonly markets: ReadonlyArray<Market> }>(
    `exchange/markets?${at}`,
  );
  if (error !== undefined) return <Refusal error={error} />;
  if (result === undefined) return <p class="lead">Loading …</p>;
  const [most] = result.markets;
  const pair = parameters.get("pair") ?? `${most?.first}|${most?.second}`;
  const [first = "", second = ""] = pair.split("|");
  return (
    <>
      <MarketChart at={at} first={first} second={second} />
      <section class="card" aria-label="Markets">
        <h2>Biggest movers of the last day</h2>
        <Table label="markets" columns={["Market", "#Rate", "#Change", "#Volume"]}>
          {result.markets.slice(0, 40).map((market) => (
            <MarketRow key={`${market.first}|${market.second}`} market={market} />
          ))}
        </Table>
      </section>
    </>
  );
};

const MarketRow = ({ market }: { readonly market: Market }) => (
  <tr>
    <th scope="row">
      <button
        type="button"
        class="quiet item"
        onClick={() => changeAddress({ pair: `${market.first}|${market.second}` })}
      >
        {market.first} in {market.second}
      </button>
    </th>
    <td class="number">{figure(market.rate)}</td>
    <td class="number">{PERCENT.format(market.change)}</td>
    <td class="number">{figure(market.volumeFirst)}</td>
  </tr>
);

interface PairProps {
  readonly at: string;
  readonly first: string;
  readonly second: string;
}

const MarketChart = ({ at, first, second }: PairProps) => {
  const { result } = useApi<{ readonly hours: ReadonlyArray<MarketHour> }>(
    `exchange/history?${at}&first=${encodeURIComponent(first)}&second=${encodeURIComponent(second)}`,
  );
  const hours = result?.hours ?? [];
  const x = useMemo(() => hours.map(({ hour }) => hour), [result]);
  const isCandles = useAddress().get("chart") === "candles";
  const lines = useMemo(() => linesOf(hours, isCandles ? "hidden" : "line"), [result, isCandles]);
  const candles = useMemo(() => (isCandles ? candlesOf(hours) : undefined), [result, isCandles]);
  const last = hours.at(-1);
  return (
    <section class="card" aria-label="Market">
      <h2>
        {first} in {second}
      </h2>
      {last !== undefined && (
        <>
          <p>
            One {first} is <strong>{figure(last.typical)}</strong> {second}, between{" "}
            {figure(last.low)} and {figure(last.high)}.
          </p>
          <Select
            label="Chart"
            value={isCandles ? "candles" : ""}
            options={[
              ["", "Lines"],
              ["candles", "Candles"],
            ]}
            onChange={(chart) => changeAddress({ chart })}
          />
          <Chart
            label={`${first} in ${second} by hour, ${hours.length} hours with a trade, as ${isCandles ? "candles" : "lines"}`}
            x={x}
            lines={lines}
            candles={candles}
            height={240}
          />
        </>
      )}
    </section>
  );
};

const linesOf = (hours: ReadonlyArray<MarketHour>, kind: "line" | "hidden") =>
  [
    { label: "Lowest", values: hours.map(({ low }) => low), color: "muted", kind },
    { label: "Typical", values: hours.map(({ typical }) => typical), color: "accent", kind },
    { label: "Highest", values: hours.map(({ high }) => high), color: "muted", kind },
  ] as const;

/** The service has no first and last price of an hour: a candle goes from typical to typical. */
const candlesOf = (hours: ReadonlyArray<MarketHour>): ReadonlyArray<Candle> =>
  hours.map(({ high, low, typical }, index) => ({
    open: hours[index - 1]?.typical ?? typical,
    close: typical,
    low,
    high,
  }));
