/**
 * `gamedata ladder`: the ranks of a league, in the terminal or as a file.
 */
import { command, help } from "./command.ts";
import type { GameApiError, Rank } from "@game-data/api-client";
import { Limits, routes, violation } from "@game-data/contract/routes";
import { type Failure, failure } from "@game-data/terminal/Failure";
import {
  type OutputFormat,
  outputFormat,
  print,
  printError,
  progress,
} from "@game-data/terminal/Output";
import { Effect, Stream } from "effect";
import { gameOneRealms, outFlag, realmFlag } from "../config/flags.ts";
import {
  omitUndefined,
  switchFlag,
  argument,
  choiceFlag,
  numberFlag,
} from "@game-data/terminal/flags";
import { connected } from "../config/Settings.ts";
import { formatForPath, type LadderFormat, ladderTable, ladderWriters } from "../output/ladder.ts";
import { openOutput } from "../output/outputFile.ts";
import { gameApi, orNotFound } from "../session/apiContext.ts";

const { class: classes, sort: sorts } = routes["leagues.ladder"].query;

/** `gamedata ladder`. */
export const ladderCommand = command(
  "ladder",
  help(
    "Show the ranks of a league, or export a whole ladder. With --ndjson and --csv ranks are printed\nas they arrive.",
    {
      "gamedata ladder Standard --sort depth": "The first 20 ranks",
      "gamedata ladder Standard --all --out ranks.csv": "All, as a file",
      "gamedata ladder Standard --all --ndjson | head -100": "As a stream",
    },
  ),
  {
    league: argument("league", "Name of the league"),
    realm: realmFlag(gameOneRealms),
    sort: choiceFlag("sort", sorts, "Order of the ranks (default: the league's)"),
    class: choiceFlag("class", classes, "Only characters of this class"),
    event: switchFlag("event", "Show the event's ladder of private leagues"),
    limit: numberFlag("limit", "Ranks to fetch (default: 20)", 20),
    offset: numberFlag("offset", "Ranks to skip (default: 0)", 0),
    all: switchFlag("all", "Fetch all ranks that the service shows (15000)"),
    csv: switchFlag("csv", "Print comma-separated values"),
    raw: switchFlag("raw", "Leave texts in CSV as they are, formulas included: for programs"),
    out: outFlag("File to write; its extension .csv, .json or .ndjson selects the format"),
  },
  Effect.fnUntraced(function* ({
    all,
    class: ofClass,
    csv,
    event,
    limit,
    out,
    raw,
    sort,
    ...where
  }) {
    // More ranks than a page holds are read page by page, so the limit has no maximum here.
    for (const [flag, rule, value] of [
      ["--limit", [1], limit],
      ["--offset", routes["leagues.ladder"].query.offset, where.offset],
    ] as const) {
      const broken = violation(rule, value);
      if (broken !== undefined) return yield* failure("usage", `Invalid ${flag}: it ${broken}.`);
    }
    const api = yield* gameApi("leagues.ladder", "leagues.eventLadder");
    const { leagues } = api;
    const Pages = yield* Effect.promise(() => import("@game-data/api-client/pages"));
    const order = sortedBy(omitUndefined({ class: ofClass, sort }));
    const page = Effect.fnUntraced(function* (size: number) {
      const found = event
        ? yield* leagues.eventLadder({ ...where, limit: size })
        : yield* leagues.ladder({ ...where, ...order, limit: size });
      const what = `ladder of "${where.league}"`;
      const { entries } = yield* orNotFound(found, what, "gamedata leagues");
      return entries as ReadonlyArray<Rank>;
    });
    const entries = (): Stream.Stream<Rank, GameApiError> =>
      event
        ? Pages.entries(Pages.pages(api, "leagues.eventLadder", where))
        : Pages.entries(Pages.pages(api, "leagues.ladder", { ...where, ...order }));
    const count = all ? Limits.ladderDepth : limit;
    const isOnePage = count <= Limits.ladder.max;
    const ranks: Stream.Stream<Rank, GameApiError | Failure> = isOnePage
      ? Stream.fromIterableEffect(page(count))
      : Stream.take(entries(), count);
    const asked = yield* outputFormat;
    const bar = yield* progress;
    let fetched = 0;
    const counted = Stream.tap(ranks, () => Effect.sync(() => bar.update(`${++fetched} ranks`)));
    const end = Effect.gen(function* () {
      // A stream without ranks does not tell an empty ladder from an unknown league.
      if (fetched === 0) yield* page(1);
      if (!isOnePage) bar.done(`${fetched} ranks`);
    });

    const format = formatOf(out, asked, { csv, raw });
    if (format === undefined && out === "-") {
      const list = yield* Stream.runCollect(counted);
      yield* end;
      return yield* print(list, ladderTable);
    }
    if (format === undefined)
      return yield* failure("usage", `Unknown file format: ${out}.`, {
        next: "use a name that ends in .csv, .json or .ndjson, or add --csv, --json or --ndjson",
      });
    yield* writeRanks(out, format, counted, end);
  }),
).pipe(connected);

/** Ranks of one class come with the order `class` only. */
const sortedBy = (order: { class?: (typeof classes)[number]; sort?: (typeof sorts)[number] }) =>
  order.class === undefined
    ? order
    : ({ ...order, sort: "class" } as { class: (typeof classes)[number]; sort: "class" });

/** The format that the file's name, the flags or the output format ask for. */
const formatOf = (
  out: string,
  asked: OutputFormat,
  { csv, raw }: { readonly csv: boolean; readonly raw: boolean },
): LadderFormat | undefined => {
  const named =
    formatForPath(out) ??
    (csv ? "csv" : asked === "ndjson" || asked === "json" ? asked : undefined);
  return raw && named === "csv" ? "csv-raw" : named;
};

/** Writes ranks as they arrive; `end` runs when the last one has come. */
const writeRanks = Effect.fnUntraced(function* <E, R, E2, R2>(
  out: string,
  format: LadderFormat,
  ranks: Stream.Stream<Rank, E, R>,
  end: Effect.Effect<void, E2, R2>,
) {
  const writer = ladderWriters[format];
  const file = yield* openOutput(out);
  let count = 0;
  yield* Stream.runForEach(ranks, (rank) => {
    const text = (count === 0 ? writer.start(rank) : "") + writer.rank(rank, count);
    count += 1;
    return file.write(text);
  });
  yield* end;
  yield* file.write((count === 0 ? writer.start(undefined) : "") + writer.end);
  yield* file.close;
  if (out !== "-") yield* printError(`Written to ${out}`);
});
