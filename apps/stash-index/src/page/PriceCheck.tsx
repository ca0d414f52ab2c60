/** The price check of the current search. */
import type { PriceCheck as Check } from "../web/records.ts";
import { changeAddress } from "./address.tsx";
import { useApi } from "./api.ts";
import { Refusal } from "./components.tsx";
import { duration, figure, itemName, money } from "./format.ts";

interface PriceCheckProps {
  readonly filters: string;
  readonly version: number;
}

export const PriceCheck = ({ filters, version }: PriceCheckProps) => {
  const { error, result } = useApi<Check>(`price-check?${filters}`, version);
  return (
    <section class="card check" aria-label="Price check">
      <div class="results-head">
        <h2>Price check</h2>
        <button type="button" class="quiet" onClick={() => changeAddress({ check: "" })}>
          Close<span class="visually-hidden"> the price check</span>
        </button>
      </div>
      <Refusal error={error} />
      {result?.percentiles === null && (
        <p class="lead">No listing with a price is like this one.</p>
      )}
      {result != null && result.percentiles !== null && (
        <Figures check={result} percentiles={result.percentiles} />
      )}
    </section>
  );
};

interface FiguresProps {
  readonly check: Check;
  readonly percentiles: NonNullable<Check["percentiles"]>;
}

const Figures = ({ check, percentiles }: FiguresProps) => {
  const { currency, isSample, listings, outcome } = check;
  const below = (percent: number) => money(percentiles[`p${percent}`] ?? null, currency);
  return (
    <>
      <p class="verdict">
        <strong>{below(50)}</strong> is the median of {isSample ? "the newest " : ""}
        {listings.toLocaleString("en")} listings. Half are between {below(25)} and {below(75)}.
      </p>
      <Confidence check={check} />
      <Distribution check={check} />
      {outcome !== null && <Outcome outcome={outcome} />}
    </>
  );
};

/** How far the median can be trusted, and what divides listings that differ too much. */
const Confidence = ({ check: { currency, doubt, groups, kinds } }: { readonly check: Check }) => {
  if (doubt === null)
    return <p class="notice">Most of these listings have prices near each other.</p>;
  return (
    <div class="notice notice-warn">
      <p>
        {doubt === "few"
          ? "Too few listings for a reliable price."
          : "These listings differ too much for one price."}
        {kinds > 1 && ` They have ${kinds} names and bases. Choose one:`}
        {kinds === 1 && doubt === "wide" && " Narrow the search by level, links or mods."}
      </p>
      {kinds > 1 && (
        <ul class="buttons choices" aria-label="Names and bases">
          {groups.map(({ base, listings, median, name }) => (
            <li key={`${name}|${base}`}>
              <button type="button" onClick={() => changeAddress({ q: "", name, base })}>
                {itemName({ base, name })}: {listings}, median {money(median, currency)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const BAR = 4;
const HEIGHT = 32;

const Distribution = ({ check: { currency, histogram, outliers } }: { readonly check: Check }) => {
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...histogram.map(({ count }) => count));
  const [from, to] = [money(first.from, currency), money(last.to, currency)];
  return (
    <>
      <h3>Listings by price</h3>
      <svg
        class="histogram"
        viewBox={`0 0 ${histogram.length * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Listings from ${from} to ${to}, in steps of equal ratio`}
      >
        {histogram.map(({ count, from: start }, at) => {
          const height = (HEIGHT * count) / most;
          return (
            <rect key={start} x={at * BAR} y={HEIGHT - height} width={BAR - 1} height={height} />
          );
        })}
      </svg>
      <p class="ends muted">
        <span>{from}</span>
        <span>{to}</span>
      </p>
      {outliers > 0 && (
        <p class="muted">
          {outliers === 1 ? "One price is" : `${outliers} prices are`} far from these, and not
          drawn.
        </p>
      )}
    </>
  );
};

const counted = (count: number, median: number | null) =>
  median === null ? String(count) : `${count}, median ${figure(median)}`;

const Outcome = ({ outcome }: { readonly outcome: NonNullable<Check["outcome"]> }) => {
  const { repriced, sold, soldAfterMillis, soldMedian, stayed, stayedMedian, unlisted } = outcome;
  const facts = [
    ["Sold", counted(sold, soldMedian)],
    ["Still listed", counted(stayed, stayedMedian)],
    ["Repriced", String(repriced)],
    ["Unlisted", String(unlisted)],
    ...(soldAfterMillis === null ? [] : [["Sold after", duration(soldAfterMillis)] as const]),
  ] as const;
  return (
    <>
      <h3>What became of them</h3>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
};
