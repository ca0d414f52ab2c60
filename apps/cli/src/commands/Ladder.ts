/**
 * `gamedata ladder`: the ranks of a league, on the terminal or as a file.
 */
import { open } from "../output/outputFile.ts";
import { failure } from "@game-data/terminal/Failure";
import { gameOneRealms, given, outFlag, realmFlag, switchFlag } from "@game-data/terminal/Flags";
import { Json, Ndjson, note, progress } from "@game-data/terminal/Output";
import { formatOf, render } from "../output/ladderFormats.ts";
import { gameApi, present } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const sorts = ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class"] as const;
const classes = ["scion", "marauder", "ranger", "witch", "duelist", "templar", "shadow"] as const;

/** The command. */
export const ladderCommand = Command.make(
  "ladder",
  {
    league: Argument.String("league").pipe(Argument.withDescription("Name of the league")),
    realm: realmFlag(gameOneRealms),
    sort: Flag.Literals("sort", sorts).pipe(
      Flag.withDescription("Order (default: as the league has it)"),
      Flag.optional,
    ),
    class: Flag.Literals("class", classes).pipe(
      Flag.withDescription("Characters of one class"),
      Flag.optional,
    ),
    event: switchFlag("event", "The event's ladder of private leagues"),
    limit: Flag.Int("limit").pipe(Flag.withDescription("Ranks to fetch"), Flag.withDefault(20)),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Ranks to leave out"),
      Flag.withDefault(0),
    ),
    all: switchFlag("all", "All ranks that the service shows (15000)"),
    csv: switchFlag("csv", "Print comma-separated values"),
    out: outFlag("A file to write; .csv, .json and .ndjson say in which form"),
  },
  Effect.fnUntraced(function* ({ all, class: ofClass, csv, limit, out, sort, ...where }) {
    if (limit < 1 || where.offset < 0)
      return yield* failure("usage", "--limit begins at 1, --offset at 0.");
    const asked = csv ? "csv" : (yield* Ndjson) ? "ndjson" : (yield* Json) ? "json" : "table";
    const { leagues } = yield* gameApi("service:leagues:ladder");
    const bar = progress();
    const ranks = yield* leagues.ranks(
      { ...where, ...given({ class: ofClass, sort }), ...(!all && { count: limit }) },
      { onProgress: (count) => bar.show(`${count} ranks`) },
    );
    const found = yield* present(ranks, `ladder of "${where.league}"`, "gamedata leagues");
    if (all || limit > 500) bar.done(`${found.length} ranks`);
    const file = yield* open(out);
    for (const text of render(found, formatOf(out) ?? asked)) yield* file.write(text);
    yield* file.close;
    if (out !== "-") yield* note(`Written to ${out}`);
  }),
).pipe(
  Command.withDescription("The ranks of a league; a whole ladder as a file"),
  Command.withExamples([
    { command: "gamedata ladder Standard --sort depth", description: "The first twenty" },
    { command: "gamedata ladder Standard --all --out ranks.csv", description: "All, as a file" },
  ]),
  connected,
);
