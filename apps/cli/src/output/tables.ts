/**
 * Views of the service's records: tables and facts for `print` and `printList` of `Output`.
 *
 * For people only; programs get the record itself. Every function is pure.
 */
import type { FilterOutcome, RouteLimits } from "@game-data/api-client";
import type {
  Character,
  Item,
  ItemFilter,
  League,
  Market,
  PvPLadderTeamEntry,
  PvPMatch,
  StashTab,
} from "@game-data/schemas";
import { Duration } from "effect";
import {
  type Cell,
  clean,
  facts,
  styled,
  table,
  type TableView,
  type View,
} from "@game-data/terminal/View";

/** Makes a list of records, of which `rowOf` gives the cells by the titles of their columns. */
const list =
  <A>(whenEmpty: string, rowOf: (record: A) => Readonly<Record<string, Cell>>) =>
  (all: ReadonlyArray<A>): TableView => {
    const rows = all.map(rowOf);
    return table(Object.keys(rows[0] ?? {}), rows.map(Object.values<Cell>), whenEmpty);
  };

/** Lists characters. */
export const characters = list<Character>(
  "No characters in this realm.",
  ({ level, name, realm, ...of }) => ({ name, class: of.class, level, league: of.league, realm }),
);

/** Shows a character with its equipment. */
export const character = ({ equipment, inventory, jewels, passives, ...of }: Character): View => [
  facts([
    ["name", of.name],
    ["class", of.class],
    ["level", of.level],
    ["experience", of.experience],
    ["league", of.league],
    ["realm", of.realm],
    ["passives", passives?.hashes.length],
    ["jewels", jewels?.length],
    ["inventory", inventory === undefined ? undefined : `${inventory?.length ?? 0} items`],
  ]),
  "",
  equipped(equipment ?? []),
];

const equipped = list<Item>("No equipment.", (item) => ({
  slot: item.inventoryId,
  item: nameOf(item),
  level: item.ilvl,
}));

const nameOf = ({ name, typeLine }: { readonly name: string; readonly typeLine: string }) =>
  [name, typeLine].filter(Boolean).join(", ");

/** Lists the tabs of a stash. */
export const tabs = list<StashTab>("No tabs in this league.", ({ id, name, type, ...tab }) => ({
  id,
  name,
  type,
  parent: tab.parent ?? tab.folder,
  public: tab.metadata.public ? "yes" : "",
}));

/** Lists the items of tabs, one tab below the other. */
export const tabsWithItems = (all: ReadonlyArray<StashTab>): View =>
  all.flatMap((tab, index): ReadonlyArray<View> => [
    `${index === 0 ? "" : "\n"}${clean(tab.name)} (${clean(tab.type)})`,
    itemsInTab(tab.items ?? []),
  ]);

const itemsInTab = list<Item>("Empty.", (item) => ({
  x: item.x,
  y: item.y,
  item: nameOf(item),
  stack: item.stackSize,
  note: item.note,
}));

/** Lists filters, without their text. */
export const filters = list<ItemFilter>("No filters.", ({ id, realm, type, version, ...of }) => ({
  id,
  name: of.filter_name,
  realm,
  type,
  version,
  public: of.public ? "yes" : "",
}));

/** Shows a filter and the result of its validation. */
export const filter = (of: ItemFilter): View =>
  facts([
    ["id", of.id],
    ["name", of.filter_name],
    ["description", of.description || undefined],
    ["realm", of.realm],
    ["type", of.type],
    ["version", of.version],
    ["public", of.public ? "yes" : "no"],
    ["lines", of.filter?.trimEnd().split("\n").length],
    ["valid", verdict(of)],
  ]);

const verdict = ({ validation }: ItemFilter) =>
  validation == null
    ? undefined
    : `${validation.valid ? "yes" : "no"} (version ${validation.version ?? "unknown"}, ${validation.validated ?? "no date"})`;

