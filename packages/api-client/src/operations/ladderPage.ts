/** When a ladder ends. */
import { Limits } from "@game-data/contract/routes";

/**
 * Whether a page is the last one: it is short, or it reaches the end of the ladder or the 15 000
 * entries that a ladder shows. `total` alone is not enough, because ladders change while they are
 * read.
 */
export const isLastPage = (
  page: { readonly total: number; readonly entries: ReadonlyArray<unknown> },
  offset: number,
  limit: number,
): boolean =>
  page.entries.length < limit ||
  offset + page.entries.length >= Math.min(page.total, Limits.ladderDepth);
