/**
 * Checks a page log: numbers grow, ids form a chain to the position of the stream, bodies can be
 * inflated and match their checksums, and SQLite finds its file sound. With `deep`, also the next id
 * and the number of rows of each page are compared, and all indexes of the file. It reads only, and
 * may run beside a follower.
 */
import * as Effect from "effect/Effect";
import type { HistoryExpired, SinkError } from "./Errors.ts";
import { checksum } from "./fetchPage.ts";
import { ofStream, type StreamKey } from "./Model.ts";
import { inflatePage, type LoggedPage, type LogPosition, PageLog } from "./PageLog.ts";
import { scanPage } from "./readPage.ts";

/** Number of pages that a check of a log has read, and the problems that it found. */
export interface VerifyReport {
  /** Pages that were read, and the bytes of JSON in them. */
  readonly pages: number;
  readonly bytes: number;
  /** Numbers of the first and the last page that were read. */
  readonly first: bigint | undefined;
  readonly last: bigint | undefined;
  /** Problems of the log, one sentence each, at most 100. Empty if the log is undamaged. */
  readonly problems: ReadonlyArray<string>;
}

const MAX_PROBLEMS = 100;

/** Checks that a log has all pages from its first to its last. `deep` also counts their rows. */
export const verify = Effect.fn("verify")(function* (
  key: StreamKey,
  options: { readonly deep?: boolean } = {},
): Effect.fn.Return<VerifyReport, SinkError | HistoryExpired, PageLog> {
  const log = yield* PageLog;
  const isDeep = options.deep === true;
  const checked = yield* log.check?.(isDeep) ?? Effect.succeed([]);
  const problems = checked.map((text) => `The database: ${text}.`);
  const position = ofStream(yield* log.positions, key);
  const { oldestSeq, seq: end = 0n } = position ?? {};
  let previous: LoggedPage | undefined;
  let first: bigint | undefined;
  let [pages, bytes, wireBytes] = [0, 0, 0];
  let after = (oldestSeq ?? end + 1n) - 1n;
  while (after < end) {
    const page = yield* log.next(key, after);
    // Pages that the follower appends during the check are not read.
    if (page === undefined || page.seq > end) break;
    first ??= page.seq;
    pages += 1;
    bytes += page.rawBytes;
    wireBytes += page.body.length;
    if (previous !== undefined && page.requestedId !== previous.nextId && !page.followsGap) {
      problems.push(`Page ${page.seq} does not continue page ${previous.seq}.`);
    }
    const texts = yield* bodyProblems(page, isDeep);
    problems.push(...texts.map((text) => `Page ${page.seq} ${text}.`));
    previous = page;
    after = page.seq;
  }
  // Damaged or missing pages already explain a wrong byte total and a wrong last page.
  if (position !== undefined && problems.length === checked.length) {
    problems.push(...positionProblems(position, previous, wireBytes));
  }
  return { pages, bytes, first, last: previous?.seq, problems: problems.slice(0, MAX_PROBLEMS) };
});

/** Compares the position of a stream with its last page and the sum of its pages. */
const positionProblems = (
  { bytes, nextId, seq }: LogPosition,
  last: LoggedPage | undefined,
  wireBytes: number,
): ReadonlyArray<string> => {
  const problems: Array<string> = [];
  if (bytes !== wireBytes) problems.push(`The log has ${bytes} bytes, and its pages ${wireBytes}.`);
  if (last !== undefined && last.seq !== seq) {
    problems.push(`The stream is at page ${seq}, and its last page is ${last.seq}.`);
  }
  if (last !== undefined && last.nextId !== nextId) {
    problems.push(`The next id is ${nextId}, and the last page leads to ${last.nextId}.`);
  }
  return problems;
};

const bodyProblems = Effect.fnUntraced(function* (page: LoggedPage, isDeep: boolean) {
  if (page.body.length === 0) return [];
  const inflated = yield* Effect.result(inflatePage(page));
  if (inflated._tag === "Failure") return [`cannot be inflated: ${inflated.failure.detail}`];
  const raw = inflated.success;
  const problems = checksum(raw) === page.checksum ? [] : ["does not match its checksum"];
  if (!isDeep) return problems;
  const scanned = yield* Effect.result(scanPage(raw, page.key.source));
  if (scanned._tag === "Failure") return [...problems, `is not a page: ${scanned.failure.detail}`];
  const { nextId, rowCount } = scanned.success;
  if (nextId !== page.nextId) problems.push(`leads to ${nextId}, not to ${page.nextId}`);
  if (rowCount !== page.rowCount) problems.push(`has ${rowCount} rows, not ${page.rowCount}`);
  return problems;
});
