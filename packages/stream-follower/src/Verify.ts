/**
 * Checks a page log: numbers grow, next ids form a chain, bodies can be decompressed and have their
 * checksums, and the database is sound; with `deep`, also that every change lies within its bounds
 * and every index has its rows. Reads only.
 *
 * ```ts
 * import { Effect } from "effect";
 * import * as Verify from "@game-data/stream-follower/Verify";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 *
 * const report = await Effect.runPromise(
 *   Verify.verify({ source: "stashes", realm: "pc" }, { deep: true }).pipe(
 *     Effect.provide(SinkSqlite.layer({ path: ":memory:" })),
 *   ),
 * );
 * if (report.pages !== 0 || report.problems.length > 0) throw new Error("an empty log is whole");
 * ```
 */
import * as Effect from "effect/Effect";
import { type HistoryExpired, MalformedPage, SinkError } from "./Errors.ts";
import { type StreamKey, ofStream } from "./Model.ts";
import {
  jsonOf,
  type LoggedPage,
  type LogPosition,
  PageLog,
  type PageLogService,
} from "./PageLog.ts";
import { checksum } from "./core/checksum.ts";
import { readPage } from "./core/readPage.ts";

/** Result of a check. */
export interface VerifyReport {
  /** Pages that were read. */
  readonly pages: number;
  /** Bytes of JSON in them. */
  readonly bytes: number;
  /** The positions of the first and the last page. */
  readonly first: bigint | undefined;
  readonly last: bigint | undefined;
  /** One sentence each; empty for a log that is whole. At most 100. */
  readonly problems: ReadonlyArray<string>;
}

/** Checks the log of a stream. */
export const verify = (
  key: StreamKey,
  options: { readonly deep?: boolean } = {},
): Effect.Effect<VerifyReport, SinkError | HistoryExpired, PageLog> =>
  Effect.gen(function* () {
    const log = yield* PageLog;
    const isDeep = options.deep === true;
    const position = ofStream(yield* log.positions, key);
    const problems = (yield* log.check?.(isDeep) ?? Effect.succeed([])).map(
      (each) => `The database: ${each}.`,
    );
    const report = (seq: bigint, what: string) => {
      if (problems.length < MAX_PROBLEMS) problems.push(`Page ${seq} ${what}.`);
    };
    const { oldestSeq, seq: end = 0n } = position ?? {};
    let after = (oldestSeq ?? end + 1n) - 1n;
    let before: LoggedPage | undefined;
    let first: bigint | undefined;
    let pages = 0;
    let bytes = 0;
    while (after < end) {
      const found = yield* readable(log.read(key, after), after);
      if (typeof found === "string") {
        problems.push(found);
        break;
      }
      const batch = found.filter(({ seq }) => seq <= end);
      for (const page of batch) {
        first ??= page.seq;
        pages += 1;
        bytes += page.rawBytes;
        for (const what of yield* problemsOf(page, before, isDeep)) report(page.seq, what);
        before = page;
      }
      after = batch.at(-1)?.seq ?? end;
    }
    problems.push(...(yield* endProblems(log, position, before)));
    return { pages, bytes, first, last: before?.seq, problems };
  });

/** The checkpoint is where the last page leads, and no page lies behind it. */
const endProblems = Effect.fnUntraced(function* (
  log: PageLogService,
  position: LogPosition | undefined,
  last: LoggedPage | undefined,
) {
  // Nothing is kept where all was pruned.
  if (position?.oldestSeq === undefined) return [];
  const { key, nextId, seq: end } = position;
  const found: Array<string> = [];
  if (last === undefined) found.push(`Page ${end} is not there.`);
  else if (last.nextId !== nextId) found.push(`Page ${last.seq} does not lead to the checkpoint.`);
  // A follower may go on writing: its checkpoint moves with its pages.
  const [next] = yield* log.read(key, end).pipe(Effect.catch(() => Effect.succeed([])));
  if (next === undefined) return found;
  const now = ofStream(yield* log.positions, key);
  return now !== undefined && now.seq < next.seq
    ? [...found, `Page ${next.seq} lies behind the checkpoint.`]
    : found;
});

/** The pages after a number; a sentence where the database is too damaged to give them. */
const readable = <E>(
  read: Effect.Effect<ReadonlyArray<LoggedPage>, SinkError | E>,
  after: bigint,
): Effect.Effect<ReadonlyArray<LoggedPage> | string, SinkError | E> =>
  read.pipe(
    Effect.catch((error) =>
      error instanceof SinkError && error.kind === "corrupt"
        ? Effect.succeed(`The pages after ${after} cannot be read: ${error.message}`)
        : Effect.fail(error),
    ),
  );

const MAX_PROBLEMS = 100;

const problemsOf = Effect.fnUntraced(function* (
  page: LoggedPage,
  before: LoggedPage | undefined,
  isDeep: boolean,
): Effect.fn.Return<ReadonlyArray<string>> {
  const found: Array<string> = [];
  if (before !== undefined) {
    if (page.seq <= before.seq) found.push(`comes after page ${before.seq}`);
    if (page.requestedId !== before.nextId && !page.followsGap) {
      found.push(`does not continue page ${before.seq}`);
    }
  }
  if (page.state === "unread") return found;
  if (page.rows !== page.bounds.length) {
    found.push(`counts ${page.rows} changes and has bounds of ${page.bounds.length}`);
  }
  const raw = yield* Effect.result(jsonOf(page));
  if (raw._tag === "Failure") return [...found, `cannot be decompressed: ${raw.failure.detail}`];
  if (checksum(raw.success) !== page.checksum) found.push("has other bytes than its checksum says");
  if (isDeep) found.push(...boundsProblems(page, raw.success));
  return found;
});

/** Reads the page again: each row lies where its bounds say, and is listed where they say so. */
const boundsProblems = (page: LoggedPage, raw: Uint8Array): ReadonlyArray<string> => {
  const parsed = readPage(raw, page.key.source, "envelope");
  if (parsed instanceof MalformedPage) return [`is not a page: ${parsed.detail}`];
  if (parsed.nextId !== page.nextId) return [`leads to ${parsed.nextId}, not to ${page.nextId}`];
  if (parsed.rows.length !== page.bounds.length) {
    return [`has ${parsed.rows.length} changes and bounds of ${page.bounds.length}`];
  }
  return page.bounds.flatMap(({ from, isListed, isRejected, to }, place) => {
    const { error, stash } = parsed.rows[place]!;
    const isMoved = parsed.bounds[place * 2] !== from || parsed.bounds[place * 2 + 1] !== to;
    if (isMoved) return [`has another change at place ${place}`];
    // A stricter level may have rejected more.
    const isUntrue = isRejected
      ? isListed
      : error !== undefined || isListed !== (stash?.isPublic ?? false);
    return isUntrue ? [`has false flags of the change at place ${place}`] : [];
  });
};
