/**
 * `gamedata leagues`: the leagues of the game, or those of the account.
 */
import type { League } from "@game-data/schemas";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { allRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi, present } from "@game-data/cli-kit/Service";
import { failure } from "@game-data/cli-kit/Failure";
import { facts, print, printList, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

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
    season: Flag.String("season").pipe(
      Flag.withDescription("The season, with --type season"),
      Flag.optional,
    ),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Leave out so many; the service lists 50 at most"),
      Flag.optional,
    ),
    mine: Flag.Boolean("mine").pipe(
      Flag.withDescription("The account's current leagues, private ones included"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ mine, name, realm, ...query }) {
    if (mine) {
      if (realm === "game2") return yield* failure("usage", "--mine knows realms of game 1 only.");
      const api = yield* gameApi("account:leagues");
      return yield* printList(yield* api.accountLeagues.list({ realm }), listed);
    }
    const api = yield* gameApi("service:leagues");
    if (Option.isSome(name)) {
      const league = yield* api.leagues.get({ realm, league: name.value });
      return yield* print(
        yield* present(league, `league "${name.value}"`, "gamedata leagues"),
        described,
      );
    }
    const given = {
      ...Option.match(query.type, { onNone: () => ({}), onSome: (type) => ({ type }) }),
      ...Option.match(query.season, { onNone: () => ({}), onSome: (season) => ({ season }) }),
      ...Option.match(query.offset, { onNone: () => ({}), onSome: (offset) => ({ offset }) }),
    };
    yield* printList(yield* api.leagues.list({ realm, ...given }), listed);
  }),
).pipe(
  Command.withDescription("The leagues of the game or of the account, or one of them"),
  connected,
);

const listed = (leagues: ReadonlyArray<League>): string =>
  table(
    ["league", "category", "begins", "ends", "rules"],
    leagues.map((league) => [
      league.id,
      league.category?.id,
      day(league.startAt),
      day(league.endAt),
      (league.rules ?? []).map((rule) => rule.name).join(", "),
    ]),
    "No leagues.",
  );

const day = (time: string | null | undefined) => time?.slice(0, 10);

const described = (league: League): string =>
  facts([
    ["league", league.id],
    ["realm", league.realm],
    ["category", league.category?.id],
    ["description", league.description],
    ["goal", league.goal],
    ["begins", league.startAt],
    ["ends", league.endAt],
    ["rules", (league.rules ?? []).map((rule) => rule.name).join(", ") || undefined],
    ["forum", league.url],
  ]);
