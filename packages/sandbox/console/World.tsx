/**
 * View of the world as any account: leagues, characters, stashes, streams. Every page has its URL.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useControl } from "./api.ts";
import { AccountSelect, Copy, Problem } from "./ui.tsx";

type Value = Readonly<Record<string, any>>;

interface View {
  readonly path: string;
  readonly account: string;
}

const addressOf = (path: string, account: string): string =>
  `#/world?${new URLSearchParams({ path, ...(account === "" ? {} : { account }) })}`;

export const viewOf = (query: string): View => {
  const search = new URLSearchParams(query);
  return { path: search.get("path") ?? "/league", account: search.get("account") ?? "" };
};

const STARTS: ReadonlyArray<readonly [string, string]> = [
  ["Leagues", "/league"],
  ["Characters", "/character"],
  ["Stashes", "/stash/Standard"],
  ["Stash stream", "/public-stash-tabs"],
  ["Exchange", "/currency-exchange"],
  ["Matches", "/pvp-match"],
  ["Item filters", "/item-filter"],
];

/** Shows the data API's response to `path` for `account`, with links to related paths. */
export const World = ({ account, path }: View) => {
  const query = new URLSearchParams({ path, ...(account === "" ? {} : { account }) });
  const { problem, value } = useControl<Value>(`/world?${query}`);
  const link: Link = (to, text) => <a href={addressOf(to, account)}>{text}</a>;
  return (
    <>
      <section class="card" aria-label="What to show">
        <Picker path={path} account={account} />
        <nav class="tabs" aria-label="Kinds of objects">
          {STARTS.map(([name, to]) => (
            <a
              key={to}
              href={addressOf(to, account)}
              aria-current={to === path ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      </section>
      <Problem text={problem} />
      {value !== undefined && (
        <>
          <Onward path={path} value={value} link={link} />
          <section class="card" aria-label="Answer">
            <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>
          </section>
        </>
      )}
    </>
  );
};

const Picker = ({ account, path }: View) => {
  const ready = useControl<{ readonly baseUrl: string }>("/ready");
  const [typed, setTyped] = useState<string>();
  const show = (event: Event): void => {
    event.preventDefault();
    location.hash = addressOf(typed ?? path, account);
    setTyped(undefined);
  };
  return (
    <form class="toolbar" onSubmit={show}>
      <AccountSelect
        label="As account"
        none="the first one"
        value={account}
        onChange={(name) => {
          location.hash = addressOf(path, name);
        }}
      />
      <label>
        Path of the data API
        <input
          size={34}
          value={typed ?? path}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button class="primary">Show</button>
      <Copy
        label="Copy as curl"
        text={`curl -H "Authorization: Bearer $TOKEN" '${ready.value?.baseUrl ?? ""}${path}'`}
      />
    </form>
  );
};

type Link = (path: string, text: string) => ComponentChildren;

const encoded = encodeURIComponent;

/** Lists whose records have a path of their own. It ends with the value of this member. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "/league leagues": "id",
  "/character characters": "name",
  "/stash stashes": "id",
  "/guild stashes": "id",
  "/pvp-match matches": "id",
  "/item-filter filters": "id",
};

/** Links to the next page, to ladder and stashes of a league or match, and to listed records. */
const Onward = (props: { readonly path: string; readonly value: Value; readonly link: Link }) => {
  const { link, path, value } = props;
  const [base = ""] = path.split("?");
  const next = value["next_change_id"];
  const [, kind, name = ""] = /^\/(league|pvp-match)\/([^/]+)$/u.exec(base) ?? [];
  const records = Object.entries(value).flatMap(([list, all]) => {
    const member = ADDRESSES[`/${base.split("/")[1]} ${list}`];
    return member === undefined
      ? []
      : (all as ReadonlyArray<Value>).map((one) => ({ one, member }));
  });
  const links: ReadonlyArray<readonly [to: string | false, text: string]> = [
    [typeof next === "string" && `${base}?id=${encoded(next)}`, "Next page"],
    [typeof next === "number" && `${base.replace(/\/\d+$/u, "")}/${next}`, "Next hour"],
    [kind !== undefined && `${base}/ladder`, "Ladder"],
    [kind === "league" && `/stash/${name}`, "Stashes"],
    ...records.map(({ member, one }): [string, string] => [
      `${base}/${encoded(one[member])}`,
      one["name"] || one["filter_name"] || one[member],
    ]),
  ];
  const shown = links.flatMap(([to, text]) => (to === false ? [] : [link(to, text)]));
  return shown.length === 0 ? null : (
    <nav class="card tabs" aria-label="Onward">
      {shown}
    </nav>
  );
};
