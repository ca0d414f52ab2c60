/** The table of listings; a row opens its mods. */
import { useState } from "preact/hooks";
import type { ItemDetails, ItemFilters, ListedItem } from "../web/records.ts";
import { changeAddress, follow, hrefOf } from "./address.ts";
import { post, useApi } from "./api.ts";
import { ago, money, nameOf } from "./format.ts";
import { toAddress } from "./FromItem.tsx";

interface ResultsProps {
  readonly items: ReadonlyArray<ListedItem>;
  readonly ended: ReadonlyMap<number, string>;
  readonly currency: string;
  readonly isLoading: boolean;
}

/** Draws the listings. */
export const Results = ({ currency, ended, isLoading, items }: ResultsProps) => {
  const [open, setOpen] = useState<number>();
  if (items.length === 0)
    return (
      <p class="lead">
        {isLoading
          ? "Searching …"
          : "No listing matches. Take a filter away, or wait: new matches appear here."}
      </p>
    );
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Table of listings">
      <table class="listings">
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col" class="number">
              Price
            </th>
            <th scope="col" class="number">
              in {currency}
            </th>
            <th scope="col">Seller</th>
            <th scope="col" class="number">
              Listed
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row
              key={item.no}
              item={item}
              ended={ended.get(item.no)}
              isOpen={open === item.no}
              onToggle={() => setOpen(open === item.no ? undefined : item.no)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
};

interface RowProps {
  readonly item: ListedItem;
  readonly ended: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

const Row = ({ ended, isOpen, item, onToggle }: RowProps) => (
  <>
    <tr data-ended={ended} data-item={item.no}>
      <th scope="row">
        <button
          type="button"
          class="quiet item"
          aria-expanded={isOpen}
          onClick={onToggle}
          data-rarity={item.rarity}
        >
          {nameOf(item)}
        </button>
        <span class="shape muted">
          {item.rarity}
          {item.ilvl > 0 && `, level ${item.ilvl}`}
          {item.sockets > 0 && `, ${item.sockets} ${item.sockets === 1 ? "socket" : "sockets"}`}
          {item.links > 1 && `, ${item.links} linked`}
          {item.isCorrupted && ", corrupted"}
        </span>
        {ended !== undefined && <span class="badge badge-warn">{ended}</span>}
      </th>
      <td class="number">
        {item.price === null ? "none" : money(item.price.amount, item.price.currency)}
      </td>
      <td class="number">{item.value === null ? "" : money(item.value, "").trim()}</td>
      <td>
        <a
          href={hrefOf({ view: "sellers", seller: item.seller })}
          onClick={follow({ view: "sellers", seller: item.seller })}
        >
          {item.seller}
        </a>
        <span class="shape muted">{item.tabName}</span>
      </td>
      <td class="number">{ago(item.firstSeen)}</td>
    </tr>
    {isOpen && (
      <tr>
        <td colSpan={5}>
          <Details no={item.no} />
        </td>
      </tr>
    )}
  </>
);

const Details = ({ no }: { readonly no: number }) => {
  const { error, isLoading, result } = useApi<{ readonly items: ReadonlyArray<ItemDetails> }>(
    `items?no=${no}`,
  );
  const item = result?.items[0];
  if (item === undefined)
    return (
      <p class="lead">{isLoading ? "Loading …" : (error?.message ?? "This listing is gone.")}</p>
    );
  const findSimilar = async () => {
    const text = [`Rarity: ${item.rarity}`, item.name, item.base, "--------", ...item.mods];
    const filters = await post<ItemFilters>("filters", { item: text.filter(Boolean).join("\n") });
    changeAddress({ ...toAddress(filters), check: "yes" });
  };
  return (
    <div class="details">
      <p>
        <strong>{item.title}</strong>
        {item.note !== null && <code> {item.note}</code>}
      </p>
      <ul>
        {item.mods.map((mod, at) => (
          <li key={at}>{mod}</li>
        ))}
      </ul>
      <p class="buttons">
        <button type="button" onClick={() => void findSimilar()}>
          Find similar
        </button>
      </p>
    </div>
  );
};
