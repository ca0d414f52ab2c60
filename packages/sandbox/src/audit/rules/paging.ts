/** Rules of the audit about pages: the stream, and ladders. */
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import {
  clientOf,
  finding,
  groups,
  isExchange,
  isStream,
  violation,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

const MADE_UP = "asked by an id that the service never gave";
/** Whether the service refused the id of a page itself. */
const isMadeUp = ({ faults, status }: JournalEntry): boolean =>
  status === 400 && faults.length === 0;

/** A22: follows the stream, and the exchange, by the ids that it was given. */
const followsIds = ({ entries }: Run): Finding => {
  // A fault that answers in the place of the service hides which id was asked for.
  const pages = groups(
    entries.filter((entry) => (isStream(entry) || isExchange(entry)) && entry.cursor !== null),
    (entry) => `${clientOf(entry)} ${entry.endpoint} ${entry.parameters["realm"] ?? ""}`,
  );
  let exercised = 0;
  const broken = pages.flatMap((group) => {
    const given = new Set<string>();
    const found = group.filter(isMadeUp).map((entry) => violation(MADE_UP, entry));
    let last: JournalEntry | undefined;
    for (const entry of group) {
      const isFirst = entry.cursor === group[0]!.cursor;
      if (last !== undefined) exercised += 1;
      if (!isFirst && !given.has(entry.cursor!) && !isMadeUp(entry))
        found.push(violation("asked by an id that it was not given", entry));
      const isBack =
        isStream(entry) &&
        last?.nextCursor !== undefined &&
        last.nextCursor !== null &&
        last.isWhole &&
        last.status === 200 &&
        entry.cursor !== last.nextCursor &&
        entry.cursor !== last.cursor &&
        isFirst &&
        group.indexOf(entry) > 0;
      if (isBack) found.push(violation("began the stream again", last!, entry));
      if (entry.status === 200 && entry.nextCursor !== null) given.add(entry.nextCursor);
      if (entry.status === 200) last = entry;
    }
    return found;
  });
  return finding(exercised, broken.slice(0, 5));
};

/** A38: a page of the stream once; at the end the same id again is right. */
const takesPagesOnce = ({ entries }: Run): Finding => {
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
    whole.length,
    again.map((group) => violation(`fetched one page ${group.length} times`, ...group)),
  );
};

const LADDER_DEPTH = 15_000;

/** A26: no ladder beyond 15,000, nothing after an empty page. */
const staysInLadder = ({ entries }: Run): Finding => {
  const pages = entries.filter(({ endpoint }) => endpoint?.endsWith("adder") === true);
  return finding(
    pages.length,
    pages
      .filter(({ parameters }) => Number(parameters["offset"] ?? 0) >= LADDER_DEPTH)
      .map((entry) => violation(`asked a ladder from ${entry.parameters["offset"]} on`, entry)),
  );
};

/** The rules. */
export const pagingRules: RuleTable = {
  "A22 error: follows stream and exchange by the ids given (§4.2: stream rule 1, currency exchange)":
    followsIds,
  "A38 error: fetches a page of the stream once (§4.2: stream rule 1)": takesPagesOnce,
  "A26 error: asks no ladder beyond 15,000 (§7, §8: ladders)": staysInLadder,
};
