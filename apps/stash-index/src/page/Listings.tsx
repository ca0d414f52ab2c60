/** The table of listings. A row shows the first mods, and all mods after it is opened. */
import type { ListedItem } from "../web/records.ts";
import { Link } from "./address.tsx";
import { Table } from "./components.tsx";
import { checkSimilar } from "./FilterForm.tsx";
import { ago, figure, itemName, money } from "./format.ts";

interface ListingsProps {
  readonly items: ReadonlyArray<ListedItem>;
  readonly currency: string;
}

export const Listings = ({ currency, items }: ListingsProps) => (
  <Table label="listings" class="listings" columns={["Item", "#Price", "Seller", "#Listed"]}>
    {items.map((item) => (
      <tr key={item.no} data-ended={item.ended} data-item={item.no}>
        <th scope="row">
          <ItemDetails item={item} />
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

const ItemDetails = ({ item }: { readonly item: ListedItem }) => {
  // Writes the item in the text format of the game, which the API can read.
  const text = [`Rarity: ${item.rarity}`, item.name, item.base, "--------", ...item.mods];
  return (
    <>
      {item.ended !== null && <span class="badge badge-warn">{item.ended}</span>}
      <details>
        <summary class="item">{itemName(item)}</summary>
        <Lines lines={[item.title, ...item.mods]} />
        <button type="button" onClick={() => void checkSimilar(text.filter(Boolean).join("\n"))}>
          Find similar
        </button>
      </details>
      <Lines class="few" lines={[shape(item), ...item.mods.slice(0, 3)]} />
    </>
  );
};

const Lines = ({ lines, ...list }: { readonly lines: ReadonlyArray<string>; class?: string }) => (
  <ul class={`bare shape muted ${list.class ?? ""}`}>
    {lines.map((line, at) => (
      <li key={at}>{line}</li>
    ))}
  </ul>
);

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
