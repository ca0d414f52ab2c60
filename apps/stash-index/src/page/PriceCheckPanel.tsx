/** The price check of the current search. */
import { useMemo } from "preact/hooks";
import type { PriceCheck } from "../web/records.ts";
import { changeAddress } from "./address.ts";
import { useApi } from "./api.ts";
import { Chart } from "./Chart.tsx";
import { duration, figure, money } from "./format.ts";

interface PanelProps {
  readonly filters: string;
  readonly version: number;
  readonly isOpen: boolean;
}

/** Draws the panel, once it is asked for. */
export const PriceCheckPanel = ({ filters, isOpen, version }: PanelProps) => {
  const { error, result } = useApi<PriceCheck>(
    isOpen ? `price-check?${filters}` : undefined,
    version,
  );
  if (!isOpen) return null;
  return (
    <section class="card check" aria-label="Price check">
      <div class="results-head">
        <h2>Price check</h2>
        <button type="button" class="quiet" onClick={() => changeAddress({ check: "" })}>
          Close<span class="visually-hidden"> the price check</span>
        </button>
      </div>
      {error !== undefined && <p role="alert">{error.message}</p>}
      {result !== undefined && <Check check={result} />}
    </section>
  );
};

const Check = ({ check }: { readonly check: PriceCheck }) => {
  const { currency, histogram, history, isSample, listings, outcome, percentiles } = check;
  const bars = useMemo(
    () => ({
      x: histogram.map(({ from, to }) => Math.sqrt(from * to)).map((_, at) => at),
      lines: [
        {
          label: "Listings",
          values: histogram.map(({ count }) => count),
          kind: "bars",
          color: "accent",
        },
      ],
    }),
    [check],
  );
  const hours = useMemo(
    () => ({
      x: (history ?? []).map(({ hour }) => hour / 1000),
      lines: [
        {
          label: "Median listed",
          values: (history ?? []).map((hour) => hour.listedMedian),
          color: "accent",
        },
        {
          label: "Median sold",
          values: (history ?? []).map((hour) => hour.soldMedian),
          color: "good",
        },
      ],
    }),
    [check],
  );
  if (percentiles === null) return <p class="lead">No listing with a price is like this one.</p>;
  const at = (name: string) => money(percentiles[name] ?? null, currency);
  return (
    <>
      <p class="verdict">
        <strong>{at("p50")}</strong> is the median of {listings.toLocaleString("en")}
        {isSample ? " newest" : ""} listings; half are between {at("p25")} and {at("p75")}.
      </p>
      {check.doubt !== null && (
        <p class="notice">
          {check.doubt === "few"
            ? "So few listings say little of a price."
            : "These listings differ too much for one price."}
          {check.kinds > 1 && ` They are of ${check.kinds} names and bases: choose one of them.`}
          {check.kinds === 1 && check.doubt === "wide" && " Narrow them by level, links or mods."}
        </p>
      )}
      <dl class="facts">
        {["p5", "p10", "p90", "p95"].map((name) => (
          <div key={name}>
            <dt>{name.slice(1)} % ask less than</dt>
            <dd>{at(name)}</dd>
          </div>
        ))}
      </dl>
      {histogram.length > 0 && (
        <>
          <h3>Distribution</h3>
          <Chart
            label={`Listings from ${money(histogram[0]!.from, currency)} to ${money(histogram.at(-1)!.to, currency)}, in steps of equal ratio`}
            isTime={false}
            height={120}
            {...(bars as Pick<Parameters<typeof Chart>[0], "x" | "lines">)}
          />
          <p class="ends muted">
            <span>{money(histogram[0]!.from, currency)}</span>
            <span>{money(histogram.at(-1)!.to, currency)}</span>
          </p>
          {check.outliers > 0 && (
            <p class="muted">{check.outliers} prices far from these are not drawn.</p>
          )}
        </>
      )}
      {outcome !== null && (
        <>
          <h3>What became of them</h3>
          <dl class="facts">
            <div>
              <dt>Sold</dt>
              <dd>
                {outcome.sold}
                {outcome.soldMedian !== null && `, at ${figure(outcome.soldMedian)}`}
              </dd>
            </div>
            <div>
              <dt>Still listed</dt>
              <dd>
                {outcome.stayed}
                {outcome.stayedMedian !== null && `, at ${figure(outcome.stayedMedian)}`}
              </dd>
            </div>
            <div>
              <dt>Repriced, unlisted</dt>
              <dd>
                {outcome.repriced}, {outcome.unlisted}
              </dd>
            </div>
            {outcome.soldAfterMillis !== null && (
              <div>
                <dt>Sold after</dt>
                <dd>{duration(outcome.soldAfterMillis)}</dd>
              </div>
            )}
          </dl>
        </>
      )}
      {history !== null && history.length > 1 && (
        <>
          <h3>Median by hour</h3>
          <Chart
            label={`Median price by hour, listed and sold, over ${history.length} hours`}
            height={150}
            {...(hours as Pick<Parameters<typeof Chart>[0], "x" | "lines">)}
          />
        </>
      )}
    </>
  );
};
