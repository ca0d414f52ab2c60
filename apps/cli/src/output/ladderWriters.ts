/**
 * Writes the ranks of a ladder as CSV, JSON or NDJSON. Loaded when ranks are written.
 */
import type { Rank } from "@game-data/api-client";
import { csvLine } from "@game-data/contract/csv";
import { cellsOf, type LadderFormat, titlesFor } from "./ladderFormats.ts";

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
