/**
 * `gamedata pvp`: PvP matches and their ladders.
 */
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { gameOneRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi, present } from "@game-data/cli-kit/Service";
import { facts, print, printList, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

const realm = realmFlag(gameOneRealms);
const match = Argument.String("match").pipe(Argument.withDescription("Name of the match"));

const listCommand = Command.make(
  "list",
  {
    realm,
    season: Flag.String("season").pipe(
      Flag.withDescription("The matches of a season (default: the upcoming ones)"),
      Flag.optional,
    ),
    league: Flag.String("league").pipe(
      Flag.withDescription("The matches of a league"),
      Flag.optional,
    ),
  },
  Effect.fnUntraced(function* ({ league, realm: where, season }) {
    const api = yield* gameApi("service:pvp_matches");
    const which = Option.isSome(season)
      ? ({ type: "season", season: season.value } as const)
      : Option.isSome(league)
        ? ({ type: "league", league: league.value } as const)
        : {};
    yield* printList(yield* api.pvpMatches.list({ realm: where, ...which }), (matches) =>
      table(
        ["match", "style", "begins", "ends", "state"],
        matches.map((each) => [
          each.id,
          each.style,
          each.startAt,
          each.endAt,
          each.complete ? "complete" : each.inProgress ? "in progress" : "upcoming",
        ]),
        "No matches.",
      ),
    );
  }),
).pipe(Command.withDescription("Upcoming matches, or those of a season or a league"));

const getCommand = Command.make(
  "get",
  { match, realm },
  Effect.fnUntraced(function* ({ match: of, realm: where }) {
    const api = yield* gameApi("service:pvp_matches");
    const found = yield* api.pvpMatches.get({ realm: where, match: of });
    yield* print(yield* present(found, `match "${of}"`, "gamedata pvp list"), (each) =>
      facts([
        ["match", each.id],
        ["description", each.description],
        ["style", each.style],
        ["begins", each.startAt],
        ["ends", each.endAt],
        ["ratings", each.glickoRatings ? "Glicko" : "points"],
      ]),
    );
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
  Effect.fnUntraced(function* ({ limit, match: of, offset, realm: where }) {
    const api = yield* gameApi("service:pvp_matches:ladder");
    const found = yield* api.pvpMatches.ladder({ realm: where, match: of, limit, offset });
    const { entries } = yield* present(found, `match "${of}"`, "gamedata pvp list");
    yield* printList(entries, (teams) =>
      table(
        ["rank", "rating", "points", "games", "members"],
        teams.map((team) => [
          team.rank,
          team.rating,
          team.points,
          team.games_played,
          team.members.map(({ character }) => `${character.name} (${character.class})`).join(", "),
        ]),
        "Nobody is on this ladder.",
      ),
    );
  }),
).pipe(Command.withDescription("The ladder of a match"));

/** The command and its subcommands. */
export const pvpCommand = Command.make("pvp").pipe(
  Command.withDescription("PvP matches and their ladders"),
  Command.withSubcommands([listCommand, getCommand, ladderCommand]),
  connected,
);
