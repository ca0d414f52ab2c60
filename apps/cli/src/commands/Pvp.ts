/**
 * `gamedata pvp`: PvP matches and their ladders.
 */
import { failure } from "@game-data/terminal/Failure";
import { gameOneRealms, realmFlag, textFlag } from "../config/flags.ts";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const realm = realmFlag(gameOneRealms);
const match = Argument.String("match").pipe(Argument.withDescription("Name of the match"));

const listCommand = Command.make(
  "list",
  {
    realm,
    season: textFlag("season", "Matches of this season (default: upcoming matches)"),
    league: textFlag("league", "Matches of this league"),
  },
  Effect.fnUntraced(function* ({ league, realm: where, season }) {
    if (Option.isSome(season) && Option.isSome(league))
      return yield* failure("usage", "Use --season or --league, not both.");
    const { pvpMatches } = yield* gameApi("pvpMatches.list");
    const which = Option.isSome(season)
      ? ({ type: "season", season: season.value } as const)
      : Option.isSome(league)
        ? ({ type: "league", league: league.value } as const)
        : {};
    yield* printList(yield* pvpMatches.list({ realm: where, ...which }), tables.matches);
  }),
).pipe(
  Command.withDescription("List upcoming matches, or those of a season or a league."),
  Command.withShortDescription("List matches"),
  Command.withExamples([{ command: "gamedata pvp list", description: "Upcoming matches" }]),
);

const getCommand = Command.make(
  "get",
  { match, realm },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("pvpMatches.get");
    const found = yield* pvpMatches.get(which);
    yield* print(
      yield* orNotFound(found, `match "${which.match}"`, "gamedata pvp list"),
      tables.match,
    );
  }),
).pipe(
  Command.withDescription("Show a match."),
  Command.withShortDescription("Show a match"),
  Command.withExamples([{ command: 'gamedata pvp get "Some Cup"', description: "One match" }]),
);

const ladderCommand = Command.make(
  "ladder",
  {
    match,
    realm,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Ranks to show, at most 200 (default: 20)"),
      Flag.withDefault(20),
    ),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Ranks to skip (default: 0)"),
      Flag.withDefault(0),
    ),
  },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("pvpMatches.ladder");
    const found = yield* pvpMatches.ladder(which);
    const { entries } = yield* orNotFound(found, `match "${which.match}"`, "gamedata pvp list");
    yield* printList(entries, tables.teams);
  }),
).pipe(
  Command.withDescription("Show the ladder of a match."),
  Command.withShortDescription("Show the ladder of a match"),
  Command.withExamples([
    { command: 'gamedata pvp ladder "Some Cup" --limit 50', description: "The first 50 teams" },
  ]),
);

/** The command and its subcommands. */
export const pvpCommand = Command.make("pvp").pipe(
  Command.withDescription("Show PvP matches and their ladders"),
  Command.withSubcommands([listCommand, getCommand, ladderCommand]),
  connected,
);
