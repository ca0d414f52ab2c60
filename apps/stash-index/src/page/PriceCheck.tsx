/** Shows the median and the spread of the prices that match the search, and their reliability. */
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
      <h2>Price check</h2>
      <Refusal error={error} />
      {result !== undefined && <Figures check={result} />}
    </section>
  );
};

interface CheckProps {
  readonly check: Check;
}

const Figures = ({ check }: CheckProps) => {
  const { currency, isSample, listings, percentiles } = check;
  if (percentiles === null) return <p class="lead">No listing with a price is like this one.</p>;
  const below = (percent: number) => money(percentiles[`p${percent}`] ?? null, currency);
  return (
    <>
      <p>
        <strong>{below(50)}</strong> is the median of {isSample ? "the newest " : ""}
        {listings.toLocaleString("en")} listings. Half are between {below(25)} and {below(75)}.
      </p>
      <Confidence check={check} />
      {check.histogram.length > 0 && <Distribution check={check} />}
      {check.outcome !== null && <Outcome outcome={check.outcome} />}
    </>
  );
};

const CONFIDENCE = {
  few: "Too few listings for a reliable price.",
  wide: "These listings differ too much for one price. Narrow the search by level, links or mods.",
} as const;

/** Says why the median is not reliable, and offers names and bases to narrow the search. */
const Confidence = ({ check: { currency, doubt, groups } }: CheckProps) => {
  if (doubt === null) return null;
  const hasChoice = groups.length > 1;
  return (
    <div class="notice notice-warn">
      <p>
        {CONFIDENCE[doubt]}
        {hasChoice && " Choose a name or base:"}
      </p>
      {hasChoice && (
        <ul class="buttons" aria-label="Names and bases">
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

const Distribution = ({ check: { currency, histogram, outliers } }: CheckProps) => {
  const most = Math.max(...histogram.map(({ count }) => count));
  const [from, to] = [money(histogram[0]!.from, currency), money(histogram.at(-1)!.to, currency)];
  return (
    <figure>
      <figcaption>
        Listings by price{outliers > 0 && `, without ${outliers} far from all others`}
      </figcaption>
      <svg
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
    </figure>
  );
};

const counted = (count: number, median: number | null) =>
  median === null ? String(count) : `${count}, median ${figure(median)}`;

const Outcome = ({ outcome }: { readonly outcome: NonNullable<Check["outcome"]> }) => {
  const { repriced, sold, soldAfterMillis, soldMedian, stayed, stayedMedian, unlisted } = outcome;
  const facts = {
    Sold: counted(sold, soldMedian),
    "Still listed": counted(stayed, stayedMedian),
    Repriced: repriced,
    Unlisted: unlisted,
    ...(soldAfterMillis !== null && { "Sold after": duration(soldAfterMillis) }),
  };
  return (
    <>
      <h3>What became of them</h3>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
};
