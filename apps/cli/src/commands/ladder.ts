/** `gamedata ladder export`: the ranks of a league as a file. */
import type { GameApiError } from "@game-data/api-client";
import { routes } from "@game-data/contract/routes";
import type { EventLadderEntry, LadderEntry } from "@game-data/schemas";
import { csvLine } from "@game-data/stream-follower/csv";
import { Effect, Stream } from "effect";
import {
  argument,
  choiceFlag,
  command,
  countFlag,
  given,
  group,
  load,
  switchFlag,
} from "../command.ts";
import { connected } from "../config.ts";
import { Failure, usage } from "../failures.ts";
import { outFlag, writeOutput } from "../output.ts";
import { makeProgress } from "../print.ts";

type Rank = LadderEntry | EventLadderEntry;

const { query } = routes["leagues.ladder"];

const exportRanks = command(
  "export",
  [
    "Export the ranks of a league, page by page: as CSV, JSON or NDJSON, by the name of the file.",
    "gamedata ladder export Standard --out ranks.csv",
    "gamedata ladder export Standard --limit 100 --format csv",
  ],
  {
    league: argument("league", "Name of the league"),
    realm: choiceFlag("realm", query.realm, "Realm (default: pc)"),
    sort: choiceFlag("sort", query.sort, "Order of the ranks (default: the league's)"),
    class: choiceFlag("class", query.class, "Only characters of this class"),
    event: switchFlag("event", "The event's ladder of private leagues"),
    limit: countFlag("limit", "Ranks to export (default: all)"),
    out: outFlag,
    format: choiceFlag(
      "format",
      ["csv", "json", "ndjson"],
      "Format (default: by the end of the file's name, or ndjson)",
    ),
    raw: switchFlag("raw", "Leave texts in CSV as they are, formulas included: for programs"),
  },
  Effect.fnUntraced(function* ({ event, format, league, limit, out, raw, ...flags }) {
    const kind = format ?? /\.(csv|json|ndjson)$/u.exec(out)?.[1];
    if (kind === undefined && out !== "-")
      return yield* usage(
        `Unknown file format: ${out}.`,
        "use a name that ends in .csv, .json or .ndjson, or add --format",
      );
    const { realm, ...order } = given(flags);
    const where = { league, ...(realm !== undefined && { realm }) };
    // The service lists one class in the order `class` only.
    const sort = order.class === undefined ? {} : { sort: "class" as const };
    const { gameApi } = yield* load(() => import("../connect.ts"));
    const api = yield* gameApi("leagues.ladder", "leagues.eventLadder", "leagues.get");
    const ranks: Stream.Stream<Rank, GameApiError> = event
      ? api.leagues.eventLadderEntries(where)
      : api.leagues.ladderEntries({ ...where, ...order, ...sort } as typeof where);
    const progress = yield* makeProgress;
    let count = 0;
    // A stream without ranks does not tell an empty ladder from an unknown league.
    const checkLeague = Effect.gen(function* () {
      if (count === 0 && (yield* api.leagues.get(where)) === null)
        return yield* new Failure({ code: "NotFound", message: `No league is called ${league}.` });
    });
    const counted = ranks.pipe(
      Stream.take(limit ?? Infinity),
      Stream.tap(() => progress(`${++count} ranks`)),
      Stream.onEnd(checkLeague),
    );
    yield* writeOutput(out, texts(counted, kind ?? "ndjson", raw));
  }),
);

/** Encodes ranks as CSV, NDJSON or one JSON array. */
const texts = <E, R>(ranks: Stream.Stream<Rank, E, R>, format: string, isRaw: boolean) => {
  const numbered = Stream.zipWithIndex(ranks);
  if (format === "csv")
    return Stream.map(numbered, ([rank, index]) => {
      const row = columns(rank);
      const title = index === 0 ? csvLine(Object.keys(row), isRaw) : "";
      return title + csvLine(Object.values(row), isRaw);
    });
  if (format === "ndjson") return Stream.map(ranks, (rank) => `${JSON.stringify(rank)}\n`);
  const items = Stream.map(numbered, ([rank, i]) => (i === 0 ? "" : ",") + JSON.stringify(rank));
  return items.pipe(Stream.prepend(["["]), Stream.concat(Stream.succeed("]\n")));
};

const columns = (rank: Rank) =>
  "character" in rank
    ? {
        rank: rank.rank,
        character: rank.character.name,
        class: rank.character.class,
        level: rank.character.level,
        experience: rank.character.experience,
        depth: rank.character.depth?.default,
        account: rank.account?.name,
      }
    : {
        rank: rank.rank,
        league: rank.private_league.name,
        time: rank.time,
        url: rank.private_league.url,
      };

export const ladder = group("ladder", "Export a ladder", [exportRanks]).pipe(connected);
