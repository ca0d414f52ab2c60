/**
 * Views of the service's records: tables and facts for `print` and `printList` of `Output`.
 *
 * For people only; programs get the record itself. Every function is pure.
 */
import type { FilterOutcome, RouteLimits } from "@game-data/api-client";
import type {
  Character,
  ItemFilter,
  League,
  Market,
  PvPLadderTeamEntry,
  PvPMatch,
  StashTab,
} from "@game-data/schemas";
import { Duration } from "effect";
import { facts, styled, table, type View, clean } from "@game-data/terminal/View";

/** Lists characters. */
export const characters = (all: ReadonlyArray<Character>): View =>
  table(
    ["name", "class", "level", "league", "realm"],
    all.map((each) => [each.name, each.class, each.level, each.league, each.realm]),
    "No characters in this realm.",
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
  table(
    ["slot", "item", "level"],
    (equipment ?? []).map((item) => [item.inventoryId, nameOf(item), item.ilvl]),
    "No equipment.",
  ),
];

const nameOf = ({ name, typeLine }: { readonly name: string; readonly typeLine: string }) =>
  [name, typeLine].filter(Boolean).join(", ");

/** Lists the tabs of a stash. */
export const tabs = (all: ReadonlyArray<StashTab>): View =>
  table(
    ["id", "name", "type", "parent", "public"],
    all.map((tab) => [
      tab.id,
      tab.name,
      tab.type,
      tab.parent ?? tab.folder,
      tab.metadata.public ? "yes" : "",
    ]),
    "No tabs in this league.",
  );

/** Lists the items of tabs, one tab below the other. */
export const tabsWithItems = (all: ReadonlyArray<StashTab>): View =>
  all.flatMap((tab, index): ReadonlyArray<View> => [
    `${index === 0 ? "" : "\n"}${clean(tab.name)} (${clean(tab.type)})`,
    table(
      ["x", "y", "item", "stack", "note"],
      (tab.items ?? []).map((item) => [item.x, item.y, nameOf(item), item.stackSize, item.note]),
      "Empty.",
    ),
  ]);

/** Lists filters, without their text. */
export const filters = (all: ReadonlyArray<ItemFilter>): View =>
  table(
    ["id", "name", "realm", "type", "version", "public"],
    all.map((each) => [
      each.id,
      each.filter_name,
      each.realm,
      each.type,
      each.version,
      each.public ? "yes" : "",
    ]),
    "No filters.",
  );

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
export const leagues = (all: ReadonlyArray<League>): View =>
  table(
    ["league", "category", "begins", "ends", "rules"],
    all.map((league) => [
      league.id,
      league.category?.id,
      dayOf(league.startAt),
      dayOf(league.endAt),
      rulesOf(league),
    ]),
    "No leagues.",
  );

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
export const matches = (all: ReadonlyArray<PvPMatch>): View =>
  table(
    ["match", "style", "begins", "ends", "state"],
    all.map((each) => [
      each.id,
      each.style,
      each.startAt,
      each.endAt,
      each.complete ? "complete" : each.inProgress ? "in progress" : "upcoming",
    ]),
    "No matches.",
  );

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
export const teams = (all: ReadonlyArray<PvPLadderTeamEntry>): View =>
  table(
    ["rank", "rating", "points", "games", "members"],
    all.map((team) => [
      team.rank,
      team.rating,
      team.points,
      team.games_played,
      team.members.map(({ character: of }) => `${of.name} (${of.class})`).join(", "),
    ]),
    "The ladder is empty.",
  );

/**
 * Lists the markets of an hour of the exchange. `id` is its start in unix seconds; `undefined` is
 * the first hour of the history.
 */
export const markets = (id: number | undefined, all: ReadonlyArray<Market>): View => {
  const hour =
    id === undefined ? "First hour" : `Hour of ${new Date(id * 1000).toISOString().slice(0, 16)}`;
  return [
    styled("bold", `${hour}, ${all.length} markets`),
    table(
      ["league", "market", "volume", "ratio from", "to"],
      all.map(rowOfMarket),
      "No markets in this hour.",
    ),
  ];
};

const rowOfMarket = (market: Market) => {
  const currencies = market.market_id.split("|");
  const of = (values: Readonly<Record<string, number>>) =>
    currencies.map((currency) => values[currency] ?? 0).join(" : ");
  return [
    market.league,
    currencies.join(" / "),
    of(market.volume_traded),
    of(market.lowest_ratio),
    of(market.highest_ratio),
  ];
};

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
