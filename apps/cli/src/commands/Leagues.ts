/**
 * `gamedata leagues`: the leagues of the game, or those of the account.
 */
import { allRealms, given, realmFlag, switchFlag, textFlag } from "@game-data/terminal/Flags";
import { failure } from "@game-data/terminal/Failure";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, present } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";

/** The command. */
export const leaguesCommand = Command.make(
  "leagues",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("One league (default: the list)"),
      Argument.optional,
    ),
    realm: realmFlag(allRealms),
    type: Flag.Literals("type", ["main", "event", "season"]).pipe(
      Flag.withDescription("Permanent and challenge leagues, events, or those of a season"),
      Flag.optional,
    ),
    season: textFlag("season", "The season, with --type season"),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Leave out so many; the service lists 50 at most"),
      Flag.optional,
    ),
    mine: switchFlag("mine", "The account's current leagues, private ones included"),
  },
  Effect.fnUntraced(function* ({ mine, name, realm, ...query }) {
    if (mine) {
      if (realm === "game2") return yield* failure("usage", "--mine knows realms of game 1 only.");
      const { accountLeagues } = yield* gameApi("account:leagues");
      return yield* printList(yield* accountLeagues.list({ realm }), Views.leagues);
    }
    const { leagues } = yield* gameApi("service:leagues");
    if (Option.isNone(name))
      return yield* printList(yield* leagues.list({ realm, ...given(query) }), Views.leagues);
    const found = yield* leagues.get({ realm, league: name.value });
    const what = `league "${name.value}"`;
    yield* print(yield* present(found, what, "gamedata leagues"), Views.league);
  }),
).pipe(
  Command.withDescription("The leagues of the game or of the account, or one of them"),
  connected,
);
