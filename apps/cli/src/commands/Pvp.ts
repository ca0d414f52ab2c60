/**
 * `gamedata pvp`: PvP matches and their ladders.
 */
import { failure } from "@game-data/terminal/Failure";
import { gameOneRealms, realmFlag, textFlag } from "@game-data/terminal/Flags";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, present } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const realm = realmFlag(gameOneRealms);
const match = Argument.String("match").pipe(Argument.withDescription("Name of the match"));

const listCommand = Command.make(
  "list",
  {
    realm,
    season: textFlag("season", "The matches of a season (default: the upcoming ones)"),
    league: textFlag("league", "The matches of a league"),
  },
  Effect.fnUntraced(function* ({ league, realm: where, season }) {
    if (Option.isSome(season) && Option.isSome(league))
      return yield* failure("usage", "Give --season or --league, not both.");
    const { pvpMatches } = yield* gameApi("service:pvp_matches");
    const which = Option.isSome(season)
      ? ({ type: "season", season: season.value } as const)
      : Option.isSome(league)
        ? ({ type: "league", league: league.value } as const)
        : {};
    yield* printList(yield* pvpMatches.list({ realm: where, ...which }), Views.matches);
  }),
).pipe(Command.withDescription("Upcoming matches, or those of a season or a league"));

const getCommand = Command.make(
  "get",
  { match, realm },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("service:pvp_matches");
    const found = yield* pvpMatches.get(which);
    yield* print(yield* present(found, `match "${which.match}"`, "gamedata pvp list"), Views.match);
  }),
).pipe(Command.withDescription("One match"));

const ladderCommand = Command.make(
  "ladder",
  {
    match,
    realm,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Ranks to show, 200 at most"),
      Flag.withDefault(20),
    ),
    offset: Flag.Int("offset").pipe(Flag.withDefault(0)),
  },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("service:pvp_matches:ladder");
    const found = yield* pvpMatches.ladder(which);
    const { entries } = yield* present(found, `match "${which.match}"`, "gamedata pvp list");
    yield* printList(entries, Views.teams);
  }),
).pipe(Command.withDescription("The ladder of a match"));

/** The command and its subcommands. */
export const pvpCommand = Command.make("pvp").pipe(
  Command.withDescription("PvP matches and their ladders"),
  Command.withSubcommands([listCommand, getCommand, ladderCommand]),
  connected,
);