/** Shows a filter that was written. */
export const filterOutcome = (outcome: FilterOutcome): View =>
  outcome.status !== "accepted"
    ? filter(outcome.filter)
    : [
        filter(outcome.filter),
        styled("yellow", `Accepted, but not processed yet: ${clean(outcome.error.message)}`),
      ];

/** Lists leagues. */
export const leagues = list<League>("No leagues.", (of) => ({
  league: of.id,
  category: of.category?.id,
  begins: dayOf(of.startAt),
  ends: dayOf(of.endAt),
  rules: rulesOf(of),
}));

const dayOf = (time: string | null | undefined) => time?.slice(0, 10);

const rulesOf = ({ rules }: League) => (rules ?? []).map((rule) => rule.name).join(", ");

/** Shows a league. */
export const league = (of: League): View =>
  facts([
    ["league", of.id],
    ["realm", of.realm],
    ["category", of.category?.id],
    ["description", of.description],
    ["goal", of.goal],
    ["begins", of.startAt],
    ["ends", of.endAt],
    ["rules", rulesOf(of) || undefined],
    ["forum", of.url],
  ]);

/** Lists PvP matches. */
export const matches = list<PvPMatch>("No matches.", (of) => ({
  match: of.id,
  style: of.style,
  begins: of.startAt,
  ends: of.endAt,
  state: of.complete ? "complete" : of.inProgress ? "in progress" : "upcoming",
}));

/** Shows a PvP match. */
export const match = (of: PvPMatch): View =>
  facts([
    ["match", of.id],
    ["description", of.description],
    ["style", of.style],
    ["begins", of.startAt],
    ["ends", of.endAt],
    ["ratings", of.glickoRatings ? "Glicko" : "points"],
  ]);

/** Lists the teams on the ladder of a match. */
export const teams = list<PvPLadderTeamEntry>("The ladder is empty.", (team) => ({
  rank: team.rank,
  rating: team.rating,
  points: team.points,
  games: team.games_played,
  members: team.members.map(({ character: of }) => `${of.name} (${of.class})`).join(", "),
}));

/**
 * Lists the markets of an hour of the exchange. `id` is its start in unix seconds; `undefined` is
 * the first hour of the history.
 */
export const markets = (id: number | undefined, all: ReadonlyArray<Market>): View => {
  const hour =
    id === undefined ? "First hour" : `Hour of ${new Date(id * 1000).toISOString().slice(0, 16)}`;
  return [styled("bold", `${hour}, ${all.length} markets`), marketRows(all)];
};

const marketRows = list<Market>("No markets in this hour.", (market) => {
  const currencies = market.market_id.split("|");
  const of = (values: Readonly<Record<string, number>>) =>
    currencies.map((currency) => values[currency] ?? 0).join(" : ");
  return {
    league: market.league,
    market: currencies.join(" / "),
    volume: of(market.volume_traded),
    "ratio from": of(market.lowest_ratio),
    to: of(market.highest_ratio),
  };
});

/**
 * Routes with how long `count` requests would take, and below each the windows of its policy, each
 * with a bar of how much of it is used.
 */
export const limits = (count: number, all: ReadonlyArray<RouteLimits>): View =>
  table(
    ["route and rules", "used", "window", "", `${count} requests in`],
    all.flatMap(rowsOfRoute),
  );

const rowsOfRoute = ({ forecastMillis, limits: known, policy, route, windows }: RouteLimits) => {
  const forecast =
    forecastMillis === 0 ? "no time" : Duration.format(Duration.millis(forecastMillis));
  const head = [route, windows.length === 0 ? known : "", "", "", forecast];
  const rules = windows.map(({ max, periodMillis, rule, used }) => {
    const filled = Math.min(BAR_WIDTH, Math.ceil((used / max) * BAR_WIDTH));
    const bar = "█".repeat(filled) + "·".repeat(BAR_WIDTH - filled);
    const window = Duration.format(Duration.millis(periodMillis));
    return [`  ${rule}, ${policy}`, `${used} of ${max}`, window, bar, ""];
  });
  return [head, ...rules];
};

const BAR_WIDTH = 10;
