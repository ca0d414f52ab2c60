/**
 * Writes the facets of items (`facets.ts`) into their full-text table, page by page.
 *
 * A row leaves by a mark in a newer segment, which the words of the row have to repeat. The table's
 * own `contentless_delete` keeps the numbers of what left in a list beside the segment instead, and
 * every row that a search meets is looked up in it: with 6 % gone a search took ten times as long.
 */
import type { DatabaseSync } from "node:sqlite";

/** Pages of the stream from one merge of all segments to the next. */
const MERGE_EVERY = 600;
const MERGED_LEAVES = 64;

/** Opens the writer. What a page adds and drops is written by `write`, at its end. */
export const openFacets = (db: DatabaseSync) => {
  const insert = db.prepare("INSERT INTO item_facet (rowid, facets) VALUES (?, ?)");
  const remove = db.prepare(
    "INSERT INTO item_facet (item_facet, rowid, facets) VALUES ('delete', ?, ?)",
  );
  // A new segment comes with each page. Merged into one, bit by bit, they are read far faster.
  const merge = db.prepare("INSERT INTO item_facet (item_facet, rank) VALUES ('merge', ?)");
  const added = new Map<number, string>();
  const dropped = new Map<number, string>();
  const forget = () => {
    added.clear();
    dropped.clear();
  };
  return {
    add: (no: number, facets: string) => void added.set(no, facets),
    drop: (no: number, facets: string) => void (added.delete(no) || dropped.set(no, facets)),
    /** Forgets what was not written: its page comes again. */
    forget,
    write: (seq: number) => {
      // In the order of their numbers, of which those that were added have the greatest: at a smaller
      // number than the last one a new segment begins.
      for (const [no, facets] of [...dropped].toSorted(([a], [b]) => a - b)) remove.run(no, facets);
      for (const [no, facets] of added) insert.run(no, facets);
      forget();
      // A negative number begins a merge of all segments; the others go on with it.
      merge.run(seq % MERGE_EVERY === 0 ? -MERGED_LEAVES : MERGED_LEAVES);
    },
  };
};
export type Facets = ReturnType<typeof openFacets>;
