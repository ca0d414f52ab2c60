/** Sellers: the tabs of one, the items of a tab, and what changed last. */
import { useState } from "preact/hooks";
import type { ListedItem, Tab } from "../web/records.ts";
import { changeAddress, follow, hrefOf, useAddress } from "./address.ts";
import { useApi } from "./api.ts";
import { ago, money, nameOf } from "./format.ts";

/** Shows sellers and their tabs. */
export const Sellers = () => {
  const { parameters } = useAddress();
  const seller = parameters.get("seller") ?? "";
  const [typed, setTyped] = useState(seller);
  const names = useApi<{ readonly suggestions: ReadonlyArray<string> }>(
    typed === "" ? undefined : `suggest?what=sellers&q=${encodeURIComponent(typed)}`,
  ).result;
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
            {names?.suggestions.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <button class="primary">Show</button>
        </form>
        {error !== undefined && <p role="alert">{error.message}</p>}
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
  <div class="scroll" tabindex={0} role="region" aria-label="Table of tabs">
    <table>
      <thead>
        <tr>
          <th scope="col">Tab</th>
          <th scope="col">League</th>
          <th scope="col" class="number">
            Items
          </th>
          <th scope="col" class="number">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {tabs.map(({ id, items, league, name, seenAt }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf({ tab: id })} onClick={follow({ tab: id })}>
                {name === null || name === "" ? "unnamed" : name}
              </a>
            </th>
            <td>{league}</td>
            <td class="number">{items}</td>
            <td class="number">{ago(seenAt)} ago</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const TabItems = ({ id }: { readonly id: string | null }) => {
  const { error, result } = useApi<{
    readonly tab: Tab;
    readonly items: ReadonlyArray<ListedItem>;
  }>(id === null ? undefined : `tabs/${encodeURIComponent(id)}`);
  if (error !== undefined) return <p role="alert">{error.message}</p>;
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
