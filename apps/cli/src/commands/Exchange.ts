/**
 * `gamedata exchange`: the hourly history of the currency exchange, on the terminal or into a store.
 */
import type { Market } from "@game-data/schemas";
import { Clock, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { allRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi } from "@game-data/cli-kit/Service";
import { failure } from "@game-data/cli-kit/Failure";
import { line, print, styled, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";
import { storeFlag, untilCaughtUpFlag } from "./Stream.ts";

const realm = realmFlag(allRealms);
const HOUR = 3600;

const followCommand = Command.make(
  "follow",
  { realm, store: storeFlag, untilCaughtUp: untilCaughtUpFlag },
  Effect.fnUntraced(function* ({ realm: of, store, untilCaughtUp }) {
    const { follow } = yield* Effect.promise(() => import("../Follow.ts"));
    yield* follow({ key: { source: "exchange", realm: of }, store, untilCaughtUp });
  }),
).pipe(Command.withDescription("Follow the history into a store; goes on where the store stands"));

const statusCommand = Command.make(
  "status",
  { realm, store: storeFlag },
  Effect.fnUntraced(function* ({ realm: of, store }) {
    const { statusOf } = yield* Effect.promise(() => import("../Follow.ts"));
    const status = yield* statusOf({ source: "exchange", realm: of }, store);
    yield* line(JSON.stringify(status, undefined, process.stdout.isTTY ? 2 : undefined));
  }),
).pipe(Command.withDescription("How far a store has come, as JSON"));

const showCommand = Command.make(
  "show",
  {
    realm,
    hour: Flag.String("hour").pipe(
      Flag.withDescription("The hour: ISO 8601 or a unix timestamp (default: the last whole one)"),
      Flag.optional,
    ),
    first: Flag.Boolean("first").pipe(
      Flag.withDescription("The first hour of the history"),
      Flag.withDefault(false),
    ),
    league: Flag.String("league").pipe(
      Flag.withDescription("The markets of one league"),
      Flag.optional,
    ),
  },
  Effect.fnUntraced(function* ({ first, hour, league, realm: of }) {
    const id = first ? undefined : yield* hourOf(hour);
    const api = yield* gameApi("service:cxapi");
    const page = yield* api.currencyExchange.page(
      id === undefined ? { realm: of } : { realm: of, id },
    );
    const markets = page.markets.filter(
      (market) => Option.isNone(league) || market.league === league.value,
    );
    yield* print({ ...page, markets }, () =>
      [
        styled("bold", `Hour of ${title(id)}, ${markets.length} markets`),
        table(
          ["league", "market", "volume", "ratio from", "to"],
          markets.map(rowOf),
          "No markets in this hour.",
        ),
      ].join("\n"),
    );
  }),
).pipe(Command.withDescription("The markets of one hour"));

const hourOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isNone(given)) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    return now - (now % HOUR) - HOUR;
  }
  const text = given.value;
  const seconds = /^\d+$/u.test(text) ? Number(text) : Date.parse(text) / 1000;
  if (Number.isNaN(seconds)) return yield* failure("usage", `--hour ${text} is no time.`);
  return seconds - (seconds % HOUR);
});

const title = (id: number | undefined) =>
  id === undefined ? "the beginning" : new Date(id * 1000).toISOString().slice(0, 16);

const rowOf = (market: Market) => {
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

/** The command and its subcommands. */
export const exchangeCommand = Command.make("exchange").pipe(
  Command.withDescription("The currency exchange, hour by hour"),
  Command.withSubcommands([showCommand, followCommand, statusCommand]),
  connected,
);
