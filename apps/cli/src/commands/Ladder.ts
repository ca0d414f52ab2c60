/**
 * `gamedata ladder`: the ranks of a league, on the terminal or as a file.
 */
import type { GameApiError, GameApiService } from "@game-data/api-client";
import type { EventLadderEntry, LadderEntry } from "@game-data/schemas";
import { Effect, Option, Stream } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { gameOneRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi, present } from "@game-data/cli-kit/Service";
import { type Failure, failure } from "@game-data/cli-kit/Failure";
import { type Cell, Json, Ndjson, note, progress, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";
import { open } from "@game-data/cli-kit/Destination";

/** Of the service (§8): ranks in one answer, and ranks of a ladder, at most. */
const PAGE = 500;
const DEPTH = 15_000;

const sorts = ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class"] as const;
const classes = ["scion", "marauder", "ranger", "witch", "duelist", "templar", "shadow"] as const;

type Entry = LadderEntry | EventLadderEntry;
type Format = "table" | "json" | "ndjson" | "csv";

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
    event: Flag.Boolean("event").pipe(
      Flag.withDescription("The event's ladder of private leagues"),
      Flag.withDefault(false),
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("Ranks to fetch"), Flag.withDefault(20)),
    offset: Flag.Int("offset").pipe(
      Flag.withDescription("Ranks to leave out"),
      Flag.withDefault(0),
    ),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription(`All ranks that the service shows (${DEPTH})`),
      Flag.withDefault(false),
    ),
    csv: Flag.Boolean("csv").pipe(
      Flag.withDescription("Print comma-separated values"),
      Flag.withDefault(false),
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("A file to write; .csv, .json and .ndjson say in which form"),
      Flag.withDefault("-"),
    ),
  },
  Effect.fnUntraced(function* ({ all, csv, limit, offset, out, ...query }) {
    if (limit < 1 || offset < 0)
      return yield* failure("usage", "--limit begins at 1, --offset at 0.");
    const isNdjson = (yield* Ndjson) || out.endsWith(".ndjson");
    const isJson = (yield* Json) || out.endsWith(".json");
    const isCsv = csv || out.endsWith(".csv");
    const format: Format = isCsv ? "csv" : isNdjson ? "ndjson" : isJson ? "json" : "table";
    const api = yield* gameApi("service:leagues:ladder");
    const entries = yield* fetchAll(api, query, offset, all ? DEPTH : limit);
    const file = yield* open(out);
    for (const text of render(entries, format)) yield* file.write(text);
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

interface Query {
  readonly league: string;
  readonly realm: (typeof gameOneRealms)[number];
  readonly sort: Option.Option<(typeof sorts)[number]>;
  readonly class: Option.Option<(typeof classes)[number]>;
  readonly event: boolean;
}

const fetchAll = Effect.fnUntraced(function* (
  api: GameApiService,
  { class: ofClass, event, league, realm, sort }: Query,
  offset: number,
  wanted: number,
): Effect.fn.Return<ReadonlyArray<Entry>, GameApiError | Failure> {
  const { eventLadder, eventLadderEntries, ladder, ladderEntries } = api.leagues;
  const where = { league, realm, offset };
  const order = {
    ...Option.match(sort, { onNone: () => ({}), onSome: (word) => ({ sort: word }) }),
    ...Option.match(ofClass, {
      onNone: () => ({}),
      onSome: (word) => ({ sort: "class" as const, class: word }),
    }),
  };
  const page = (limit: number) => {
    const found: Effect.Effect<{ readonly entries: ReadonlyArray<Entry> } | null, GameApiError> =
      event ? eventLadder({ ...where, limit }) : ladder({ ...where, ...order, limit });
    return Effect.flatMap(found, (body) =>
      present(body, `ladder of "${league}"`, "gamedata leagues"),
    );
  };
  if (wanted <= PAGE) return (yield* page(wanted)).entries;
  const bar = progress();
  const entries: Array<Entry> = [];
  const all: Stream.Stream<Entry, GameApiError> = event
    ? eventLadderEntries(where)
    : ladderEntries({ ...where, ...order });
  yield* Stream.runForEach(Stream.take(all, wanted), (entry) =>
    Effect.sync(() => {
      entries.push(entry);
      bar.show(`${entries.length} ranks`);
    }),
  );
  // Nothing at all: is it the ladder that is not there?
  if (entries.length === 0) yield* page(1);
  bar.done(`${entries.length} ranks`);
  return entries;
});

const columns = ["rank", "character", "class", "level", "experience", "depth", "account"] as const;
const eventColumns = ["rank", "private league", "time", "url"] as const;

const cellsOf = (entry: Entry): ReadonlyArray<Cell> =>
  "character" in entry
    ? [
        entry.rank,
        entry.character.name,
        entry.character.class,
        entry.character.level,
        entry.character.experience,
        entry.character.depth?.default,
        entry.account?.name,
      ]
    : [entry.rank, entry.private_league.name, entry.time, entry.private_league.url];

const render = (entries: ReadonlyArray<Entry>, format: Format): ReadonlyArray<string> => {
  const titles = entries[0] !== undefined && !("character" in entries[0]) ? eventColumns : columns;
  switch (format) {
    case "json":
      return [`${JSON.stringify(entries)}\n`];
    case "ndjson":
      return entries.map((entry) => `${JSON.stringify(entry)}\n`);
    case "csv":
      return [titles, ...entries.map(cellsOf)].map((row) => `${row.map(csvCell).join(",")}\r\n`);
    default:
      return [`${table(titles, entries.map(cellsOf), "Nobody is on this ladder.")}\n`];
  }
};

/** RFC 4180 §2. */
const csvCell = (cell: Cell): string => {
  const text = String(cell ?? "");
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
