/**
 * `gamedata exchange`: the hourly history of the currency exchange.
 */
import { command, commands, help } from "./command.ts";
import { failure } from "@game-data/terminal/Failure";
import { allRealms, realmFlag } from "../config/flags.ts";
import { switchFlag, textFlag } from "@game-data/terminal/flags";
import { readHour } from "@game-data/terminal/Input";
import { print } from "@game-data/terminal/Output";
import { gameApi } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";
import { followCommand, statusCommand } from "./Stream.ts";
import { pruneCommand, quarantineCommand, verifyCommand } from "./StreamStore.ts";

const showCommand = command(
  "show",
  help("Show the markets of one hour: volumes and ratios of each pair.", {
    "gamedata exchange show --league Standard": "The last hour",
    "gamedata exchange show --hour 2026-11-20T12:00Z": "One hour",
  }),
  {
    realm: realmFlag(allRealms),
    hour: textFlag("hour", "ISO 8601 hour or unix timestamp (default: the last complete hour)"),
    first: switchFlag("first", "Show the first hour of the history"),
    league: textFlag("league", "Only the markets of this league"),
  },
  Effect.fnUntraced(function* ({ first, hour, league, realm }) {
    if (first && Option.isSome(hour))
      return yield* failure("usage", "Use --first or --hour, not both.");
    const id = first ? undefined : yield* readHour(Option.getOrUndefined(hour));
    const api = yield* gameApi("currencyExchange.page");
    const page = yield* api.currencyExchange.page(id === undefined ? { realm } : { realm, id });
    const markets = page.markets.filter(
      (market) => Option.isNone(league) || market.league === league.value,
    );
    yield* print({ ...page, markets }, () => tables.markets(id, markets));
  }),
);

const exchange = { source: "exchange", realms: allRealms, group: "exchange" } as const;

/** The command and its subcommands. */
export const exchangeCommand = commands(
  "exchange",
  "Show and follow the hourly history of the currency exchange",
  [
    showCommand,
    followCommand(exchange),
    statusCommand(exchange),
    quarantineCommand(exchange),
    pruneCommand(exchange),
    verifyCommand(exchange),
  ],
).pipe(connected);
