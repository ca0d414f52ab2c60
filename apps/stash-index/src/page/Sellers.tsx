/** Sellers: the tabs of one, the items of a tab, and what changed last. */
import { useState } from "preact/hooks";
import type { ListedItem, Tab } from "../web/records.ts";
import { changeAddress, Link, useAddress } from "./address.tsx";
import { useApi, useSuggestions } from "./api.ts";
import { Refusal, Table } from "./components.tsx";
import { ago, money, nameOf } from "./format.ts";

/** Shows sellers and their tabs. */
export const Sellers = () => {
  const parameters = useAddress();
  const seller = parameters.get("seller") ?? "";
  const [typed, setTyped] = useState(seller);
  const names = useSuggestions("sellers", typed);
  const { error, result } = useApi<{ readonly tabs: ReadonlyArray<Tab> }>(
    seller === "" ? undefined : `sellers/${encodeURIComponent(seller)}`,
  );
  return (
    <>
      <section class="card" aria-label="Seller">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            changeAddress({ seller: typed, tab: "" });
          }}
        >
          <label>
            Seller{" "}
            <input
              type="search"
              list="sellers"
              value={typed}
              placeholder="Name#1234"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>{" "}
          <datalist id="sellers">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <button class="primary">Show</button>
        </form>
        <Refusal error={error} />
        {result !== undefined && (
          <>
            <h2>Tabs of {seller}</h2>
            <Tabs tabs={result.tabs} />
          </>
        )}
      </section>
      <TabItems id={parameters.get("tab")} />
    </>
  );
};

const Tabs = ({ tabs }: { readonly tabs: ReadonlyArray<Tab> }) => (
  <Table label="tabs" columns={["Tab", "League", "#Items", "#Changed"]}>
    {tabs.map(({ id, items, league, name, seenAt }) => (
      <tr key={id}>
        <th scope="row">
          <Link to={{ tab: id }}>{name === null || name === "" ? "unnamed" : name}</Link>
        </th>
        <td>{league}</td>
        <td class="number">{items}</td>
        <td class="number">{ago(seenAt)} ago</td>
      </tr>
    ))}
  </Table>
);

const TabItems = ({ id }: { readonly id: string | null }) => {
  const { error, result } = useApi<{
    readonly tab: Tab;
    readonly items: ReadonlyArray<ListedItem>;
  }>(id === null ? undefined : `tabs/${encodeURIComponent(id)}`);
  if (error !== undefined) return <Refusal error={error} />;
  if (result === undefined) return null;
  return (
    <section class="card" aria-label="Tab">
      <h2>{result.tab.name}</h2>
      {!result.tab.isPublic && <p class="notice notice-warn">The owner has unlisted this tab.</p>}
      <ul class="plain">
        {result.items.map((item) => (
          <li key={item.no}>
            {nameOf(item)}{" "}
            <span class="muted">
              {item.rarity}
              {item.price !== null && `, ${money(item.price.amount, item.price.currency)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
