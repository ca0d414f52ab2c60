/** Rules of the audit about time: how long a client waits, and how often it sends requests. */
import type { JournalEntry } from "../../journal/Journal.ts";
import {
  clientOf,
  endOf,
  type Entries,
  finding,
  groups,
  isChallenge,
  isData,
  isExchange,
  isStream,
  judge,
  type RuleTable,
  TOLERANCE_MILLIS,
  UNEXERCISED,
  violation,
  withLater,
} from "./model.ts";

/** A shorter gap is not a wait, because a response and the next request take this long. */
const HASTY_MILLIS = 15;
const MAX_RETRIES = 5;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Splits requests into runs, each up to the first success. Returns the runs with retries. */
const retriesIn = (group: Entries): ReadonlyArray<Entries> => {
  const runs: Array<Array<JournalEntry>> = [];
  for (const entry of group) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (before === undefined || (before.status !== null && before.status < 500)) runs.push([entry]);
    else last!.push(entry);
  }
  return runs.filter((run) => run.length > 1);
};

const isHalf = (gaps: ReadonlyArray<number>, index: number): boolean =>
  gaps[index]! < gaps[index - 1]! * 0.5;

/** Returns the empty pages of a stream, each with the next request to this stream. */
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

export const waitingRules: RuleTable = {
  "A01 error: waits for Retry-After (RFC 9110 §10.2.3)": ({ entries }) =>
    judge(
      entries.filter(
        ({ retryAfterMillis, status }) =>
          retryAfterMillis !== null && (status === 429 || status === 503),
      ),
      (entry) => {
        const wait = entry.retryAfterMillis!;
        const early = entries.find(
          (later) =>
            later.elapsedMillis > endOf(entry) &&
            later.elapsedMillis < endOf(entry) + wait - TOLERANCE_MILLIS &&
            clientOf(later) === clientOf(entry) &&
            (later.route === entry.route ||
              (entry.policy !== null && later.policy === entry.policy)),
        );
        if (early === undefined) return undefined;
        const after = Math.round(early.elapsedMillis - endOf(entry));
        const what = `sent the next request after ${after} ms, Retry-After was ${wait} ms`;
        return violation(what, entry, early);
      },
    ),

  "A02 error: never exceeds a policy (§8: rate limits)": ({ entries, scenario }) =>
    judge(
      scenario === "policy-tightens" ? [] : entries.filter(({ policy }) => policy !== null),
      (entry) =>
        entry.limited &&
        entry.faults.length === 0 &&
        violation(`exceeded the policy ${entry.policy}`, entry),
    ),

  "A03 error: slows down when a policy tightens (§8: rate limits)": ({ entries, scenario }) => {
    if (scenario !== "policy-tightens") return UNEXERCISED;
    const governed = entries.filter(({ policy }) => policy !== null);
    // Ignore the first refusal, because it may be the first response with the new numbers.
    const limited = entries.filter((entry) => entry.limited).slice(1);
    return finding(
      governed.slice(0, 1),
      limited.map((entry) => violation("exceeded a policy that had been announced", entry)),
    );
  },

  // With full jitter, a random wait below a growing bound, one gap may be shorter than the gap
  // before. Report only gaps that halve twice in a row, and gaps that are all very short.
  "A04 warning: backs off, and gives up after five retries (docs/choices.md: retries)": ({
    entries,
  }) =>
    judge(groups(entries, ({ requestRef }) => requestRef).flatMap(retriesIn), (run) => {
      const retries = run.length - 1;
      if (retries > MAX_RETRIES) return violation(`retried ${retries} times`, ...run);
      // Ignore gaps after a Retry-After, because the server set them.
      const gaps = run.slice(1).flatMap((entry, index) => {
        const before = run[index]!;
        return before.retryAfterMillis === null ? [entry.elapsedMillis - endOf(before)] : [];
      });
      const shrinks = gaps.some(
        (_, index) => index > 1 && isHalf(gaps, index - 1) && isHalf(gaps, index),
      );
      const isHasty = gaps.length > 1 && gaps.every((gap) => gap < HASTY_MILLIS);
      const what = `waited ${gaps.map(Math.round).join(", ")} ms between retries`;
      return (shrinks || isHasty) && violation(what, ...run);
    }),

  // Reports a request to the same route within a minute after the block.
  "A06 error: stops at a firewall's block (docs/choices.md: firewall)": ({ entries }) =>
    judge(entries.filter(isChallenge), (entry) => {
      const next = entries.find(
        ({ elapsedMillis, id, route }) =>
          id > entry.id && route === entry.route && elapsedMillis < endOf(entry) + MINUTE,
      );
      return next && violation("went on after the block", entry, next);
    }),

  // The next request must have the same id, and be sent at least a second later.
  "A23 error: waits at the end of the stream (§4.2: stream rule 4)": ({ entries }) =>
    judge(endsOf(entries, isStream), ([entry, next]) => {
      if (next.cursor !== entry.nextCursor && next.cursor !== entry.cursor)
        return violation("requested another id at the end of the stream", entry, next);
      const gap = next.elapsedMillis - endOf(entry);
      const what = `requested the page again after ${Math.round(gap)} ms at the end of the stream`;
      return gap < 1_000 - TOLERANCE_MILLIS && violation(what, entry, next);
    }),

  "A24 error: waits for the next hour of the exchange (§4.2: currency exchange)": ({ entries }) =>
    judge(endsOf(entries, isExchange), ([entry, next]) => {
      const boundary = (Math.floor(Date.parse(entry.at) / HOUR) + 1) * HOUR;
      const isEarly = Date.parse(next.at) < boundary;
      return isEarly && violation("requested the hour again before its end", entry, next);
    }),

  "A25 warning: fetches nothing twice within a minute (§8: rate limits)": ({ entries }) =>
    judge(
      withLater(
        entries.filter(
          (entry) =>
            isData(entry) && entry.method === "GET" && !isStream(entry) && !isExchange(entry),
        ),
        ({ requestRef, token }) => `${requestRef} ${token}`,
      ).filter(([{ faults, isWhole, status }]) => status === 200 && isWhole && faults.length === 0),
      ([entry, later]) => {
        const next = later.find((one) => one.elapsedMillis < entry.elapsedMillis + MINUTE);
        return next && violation("fetched the same again within a minute", entry, next);
      },
    ),
};
