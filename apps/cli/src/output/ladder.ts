/**
 * The ranks of a ladder as a table, and as CSV, JSON or NDJSON.
 */
import type { Rank } from "@game-data/api-client";
import { csvLine } from "@game-data/stream-follower/csv";
import { type Cell, table, type View } from "@game-data/terminal/View";

/** A file format of a ladder. */
export type LadderFormat = "json" | "ndjson" | "csv" | "csv-raw";

/** Returns the format for a file's extension. */
export const formatForPath = (path: string): LadderFormat | undefined =>
  (["ndjson", "json", "csv"] as const).find((format) => path.endsWith(`.${format}`));

/** Shows ranks as a table. */
export const ladderTable = (ranks: ReadonlyArray<Rank>): View =>
  table(titlesFor(ranks[0]), ranks.map(cellsOf), "The ladder is empty.");

/** The titles of the columns. */
const titlesFor = (first: Rank | undefined) =>
  first === undefined || isOfCharacter(first) ? COLUMNS : EVENT_COLUMNS;

const COLUMNS = ["rank", "character", "class", "level", "experience", "depth", "account"] as const;
const EVENT_COLUMNS = ["rank", "private league", "time", "url"] as const;

const isOfCharacter = (rank: Rank) => "character" in rank;

/** The cells of a rank. */
const cellsOf = (rank: Rank): ReadonlyArray<Cell> =>
  "character" in rank
    ? [
        rank.rank,
        rank.character.name,
        rank.character.class,
        rank.character.level,
        rank.character.experience,
        rank.character.depth?.default,
        rank.account?.name,
      ]
    : [rank.rank, rank.private_league.name, rank.time, rank.private_league.url];

/** Writes ranks as they arrive: text before them, of each, between them, and after them. */
export interface LadderWriter {
  readonly start: (first: Rank | undefined) => string;
  readonly rank: (rank: Rank, index: number) => string;
  readonly end: string;
}

const csvWriter = (isRaw: boolean): LadderWriter => ({
  start: (first) => csvLine(titlesFor(first), isRaw),
  rank: (rank) => csvLine(cellsOf(rank), isRaw),
  end: "",
});

/** The writer of each format. */
export const ladderWriters: Readonly<Record<LadderFormat, LadderWriter>> = {
  json: {
    start: () => "[",
    rank: (rank, index) => `${index === 0 ? "" : ","}${JSON.stringify(rank)}`,
    end: "]\n",
  },
  ndjson: { start: () => "", rank: (rank) => `${JSON.stringify(rank)}\n`, end: "" },
  csv: csvWriter(false),
  "csv-raw": csvWriter(true),
};
