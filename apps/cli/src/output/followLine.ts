/** The lines of `stream follow`: views of the records of the stream's parts. */
import { Status } from "@game-data/stream-follower";

/** What was committed. */
export interface Totals {
  pages: number;
  rows: number;
}

/** `12 pages, 240 rows`. */
export const countsText = ({ pages, rows }: Totals) => `${pages} pages, ${rows} rows`;

/** The line of a follower at work. */
export const progressLine = (totals: Totals, status: Status.StreamStatus | undefined): string =>
  `${countsText(totals)} (${status === undefined ? "starting" : stateText(status)})`;

/** The last line of a follower that was stopped: what is safe, what is not, and what was wrong. */
export const stoppedLine = (
  totals: Totals,
  before: Status.StreamStatus | undefined,
  after: Status.StreamStatus | undefined,
): string =>
  [
    `${countsText(totals)}; stopped, all of it is in the store`,
    ...(isUnanswered(before, after)
      ? [
          "whether the pages after it are there is unknown, since their commit was not answered: the next start looks for them",
        ]
      : []),
    ...(before === undefined ? [] : problem(before)),
    ...(after === undefined ? [] : indexText(after)),
  ].join("; ");

const commitOf = (status: Status.StreamStatus | undefined) =>
  status?.parts.find(({ kind }) => kind === "commit");

/** Whether a commit was under way when the follower was told to stop, and nobody said it is done. */
const isUnanswered = (
  before: Status.StreamStatus | undefined,
  after: Status.StreamStatus | undefined,
): boolean => {
  const begun = commitOf(before)?.inFlightSince;
  return begun !== undefined && (commitOf(after)?.lastSuccessAt ?? 0) < begun;
};

const stateText = (status: Status.StreamStatus): string => {
  if (status.reason !== undefined)
    return status.state === "standby" ? `standby: ${status.reason}` : status.reason;
  const text = status.state === "caughtUp" ? "at the end, waiting for more" : "reading";
  return [text, ...indexText(status)].join(", ");
};

const problem = ({ parts, reason }: Status.StreamStatus): ReadonlyArray<string> =>
  reason !== undefined && parts.some(({ failures }) => failures > 0) ? [reason] : [];

/** How far each indexer is behind what is stored. */
const indexText = ({ headSeq, parts, stream }: Status.StreamStatus): ReadonlyArray<string> =>
  parts.flatMap(({ kind, name, seq }) => {
    if (kind !== "indexer" || seq === undefined) return [];
    const isExchange = stream.startsWith("exchange/");
    const behind = Status.behind(headSeq, seq, isExchange ? "exchange" : "stashes");
    return behind === 0 ? [] : [`index ${name} ${behind} ${isExchange ? "hours" : "pages"} behind`];
  });
