/**
 * The formats of a ladder, and its ranks as a table.
 */
import type { Rank } from "@game-data/api-client";
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
export const titlesFor = (first: Rank | undefined) =>
  first === undefined || isOfCharacter(first) ? COLUMNS : EVENT_COLUMNS;

const COLUMNS = ["rank", "character", "class", "level", "experience", "depth", "account"] as const;
const EVENT_COLUMNS = ["rank", "private league", "time", "url"] as const;

const isOfCharacter = (rank: Rank) => "character" in rank;

/** The cells of a rank. */
export const cellsOf = (rank: Rank): ReadonlyArray<Cell> =>
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
