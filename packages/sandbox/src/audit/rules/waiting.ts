/** Rules of the audit about time: how long a client waits, and how often it asks. */
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import {
  clientOf,
  endOf,
  finding,
  groups,
  isChallenge,
  isData,
  isExchange,
  isStream,
  TOLERANCE_MILLIS,
  violation,
  withLater,
  type Entries,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

/** A01: nothing of the same client before `Retry-After` is over. */
const waitsForRetryAfter = ({ entries }: Run): Finding => {
  const asked = entries.filter(
    ({ retryAfterMillis, status }) =>
      retryAfterMillis !== null && (status === 429 || status === 503),
  );
  const broken = asked.flatMap((entry) => {
    const until = endOf(entry) + entry.retryAfterMillis! - TOLERANCE_MILLIS;
    const early = entries.find(
      (later) =>
        later.elapsedMillis > endOf(entry) &&
        later.elapsedMillis < until &&
        clientOf(later) === clientOf(entry) &&
        (later.route === entry.route || (entry.policy !== null && later.policy === entry.policy)),
    );
    return early === undefined
      ? []
      : [
          violation(
            `asked again after ${Math.round(early.elapsedMillis - endOf(entry))} ms, Retry-After was ${entry.retryAfterMillis} ms`,
            entry,
            early,
          ),
        ];
  });
  return finding(asked.length, broken);
};

/** A02: no refusal by a policy without a fault. */
const keepsToPolicies = ({ entries, scenario }: Run): Finding => {
  if (scenario === "policy-tightens") return finding(0, []);
  const governed = entries.filter(({ policy }) => policy !== null);
  return finding(
    governed.length,
    governed
      .filter(({ faults, limited }) => limited && faults.length === 0)
      .map((entry) => violation(`exceeded the policy ${entry.policy}`, entry)),
  );
};

/** A03: no refusal after a response had announced the tightened policy. */
const slowsDown = ({ entries, scenario }: Run): Finding => {
  if (scenario !== "policy-tightens") return finding(0, []);
  const limited = entries.filter((entry) => entry.limited);
  // The first refusal may be the first that a program hears of the new numbers.
  return finding(
    entries.filter(({ policy }) => policy !== null).length > 0 ? 1 : 0,
    limited.slice(1).map((entry) => violation("exceeded a policy that had been announced", entry)),
  );
};

const isFailed = ({ status }: JournalEntry): boolean => status === null || status >= 500;

/** Retries closer than this have not waited: a response and the next request take as long. */
const HASTY_MILLIS = 15;

const isHalf = (gaps: ReadonlyArray<number>, index: number): boolean =>
  gaps[index]! < gaps[index - 1]! * 0.5;

/**
 * A04: retries of failed requests back off, five times at most. With full jitter, a random wait
 * below a bound that grows, one gap may well be shorter than the one before: only gaps that shrink
 * twice in a row, or that are all next to nothing, are no backoff.
 */
const backsOff = ({ entries }: Run): Finding => {
  let exercised = 0;
  const broken = groups(entries, ({ requestRef }) => requestRef).flatMap((group) => {
    const runs: Array<Array<JournalEntry>> = [];
    for (const entry of group) {
      const last = runs.at(-1);
      if (last === undefined || !isFailed(last.at(-1)!)) runs.push([entry]);
      else last.push(entry);
    }
    return runs
      .filter((run) => run.length > 1)
      .flatMap((run) => {
        exercised += 1;
        // The server sets the wait after a Retry-After, not the program.
        const gaps = run
          .slice(1)
          .map((entry, index) => [run[index]!, entry] as const)
          .filter(([before]) => before.retryAfterMillis === null)
          .map(([before, entry]) => entry.elapsedMillis - endOf(before));
        if (run.length > 6) return [violation(`retried ${run.length - 1} times`, ...run)];
        const shrinks = gaps.some(
          (_, index) => index > 1 && isHalf(gaps, index - 1) && isHalf(gaps, index),
        );
        const isHasty = gaps.length > 1 && gaps.every((gap) => gap < HASTY_MILLIS);
        return shrinks || isHasty
          ? [violation(`waited ${gaps.map(Math.round).join(", ")} ms between retries`, ...run)]
          : [];
      });
  });
  return finding(exercised, broken);
};

/** A06: nothing on a route within a minute of a firewall's page. */
const stopsAtFirewall = ({ entries }: Run): Finding => {
  const blocked = entries.filter(isChallenge);
  return finding(
    blocked.length,
    blocked.flatMap((entry) => {
      const next = entries.find(
        (later) =>
          later.id > entry.id &&
          later.route === entry.route &&
          later.elapsedMillis < endOf(entry) + 60_000,
      );
      return next === undefined ? [] : [violation("went on after the block", entry, next)];
    }),
  );
};

/** The empty pages of a stream, each with the request that followed it. */
const endsOf = (
  entries: Entries,
  isPage: (entry: JournalEntry) => boolean,
): ReadonlyArray<readonly [end: JournalEntry, next: JournalEntry]> =>
  withLater(
    entries.filter(isPage),
    (entry) => `${clientOf(entry)} ${entry.parameters["realm"] ?? ""}`,
  ).flatMap(([entry, [next]]) =>
    entry.isEmpty === true && entry.status === 200 && next !== undefined
      ? [[entry, next] as const]
      : [],
  );

/** A23: at the end the same id again, and not at once. */
const waitsAtEnd = ({ entries }: Run): Finding => {
  const ends = endsOf(entries, isStream);
  return finding(
    ends.length,
    ends.flatMap(([entry, next]) => {
      if (next.cursor !== entry.nextCursor && next.cursor !== entry.cursor)
        return [violation("asked by another id at the end of the stream", entry, next)];
      const gap = next.elapsedMillis - endOf(entry);
      const message = `asked again after ${Math.round(gap)} ms at the end of the stream`;
      return gap < 1_000 - TOLERANCE_MILLIS ? [violation(message, entry, next)] : [];
    }),
  );
};

const HOUR = 3_600_000;

/** A24: at the end of the exchange nothing before the next hour. */
const waitsForHour = ({ entries }: Run): Finding => {
  const ends = endsOf(entries, isExchange);
  return finding(
    ends.length,
    ends.flatMap(([entry, next]) => {
      const boundary = (Math.floor(Date.parse(entry.at) / HOUR) + 1) * HOUR;
      return Date.parse(next.at) < boundary
        ? [violation("asked again before the next hour", entry, next)]
        : [];
    }),
  );
};

/** A25: fetches nothing twice within a minute. */
const fetchesOnce = ({ entries }: Run): Finding => {
  const reads = withLater(
    entries.filter(
      (entry) => isData(entry) && entry.method === "GET" && !isStream(entry) && !isExchange(entry),
    ),
    ({ requestRef, token }) => `${requestRef} ${token}`,
  ).filter(([{ faults, isWhole, status }]) => status === 200 && isWhole && faults.length === 0);
  return finding(
    reads.length,
    reads.flatMap(([entry, later]) => {
      const next = later.find((one) => one.elapsedMillis < entry.elapsedMillis + 60_000);
      return next === undefined
        ? []
        : [violation("fetched the same again within a minute", entry, next)];
    }),
  );
};

/** The rules. */
export const waitingRules: RuleTable = {
  "A01 error: waits for Retry-After (RFC 9110 §10.2.3)": waitsForRetryAfter,
  "A02 error: never exceeds a policy (§8: rate limits)": keepsToPolicies,
  "A03 error: slows down when a policy tightens (§8: rate limits)": slowsDown,
  "A04 warning: backs off, and gives up after five retries (docs/choices.md: retries)": backsOff,
  "A06 error: stops at a firewall's block (docs/choices.md: firewall)": stopsAtFirewall,
  "A23 error: waits at the end of the stream (§4.2: stream rule 4)": waitsAtEnd,
  "A24 error: waits for the next hour of the exchange (§4.2: currency exchange)": waitsForHour,
  "A25 warning: fetches nothing twice within a minute (§8: rate limits)": fetchesOnce,
};
