/**
 * `gamedata exchange`: the hourly history of the currency exchange, on the terminal or into a
 * store.
 */
import { failure } from "@game-data/terminal/Failure";
import { allRealms, realmFlag, switchFlag, textFlag } from "@game-data/terminal/Flags";
import { readHour } from "@game-data/terminal/Input";
import { print } from "@game-data/terminal/Output";
import { gameApi } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Command } from "effect/cli";
import { followCommand, statusCommand } from "./Stream.ts";

const showCommand = Command.make(
  "show",
  {
    realm: realmFlag(allRealms),
    hour: textFlag("hour", "The hour: ISO 8601 or a unix timestamp (default: the last whole one)"),
    first: switchFlag("first", "The first hour of the history"),
    league: textFlag("league", "The markets of one league"),
  },
  Effect.fnUntraced(function* ({ first, hour, league, realm }) {
    if (first && Option.isSome(hour))
      return yield* failure("usage", "Give --first or --hour, not both.");
    const id = first ? undefined : yield* readHour(Option.getOrUndefined(hour));
    const api = yield* gameApi("service:cxapi");
    const page = yield* api.currencyExchange.page(id === undefined ? { realm } : { realm, id });
    const markets = page.markets.filter(
      (market) => Option.isNone(league) || market.league === league.value,
    );
    yield* print({ ...page, markets }, () => Views.markets(id, markets));
  }),
).pipe(Command.withDescription("The markets of one hour"));

/** The command and its subcommands. */
export const exchangeCommand = Command.make("exchange").pipe(
  Command.withDescription("The currency exchange, hour by hour"),
  Command.withSubcommands([
    showCommand,
    followCommand("exchange", allRealms),
    statusCommand("exchange", allRealms),
  ]),
  connected,
);
