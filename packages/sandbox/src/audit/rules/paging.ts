/** Rules of the audit about pages: the stream, the exchange, and ladders. */
import type { JournalEntry } from "../../journal/Journal.ts";
import {
  clientOf,
  type Entries,
  finding,
  groups,
  isExchange,
  isStream,
  judge,
  type RuleTable,
  violation,
} from "./model.ts";

const MADE_UP = "requested an id that the service never sent";
/** Returns whether the service, and not a fault, refused the id of a page. */
const isMadeUp = ({ faults, status }: JournalEntry): boolean =>
  status === 400 && faults.length === 0;

const followed = (group: Entries): Entries => {
  const first = group.findIndex(({ status }) => status === 200);
  return first < 0 ? [] : group.slice(first + 1);
};

/** Reports ids that a client had not received from the stream, and restarts of the stream. */
const strayed = (group: Entries) => {
  const given = new Set<string>();
  const found = group.filter(isMadeUp).map((entry) => violation(MADE_UP, entry));
  let last: JournalEntry | undefined;
  for (const [index, entry] of group.entries()) {
    const isFirst = entry.cursor === group[0]!.cursor;
    if (!isFirst && !given.has(entry.cursor!) && !isMadeUp(entry))
      found.push(violation("requested an id that it had not received", entry));
    const isBack =
      isStream(entry) &&
      isFirst &&
      index > 0 &&
      last?.isWhole === true &&
      last.nextCursor !== null &&
      entry.cursor !== last.nextCursor &&
      entry.cursor !== last.cursor;
    if (isBack) found.push(violation("began the stream again", last!, entry));
    if (entry.status !== 200) continue;
    last = entry;
    if (entry.nextCursor !== null) given.add(entry.nextCursor);
  }
  return found;
};

const LADDER_DEPTH = 15_000;
const STRIDES = 2;

const isLadder = ({ endpoint }: JournalEntry): boolean => endpoint?.endsWith("adder") === true;
const offsetOf = ({ parameters }: JournalEntry): number => Number(parameters["offset"] ?? 0);
const limitOf = ({ parameters }: JournalEntry): number => Number(parameters["limit"] ?? 20);

/** Describes the entries of a ladder that the requested pages leave out or repeat. */
const misstepIn = (group: Entries): string | undefined => {
  const limit = limitOf(group[0]!);
  const offsets = [...new Set(group.map(offsetOf))].toSorted((one, other) => one - other);
  const strides = offsets.slice(1).map((offset, index) => offset - offsets[index]!);
  const first = strides[0] ?? 0;
  const gaps = strides.filter((stride) => stride === first && stride > limit);
  if (gaps.length >= STRIDES)
    return `left out ${first - limit} of every ${first} entries of a ladder`;
  const overlapping = strides.filter((stride) => stride < limit);
  if (overlapping.length >= STRIDES)
    return `requested each entry of a ladder up to ${Math.ceil(limit / first)} times`;
  const at = strides.findIndex((stride) => stride > limit);
  if (first !== limit || at < 0 || strides[at]! % limit !== 0) return undefined;
  return `left out the entries ${offsets[at]! + limit} to ${offsets[at + 1]! - 1} of a ladder`;
};

export const pagingRules: RuleTable = {
  "A22 error: follows stream and exchange by the ids given (§4.2: stream rule 1, currency exchange)":
    ({ entries }) => {
      // Ignores requests without a cursor, which a fault answered in the place of the service.
      const pages = groups(
        entries.filter((entry) => (isStream(entry) || isExchange(entry)) && entry.cursor !== null),
        (entry) => `${clientOf(entry)} ${entry.endpoint} ${entry.parameters["realm"] ?? ""}`,
      );
      return finding(pages.flatMap(followed), pages.flatMap(strayed).slice(0, 5));
    },

  // At the end of the stream, the same id may be requested again, so ignore empty pages.
  "A38 error: fetches a page of the stream once (§4.2: stream rule 1)": ({ entries }) => {
    const whole = entries.filter(
      (entry) =>
        isStream(entry) &&
        entry.status === 200 &&
        entry.isWhole &&
        entry.isEmpty === false &&
        entry.faults.length === 0,
    );
    const again = groups(whole, (entry) => `${clientOf(entry)} ${entry.cursor}`).filter(
      (group) => group.length > 1,
    );
    return finding(
      whole,
      again.map((group) => violation(`fetched one page ${group.length} times`, ...group)),
    );
  },

  "A26 error: requests no ladder beyond 15,000 (§7, §8: ladders)": ({ entries }) =>
    judge(
      entries.filter(isLadder),
      (entry) =>
        offsetOf(entry) >= LADDER_DEPTH &&
        violation(`requested a ladder from place ${entry.parameters["offset"]} on`, entry),
    ),

  // One jump may look up a rank. Report equal jumps, and a jump over whole pages after pages in
  // sequence, because both leave entries out. A failed request is not a gap.
  "A45 warning: requests each place of a ladder once (§8: default limits)": ({ entries }) => {
    const ladders = groups(entries.filter(isLadder), ({ clientId, endpoint, parameters }) => {
      const { offset: _, ...rest } = parameters;
      return JSON.stringify([clientId, endpoint, rest]);
    });
    return judge(
      ladders.filter((group) => group.length > STRIDES),
      (group) => {
        const misstep = misstepIn(group);
        return misstep !== undefined && violation(misstep, ...group);
      },
    );
  },
};
