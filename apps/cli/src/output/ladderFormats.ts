/**
 * The ranks of a ladder as text: a table for people, CSV for spreadsheets, JSON and NDJSON for
 * programs.
 */
import type { Rank } from "@game-data/api-client";
import { type Cell, table } from "@game-data/terminal/Output";

/** A form that ranks can be written in. */
export type RanksFormat = "table" | "json" | "ndjson" | "csv";

/** The form that the ending of a file's name asks for; `undefined` for another ending. */
export const formatOf = (path: string): Exclude<RanksFormat, "table"> | undefined =>
  (["ndjson", "json", "csv"] as const).find((format) => path.endsWith(`.${format}`));

/** Ranks in a form, in pieces to write one after another. */
export const render = (ranks: ReadonlyArray<Rank>, format: RanksFormat): ReadonlyArray<string> => {
  const [first] = ranks;
  const titles = first === undefined || isOfCharacter(first) ? COLUMNS : EVENT_COLUMNS;
  switch (format) {
    case "json":
      return [`${JSON.stringify(ranks)}\n`];
    case "ndjson":
      return ranks.map((rank) => `${JSON.stringify(rank)}\n`);
    case "csv":
      return [titles, ...ranks.map(cellsOf)].map((row) => `${row.map(csvCell).join(",")}\r\n`);
    case "table":
      return [`${table(titles, ranks.map(cellsOf), "Nobody is on this ladder.")}\n`];
  }
};

const COLUMNS = ["rank", "character", "class", "level", "experience", "depth", "account"] as const;
const EVENT_COLUMNS = ["rank", "private league", "time", "url"] as const;

const isOfCharacter = (rank: Rank) => "character" in rank;

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

/** RFC 4180 §2. */
const csvCell = (cell: Cell): string => {
  const text = String(cell ?? "");
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
