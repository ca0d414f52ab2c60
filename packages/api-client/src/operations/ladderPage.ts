/** Pages of ladders: which request comes next, and when a ladder ends. */
import { Limits, routes } from "@game-data/contract/routes";
import type { Requests } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type { GameApiService } from "../GameApiService.ts";

/** A page of a ladder. */
export interface LadderPage<Entry> {
  /** Entries of the whole ladder at the moment of this page. */
  readonly total: number;
  /** Index of the page's first entry. */
  readonly offset: number;
  readonly entries: ReadonlyArray<Entry>;
  /** Resumes behind this page when given as `resume`; `undefined` on the last page. */
  readonly resume: string | undefined;
}

/** Options of a ladder's pages. */
export interface PageOptions extends CallOptions {
  /** The `resume` of the last page that was processed. It belongs to the same ladder. */
  readonly resume?: string | undefined;
}

/** The operations that read a ladder. */
export type LadderName = "leagues.ladder" | "leagues.eventLadder" | "pvpMatches.ladder";

interface Pager<Entry> {
  /** The offset to begin with. */
  readonly first: number;
  /** The page at an offset; `null` if there is no such ladder. */
  readonly page: (
    offset: number,
  ) => Effect.Effect<
    { readonly page: LadderPage<Entry>; readonly next: number | undefined } | null,
    GameApiError
  >;
}

const LIMITS = {
  "leagues.ladder": Limits.ladder.max,
  "leagues.eventLadder": Limits.eventLadder.max,
  "pvpMatches.ladder": Limits.pvpLadder.max,
};

/** Reads a ladder page by page. */
export const ladderPager = <Name extends LadderName, Entry>(
  api: Pick<GameApiService, "leagues" | "pvpMatches">,
  name: Name,
  request: Requests[Name],
  { resume, ...options }: PageOptions = {},
): Effect.Effect<Pager<Entry>, InvalidRequest> => {
  const first = resume === undefined ? (request.offset ?? 0) : offsetOf(name, resume);
  if (first === undefined) {
    return Effect.fail(
      new InvalidRequest({
        operation: name,
        route: routes[name].route,
        attempts: 0,
        detail: "resume: must be the token of a page of the same kind of ladder",
      }),
    );
  }
  const limit = request.limit ?? LIMITS[name];
  const [group, method] = name.split(".") as ["leagues", "ladder"];
  const read = api[group][method] as (
    request: object,
    options: CallOptions,
  ) => Effect.Effect<
    { readonly total: number; readonly entries: ReadonlyArray<Entry> } | null,
    GameApiError
  >;
  return Effect.succeed({
    first,
    page: (offset) =>
      Effect.map(read({ ...request, limit, offset }, options), (found) => {
        if (found === null) return null;
        const { entries, total } = found;
        const next = isLastPage(found, offset, limit) ? undefined : offset + entries.length;
        return {
          next,
          page: {
            total,
            offset,
            entries,
            resume: next === undefined ? undefined : `${name}:${next}`,
          },
        };
      }),
  });
};

const offsetOf = (name: LadderName, resume: string): number | undefined => {
  const match = /^([\w.]+):(\d{1,6})$/u.exec(resume);
  return match?.[1] === name ? Number(match[2]) : undefined;
};

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
