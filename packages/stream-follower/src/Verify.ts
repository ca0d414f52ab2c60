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
import { keyName, type StreamKey } from "./Model.ts";
import { jsonOf, type LoggedPage, PageLog } from "./PageLog.ts";
import { checksum } from "./core/checksum.ts";
import { textOf } from "./core/PageRow.ts";
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
    const stream = keyName(key);
    const position = (yield* log.positions).find((each) => keyName(each.key) === stream);
    const problems: Array<string> = [];
    for (const each of yield* log.check?.(options.deep === true) ?? Effect.succeed([])) {
      problems.push(`The database: ${each}.`);
    }
    const report = (page: LoggedPage, what: string) => {
      if (problems.length < MAX_PROBLEMS) problems.push(`Page ${page.seq} ${what}.`);
    };
    let after = position?.oldestSeq === undefined ? 0n : position.oldestSeq - 1n;
    let before: LoggedPage | undefined;
    let first: bigint | undefined;
    let pages = 0;
    let bytes = 0;
    while (true) {
      const found = position === undefined ? [] : yield* readable(log.read(key, after), after);
      if (typeof found === "string") {
        problems.push(found);
        break;
      }
      // A follower may go on writing: what it wrote since is not what the position says.
      const batch = found.filter(({ seq }) => seq <= position!.seq);
      const end = batch.at(-1);
      if (end === undefined) break;
      for (const page of batch) {
        first ??= page.seq;
        pages += 1;
        bytes += page.rawBytes;
        for (const what of yield* problemsOf(page, before, options.deep === true)) {
          report(page, what);
        }
        before = page;
      }
      after = end.seq;
    }
    if (before !== undefined && position !== undefined && before.nextId !== position.nextId) {
      report(before, "does not lead to the checkpoint");
    }
    return { pages, bytes, first, last: before?.seq, problems };
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
  const raw = yield* Effect.result(jsonOf(page));
  if (raw._tag === "Failure") return [...found, `cannot be decompressed: ${raw.failure.detail}`];
  if (checksum(raw.success) !== page.checksum) found.push("has other bytes than its checksum says");
  if (isDeep) found.push(...boundsProblems(page, raw.success));
  return found;
});

/** Reads the page again: each row lies where its bounds say, and is JSON. */
const boundsProblems = (page: LoggedPage, raw: Uint8Array): ReadonlyArray<string> => {
  const parsed = readPage(raw, page.key.source, "envelope");
  if (parsed instanceof MalformedPage) return [`is not a page: ${parsed.detail}`];
  if (parsed.nextId !== page.nextId) return [`leads to ${parsed.nextId}, not to ${page.nextId}`];
  if (parsed.rows.length !== page.bounds.length) {
    return [`has ${parsed.rows.length} changes and bounds of ${page.bounds.length}`];
  }
  return page.bounds.flatMap(({ from, isRejected, to }, place) => {
    const isMoved = parsed.bounds[place * 2] !== from || parsed.bounds[place * 2 + 1] !== to;
    if (isMoved) return [`has another change at place ${place}`];
    if (isRejected) return [];
    try {
      JSON.parse(textOf(raw.subarray(from, to)));
      return [];
    } catch {
      return [`has no JSON within the bounds of change ${place}`];
    }
  });
};
