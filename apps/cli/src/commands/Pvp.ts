/**
 * `gamedata pvp`: PvP matches and their ladders.
 */
import { command, commands, help } from "./command.ts";
import { failure } from "@game-data/terminal/Failure";
import { gameOneRealms, realmFlag } from "../config/flags.ts";
import { textFlag, argument, numberFlag } from "@game-data/terminal/flags";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";

const realm = realmFlag(gameOneRealms);
const match = argument("match", "Name of the match");

const listCommand = command(
  "list",
  help("List upcoming matches, or those of a season or a league.", {
    "gamedata pvp list": "Upcoming matches",
  }),
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
);

const getCommand = command(
  "get",
  help("Show a match.", { 'gamedata pvp get "Some Cup"': "One match" }),
  { match, realm },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("pvpMatches.get");
    const found = yield* pvpMatches.get(which);
    yield* print(
      yield* orNotFound(found, `match "${which.match}"`, "gamedata pvp list"),
      tables.match,
    );
  }),
);

const ladderCommand = command(
  "ladder",
  help("Show the ladder of a match.", {
    'gamedata pvp ladder "Some Cup" --limit 50': "The first 50 teams",
  }),
  {
    match,
    realm,
    limit: numberFlag("limit", "Ranks to show, at most 200 (default: 20)", 20),
    offset: numberFlag("offset", "Ranks to skip (default: 0)", 0),
  },
  Effect.fnUntraced(function* (which) {
    const { pvpMatches } = yield* gameApi("pvpMatches.ladder");
    const found = yield* pvpMatches.ladder(which);
    const { entries } = yield* orNotFound(found, `match "${which.match}"`, "gamedata pvp list");
    yield* printList(entries, tables.teams);
  }),
);

/** The command and its subcommands. */
export const pvpCommand = commands("pvp", "Show PvP matches and their ladders", [
  listCommand,
  getCommand,
  ladderCommand,
]).pipe(connected);
