/** `gamedata ladder export` and `gamedata stash export`: a whole ladder or stash as a file. */
import type { GameApiError, TabFailure } from "@game-data/api-client";
import { routes } from "@game-data/contract/routes";
import type { EventLadderEntry, LadderEntry, StashTab } from "@game-data/schemas";
import { csvLine } from "@game-data/stream-follower/csv";
import { Effect, Stream } from "effect";
import { argument, choice, command, count, given, group, loadGameApi, toggle } from "../command.ts";
import { connected } from "../config.ts";
import { Failure, usage } from "../failures.ts";
import { outFlag, writeOutput } from "../files.ts";
import { makeProgress, printMessage } from "../print.ts";

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
    realm: choice("realm", query.realm, "Realm (default: pc)"),
    sort: choice("sort", query.sort, "Order of the ranks (default: the league's)"),
    class: choice("class", query.class, "Only characters of this class"),
    event: toggle("event", "The event's ladder of private leagues"),
    limit: count("limit", "Ranks to export (default: all)"),
    out: outFlag,
    format: choice("format", ["csv", "json", "ndjson"], "Format (default: by the name, or ndjson)"),
    raw: toggle("raw", "Leave texts in CSV as they are, formulas included: for programs"),
  },
  Effect.fnUntraced(function* ({ event, format, league, limit, out, raw, realm, ...order }) {
    const kind = format ?? /\.(csv|json|ndjson)$/u.exec(out)?.[1];
    if (kind === undefined && out !== "-")
      return yield* usage(
        `Unknown file format: ${out}.`,
        "use a name that ends in .csv, .json or .ndjson, or add --format",
      );
    const where = { league, ...given({ realm }) };
    if (order.class !== undefined && (order.sort ?? "class") !== "class")
      return yield* usage("--class has the order class only.", "leave --sort out");
    // For a single class, the service supports only the order `class`.
    const sort = order.class === undefined ? {} : { sort: "class" as const };
    const api = yield* loadGameApi("leagues.ladder", "leagues.eventLadder", "leagues.get");
    const ranks: Stream.Stream<Rank, GameApiError> = event
      ? api.leagues.eventLadderEntries(where)
      : api.leagues.ladderEntries({ ...where, ...given(order), ...sort } as typeof where);
    const progress = yield* makeProgress;
    let exported = 0;
    // A stream without ranks may be an empty ladder or an unknown league.
    const checkLeague = Effect.gen(function* () {
      if (exported === 0 && (yield* api.leagues.get(where)) === null)
        return yield* new Failure({ code: "NotFound", message: `No league is called ${league}.` });
    });
    const counted = ranks.pipe(
      Stream.take(limit ?? Infinity),
      Stream.tap(() => progress(`${++exported} ranks`)),
      Stream.onEnd(checkLeague),
    );
    yield* writeOutput(out, texts(counted, kind ?? "ndjson", raw));
  }),
);

/** Encodes ranks as CSV, NDJSON or one JSON array. */
const texts = <E, R>(ranks: Stream.Stream<Rank, E, R>, format: string, isRaw: boolean) => {
  if (format === "ndjson") return Stream.map(ranks, (rank) => `${JSON.stringify(rank)}\n`);
  const numbered = Stream.zipWithIndex(ranks);
  if (format === "json")
    return numbered.pipe(
      Stream.map(([rank, index]) => (index === 0 ? "" : ",") + JSON.stringify(rank)),
      Stream.prepend(["["]),
      Stream.concat(Stream.succeed("]\n")),
    );
  return Stream.map(numbered, ([rank, index]) => {
    const row = columns(rank);
    const title = index === 0 ? csvLine(Object.keys(row), isRaw) : "";
    return title + csvLine(Object.values(row), isRaw);
  });
};

const columns = ({ rank, ...of }: Rank) => {
  if (!("character" in of))
    return { rank, league: of.private_league.name, time: of.time, url: of.private_league.url };
  const { class: className, depth, experience, level, name } = of.character;
  return {
    rank,
    character: name,
    class: className,
    level,
    experience,
    depth: depth?.default,
    account: of.account?.name,
  };
};

export const ladder = group("ladder", "Export a ladder", [exportRanks]).pipe(connected);

/** Requests in flight. The output keeps the order of the list of tabs. */
const TABS_AT_ONCE = 4;

const exportStash = command(
  "export",
  [
    "Export a whole stash as NDJSON, one tab per line with its items. Tabs that could not be fetched are named on stderr.",
    "gamedata stash export Standard --out stash.ndjson",
  ],
  {
    league: argument("league", "Name of the league"),
    realm: choice("realm", ["pc", ...routes["stashes.list"].params.realm], "Realm (default: pc)"),
    out: outFlag,
  },
  Effect.fnUntraced(function* ({ out, ...flags }) {
    const request = given(flags) as { readonly league: string };
    const api = yield* loadGameApi("stashes.list", "stashes.get");
    const ids = fetchable(yield* api.stashes.list(request)).map(({ id }) => id);
    const progress = yield* makeProgress;
    const failures: Array<TabFailure> = [];
    let fetched = 0;
    const lines = Stream.fromIterable(ids).pipe(
      Stream.mapEffect((id) => api.stashes.some({ ...request, ids: [id] }), {
        concurrency: TABS_AT_ONCE,
      }),
      Stream.tap(() => progress(`${++fetched} of ${ids.length} tabs`)),
      Stream.map((result) => {
        failures.push(...result.failures);
        return result.tabs.map((tab) => `${JSON.stringify(tab)}\n`).join("");
      }),
    );
    yield* writeOutput(out, lines);
    for (const { error, stash_id: id, substash_id: inner } of failures)
      yield* printMessage(`Not exported: ${inner ?? id}: ${error.message}`);
    const [first] = failures;
    if (first !== undefined) return yield* first.error;
  }),
);

/**
 * Returns the tabs that have to be fetched by id, in folders too. Omits folders, and tabs that
 * another tab contains.
 */
const fetchable = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap((tab) => {
    if (tab.type === "Folder") return fetchable(tab.children ?? []);
    const parent = tabs.find(({ id }) => id === tab.parent);
    return parent === undefined || parent.type === "Folder" ? [tab] : [];
  });

export const stash = group("stash", "Export the account's stash", [exportStash]).pipe(connected);
