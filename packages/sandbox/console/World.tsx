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
          {answerOf({ path, value, link })}
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

interface AnswerProps {
  readonly path: string;
  readonly value: Value;
  readonly link: Link;
}

const encoded = encodeURIComponent;

/** `/stash/console_a/Standard` → `console_a`; none for the realm that is left out. */
const realmIn = (path: string): string =>
  /^\/[\w-]+\/(console_a|console_b|game2)(?:\/|$)/u.exec(path)?.[1] ?? "";

/** A list of objects: its title, its columns, and a row of each. */
type Listing = readonly [
  title: string,
  head: ReadonlyArray<string>,
  rowOf: (one: Value, props: AnswerProps) => ReadonlyArray<ComponentChildren>,
];

const LISTINGS: Readonly<Record<string, Listing>> = {
  leagues: [
    "Leagues",
    ["League", "From", "To", "Show"],
    (league, { link }) => [
      link(`/league/${encoded(league["id"])}`, league["id"]),
      dateOf(league["startAt"]),
      dateOf(league["endAt"]),
      <>
        {link(`/league/${encoded(league["id"])}/ladder`, "ladder")},{" "}
        {link(`/stash/${encoded(league["id"])}`, "stashes")}
      </>,
    ],
  ],
  characters: [
    "Characters",
    ["Name", "Class", "Level", "League"],
    (one, { link, path }) => {
      const realm = realmIn(path) === "" ? "" : `/${realmIn(path)}`;
      const name = link(`/character${realm}/${encoded(one["name"])}`, one["name"]);
      return [name, one["class"], one["level"], one["league"]];
    },
  ],
  stashes: [
    "Stashes",
    ["Name", "Type", "Tabs"],
    (tab, { link, path }) => [
      link(`${path}/${tab["id"]}`, tab["name"]),
      tab["type"],
      tab["children"]?.length ?? "",
    ],
  ],
  entries: [
    "Ladder",
    ["Rank", "Character", "Class", "Level", "Account"],
    ({ account, character, rank }) => [
      rank,
      character?.name,
      character?.class,
      character?.level,
      account?.name,
    ],
  ],
};

const answerOf = (props: AnswerProps): ComponentChildren => {
  const { value } = props;
  if (value["next_change_id"] !== undefined && Array.isArray(value["stashes"]))
    return <StreamPage {...props} />;
  const held = value["character"] ?? value["stash"];
  if (held) return <Items title={held["name"]} value={held} />;
  const lists: Value = { ...value, entries: value["league"]?.entries };
  const [name, listing] = Object.entries(LISTINGS).find(([key]) => Array.isArray(lists[key])) ?? [];
  if (name === undefined || listing === undefined) return null;
  const [title, head, rowOf] = listing;
  return (
    <Card title={title}>
      <Table label={title} head={head} rows={lists[name].map((one: Value) => rowOf(one, props))} />
    </Card>
  );
};

const StreamPage = ({ link, path, value }: AnswerProps) => {
  const base = path.split("?")[0]!;
  return (
    <Card title="Page of the stash stream">
      <p>
        {value["stashes"].length} changes. Next:{" "}
        {link(`${base}?id=${encoded(value["next_change_id"])}`, value["next_change_id"])}
      </p>
      <Table
        label="Changes"
        head={["Account", "Stash", "Type", "League", "Items"]}
        rows={value["stashes"].map((one: Value) => [
          one["accountName"] ?? "",
          one["stash"] ?? <span class="muted">unlisted</span>,
          one["stashType"],
          one["league"] ?? "",
          one["items"]?.length ?? 0,
        ])}
      />
    </Card>
  );
};

const Items = ({ title, value }: { readonly title: string; readonly value: Value }) => {
  const places = ["equipment", "inventory", "jewels", "items", "rucksack"];
  const items = places.flatMap((place) =>
    ((value[place] ?? []) as ReadonlyArray<Value>).map((item) => ({ item, place })),
  );
  return (
    <Card title={title}>
      {items.length === 0 ? (
        <p class="lead">No items.</p>
      ) : (
        <Table
          label={`Items of ${title}`}
          head={["Item", "Base", "Level", "Where", "Price"]}
          rows={items.map(({ item, place }) => [
            item["name"] || item["typeLine"],
            item["baseType"] ?? item["typeLine"],
            item["ilvl"] ?? "",
            item["inventoryId"] ?? place,
            item["note"] ?? "",
          ])}
        />
      )}
    </Card>
  );
};

const dateOf = (iso: unknown): string => (typeof iso === "string" ? iso.slice(0, 10) : "");
