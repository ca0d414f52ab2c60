/** The table of listings, each with its first mods, and with all of them once it is opened. */
import { useState } from "preact/hooks";
import type { ItemFilters, ListedItem } from "../web/records.ts";
import { changeAddress, Link } from "./address.tsx";
import { post } from "./api.ts";
import { Table } from "./components.tsx";
import { similarItems } from "./FilterForm.tsx";
import { ago, figure, itemName, money } from "./format.ts";

interface ListingsProps {
  readonly items: ReadonlyArray<ListedItem>;
  readonly currency: string;
  /** The mods of the search, as the address has them. */
  readonly wanted: ReadonlyArray<string>;
}

export const Listings = ({ currency, items, wanted }: ListingsProps) => {
  const [open, setOpen] = useState<number>();
  if (items.length === 0)
    return (
      <p class="lead">No listing matches. Remove a filter, or wait: new matches appear here.</p>
    );
  return (
    <Table label="listings" class="listings" columns={["Item", "#Price", "Seller", "#Listed"]}>
      {items.map((item) => (
        <tr key={item.no} data-ended={item.ended} data-item={item.no}>
          <th scope="row">
            <button
              type="button"
              class="quiet item"
              aria-expanded={open === item.no}
              onClick={() => setOpen(open === item.no ? undefined : item.no)}
            >
              {itemName(item)}
            </button>
            <span class="shape muted">{shape(item)}</span>
            {item.ended !== null && <span class="badge badge-warn">{item.ended}</span>}
            <Mods mods={item.mods} wanted={wanted} isOpen={open === item.no} />
            {open === item.no && <Similar item={item} />}
          </th>
          <td class="number">
            {item.price === null ? "none" : money(item.price.amount, item.price.currency)}
            {item.value !== null && item.price?.currency !== currency && (
              <span class="shape muted">
                = {figure(item.value)} {currency}
              </span>
            )}
          </td>
          <td>
            <Link to={{ seller: item.seller }}>{item.seller}</Link>
            <span class="shape muted">{item.tabName}</span>
          </td>
          <td class="number">{ago(item.firstSeen)}</td>
        </tr>
      ))}
    </Table>
  );
};

const shape = ({ ilvl, isCorrupted, links, rarity, sockets }: ListedItem): string =>
  [
    rarity,
    ilvl > 0 && `level ${ilvl}`,
    sockets > 0 && `${sockets} ${sockets === 1 ? "socket" : "sockets"}`,
    links > 1 && `${links} linked`,
    isCorrupted && "corrupted",
  ]
    .filter(Boolean)
    .join(", ");

/** Mods of a row that is not opened. */
const FEW = 3;

interface ModsProps {
  readonly mods: ReadonlyArray<string>;
  readonly wanted: ReadonlyArray<string>;
  readonly isOpen: boolean;
}

/** The mods of the search are first. */
const Mods = ({ isOpen, mods, wanted }: ModsProps) => {
  const isWanted = (mod: string) =>
    wanted.some((each) => `${each}:`.startsWith(`${mod.replaceAll(/\d+(?:\.\d+)?/gu, "#")}:`));
  const sorted = mods.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)));
  const rest = isOpen ? 0 : sorted.length - FEW;
  return (
    <ul class="bare shape mods">
      {sorted.slice(0, isOpen ? sorted.length : FEW).map((mod, at) => (
        <li key={at} data-wanted={isWanted(mod) || undefined}>
          {mod}
        </li>
      ))}
      {rest > 0 && <li>{rest} more</li>}
    </ul>
  );
};

const Similar = ({ item }: { readonly item: ListedItem }) => {
  const find = async () => {
    const text = [`Rarity: ${item.rarity}`, item.name, item.base, "--------", ...item.mods];
    const filters = await post<ItemFilters>("filters", { item: text.filter(Boolean).join("\n") });
    changeAddress(similarItems(filters));
  };
  return (
    <p class="buttons">
      {item.title !== itemName(item) && <span class="muted">{item.title} </span>}
      <button type="button" onClick={() => void find()}>
        Find similar
      </button>
    </p>
  );
};
