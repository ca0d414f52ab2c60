/** The price check of the current search. */
import { useMemo } from "preact/hooks";
import type { PriceCheck } from "../web/records.ts";
import { changeAddress } from "./address.tsx";
import { useApi } from "./api.ts";
import { Chart } from "./Chart.tsx";
import { Facts, Refusal } from "./components.tsx";
import { duration, figure, money, nameOf } from "./format.ts";

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
      <Refusal error={error} />
      {result !== undefined && <Check check={result} />}
    </section>
  );
};

const Check = ({ check }: { readonly check: PriceCheck }) => {
  const { currency, outcome, percentiles } = check;
  if (percentiles === null) return <p class="lead">No listing with a price is like this one.</p>;
  const at = (percent: number) => money(percentiles[`p${percent}`] ?? null, currency);
  return (
    <>
      <p class="verdict">
        <strong>{at(50)}</strong> is the median of {check.listings.toLocaleString("en")}
        {check.isSample ? " newest" : ""} listings; half are between {at(25)} and {at(75)}.
      </p>
      <Sureness check={check} />
      {check.doubt !== "few" && (
        <Facts
          facts={[5, 10, 90, 95].map((percent) => [`${percent} % ask less than`, at(percent)])}
        />
      )}
      <Distribution check={check} />
      {outcome !== null && <Outcome outcome={outcome} />}
    </>
  );
};

/** How far the median can be trusted, and what divides listings that differ too much. */
const Sureness = ({
  check: { currency, doubt, groups, kinds },
}: {
  readonly check: PriceCheck;
}) => {
  if (doubt === null)
    return <p class="notice">Sure: these listings are many, and ask for much the same.</p>;
  return (
    <div class="notice notice-warn">
      <p>
        {doubt === "few"
          ? "Unsure: so few listings say little of a price."
          : "Unsure: these listings differ too much for one price."}
        {kinds > 1 && ` They are of ${kinds} names and bases; choose one:`}
        {kinds === 1 && doubt === "wide" && " Narrow them by level, links or mods."}
      </p>
      {kinds > 1 && (
        <ul class="buttons choices" aria-label="What divides them">
          {groups.map(({ base, listings, median, name }) => (
            <li key={`${name}|${base}`}>
              <button type="button" onClick={() => changeAddress({ q: "", name, base })}>
                {nameOf({ base, name })}: {listings}, at {money(median, currency)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const Distribution = ({ check }: { readonly check: PriceCheck }) => {
  const { currency, histogram, outliers } = check;
  const x = useMemo(() => histogram.map((_, at) => at), [check]);
  const values = useMemo(() => histogram.map(({ count }) => count), [check]);
  const lines = useMemo(
    () => [{ label: "Listings", values, kind: "bars", color: "accent" }] as const,
    [values],
  );
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [from, to] = [money(first.from, currency), money(last.to, currency)];
  return (
    <>
      <h3>Distribution</h3>
      <Chart
        label={`Listings from ${from} to ${to}, in steps of equal ratio`}
        isTime={false}
        height={120}
        x={x}
        lines={lines}
      />
      <p class="ends muted">
        <span>{from}</span>
        <span>{to}</span>
      </p>
      {outliers > 0 && (
        <p class="muted">
          {outliers === 1 ? "One price" : `${outliers} prices`} far from these, not drawn.
        </p>
      )}
    </>
  );
};

const at = (count: number, median: number | null) =>
  median === null ? String(count) : `${count}, at ${figure(median)}`;

const Outcome = ({ outcome }: { readonly outcome: NonNullable<PriceCheck["outcome"]> }) => {
  const { repriced, sold, soldAfterMillis, soldMedian, stayed, stayedMedian, unlisted } = outcome;
  return (
    <>
      <h3>What became of them</h3>
      <Facts
        facts={[
          ["Sold", at(sold, soldMedian)],
          ["Still listed", at(stayed, stayedMedian)],
          ["Repriced, unlisted", `${repriced}, ${unlisted}`],
          ...(soldAfterMillis === null ? [] : [["Sold after", duration(soldAfterMillis)] as const]),
        ]}
      />
    </>
  );
};
