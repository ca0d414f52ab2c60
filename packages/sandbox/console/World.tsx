/**
 * The world: leagues, characters, stashes, the stream, as any account; every view has its address.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useControl } from "./api.ts";
import { AccountSelect, Card, Copy, Problem, Table } from "./ui.tsx";

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

/** Shows the world browser. */
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
          {listsOf(value).map(([name, list]) => (
            <List key={name} name={name} list={list} path={path} link={link} />
          ))}
          <details class="card">
            <summary>The whole answer as JSON</summary>
            <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>
          </details>
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

/** Links to the next page, or to what belongs to one league or match. */
const Onward = (props: { readonly path: string; readonly value: Value; readonly link: Link }) => {
  const { link, path, value } = props;
  const [base = ""] = path.split("?");
  const next = value["next_change_id"];
  const [, kind, name = ""] = /^\/(league|pvp-match)\/([^/]+)$/u.exec(base) ?? [];
  const links: ReadonlyArray<readonly [to: string | false, text: string]> = [
    [typeof next === "string" && `${base}?id=${encoded(next)}`, "Next page"],
    [typeof next === "number" && `${base.replace(/\/\d+$/u, "")}/${next}`, "Next hour"],
    [kind !== undefined && `${base}/ladder`, "Ladder"],
    [kind === "league" && `/stash/${name}`, "Stashes"],
  ];
  const shown = links.flatMap(([to, text]) => (to === false ? [] : [link(to, text)]));
  return shown.length === 0 ? null : (
    <nav class="card tabs" aria-label="Onward">
      {shown}
    </nav>
  );
};

/** The lists of records in an answer, and in the record that it holds. */
const listsOf = (
  value: Value,
): ReadonlyArray<readonly [name: string, list: ReadonlyArray<Value>]> =>
  Object.entries(value).flatMap(([name, member]) => {
    if (Array.isArray(member)) return typeof member[0] === "object" ? [[name, member]] : [];
    return typeof member === "object" && member !== null ? listsOf(member as Value) : [];
  });

/** Columns in the order of their importance. A dotted name is a member of a member. */
const COLUMNS = `
  rank filter_name name accountName stash typeLine character.name private_league.name market_id
  class character.class level character.level account.name stashType type baseType league ilvl note
  startAt endAt style realm rating time children items id
`
  .trim()
  .split(/\s+/u);
const MAX_COLUMNS = 6;

const cellOf = (record: Value, column: string): string | number | undefined => {
  const value = column.split(".").reduce<any>((one, name) => one?.[name], record);
  if (Array.isArray(value)) return value.length;
  if (/^\d{4}-\d\d-\d\dT/u.test(value)) return value.slice(0, 16).replace("T", " ");
  return value === "" || typeof value === "object" ? undefined : value;
};

/** Lists whose records have an address: the member that it ends with. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "/league leagues": "id",
  "/character characters": "name",
  "/stash stashes": "id",
  "/guild stashes": "id",
  "/pvp-match matches": "id",
  "/item-filter filters": "id",
};

/** A list as a table of its columns; the first cell leads to the record. */
const List = (props: {
  readonly name: string;
  readonly list: ReadonlyArray<Value>;
  readonly path: string;
  readonly link: Link;
}) => {
  const { link, list, name, path } = props;
  const [base = ""] = path.split("?");
  const member = ADDRESSES[`/${base.split("/")[1]} ${name}`];
  const columns = COLUMNS.filter((column) =>
    list.some((record) => cellOf(record, column) !== undefined),
  ).slice(0, MAX_COLUMNS);
  const rows = list.map((record) => {
    const [first, ...cells] = columns.map((column) => cellOf(record, column) ?? "");
    if (member === undefined) return [first, ...cells];
    const id = String(record[member]);
    return [link(`${base}/${encoded(id)}`, String(first || id)), ...cells];
  });
  return (
    <Card title={`${name} (${list.length})`}>
      <Table label={name} head={columns} rows={rows} />
    </Card>
  );
};
