/**
 * `gamedata leagues`: the leagues of the game or of the account.
 */
import { command, help } from "./command.ts";
import { routes } from "@game-data/contract/routes";
import { allRealms, realmFlag } from "../config/flags.ts";
import {
  omitUndefined,
  switchFlag,
  textFlag,
  optionalArgument,
  choiceFlag,
} from "@game-data/terminal/flags";
import { failure } from "@game-data/terminal/Failure";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Flag } from "effect/cli";

/** `gamedata leagues`. */
export const leaguesCommand = command(
  "leagues",
  help("List the leagues of the game or of the account, or show one.", {
    "gamedata leagues": "All main leagues of realm pc",
    "gamedata leagues --mine": "The account's leagues",
    "gamedata leagues Standard": "One league",
  }),
  {
    name: optionalArgument("name", "Name of a league (default: list all)"),
    realm: realmFlag(allRealms),
    type: choiceFlag("type", routes["leagues.list"].query.type, "Kind of leagues to list"),
    season: textFlag("season", "Season to list, with --type season"),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Leagues to skip; the service lists at most 50"),
      Flag.optional,
    ),
    mine: switchFlag("mine", "List the account's current leagues, with private ones"),
  },
  Effect.fnUntraced(function* ({ mine, name, realm, ...query }) {
    if (mine) {
      if (realm === "game2")
        return yield* failure("usage", "--mine supports the realms of game 1 only.");
      const { accountLeagues } = yield* gameApi("accountLeagues.list");
      return yield* printList(yield* accountLeagues.list({ realm }), tables.leagues);
    }
    const { leagues } = yield* gameApi("leagues.list", "leagues.get");
    if (Option.isNone(name))
      return yield* printList(
        yield* leagues.list({ realm, ...omitUndefined(query) }),
        tables.leagues,
      );
    const found = yield* leagues.get({ realm, league: name.value });
    const what = `league "${name.value}"`;
    yield* print(yield* orNotFound(found, what, "gamedata leagues"), tables.league);
  }),
).pipe(connected);
