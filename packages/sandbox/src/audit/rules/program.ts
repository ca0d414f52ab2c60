/** Rules of the audit about the program itself: how it ends, and what it takes for a success. */
import type { ProgramEnd } from "../ProgramEnd.ts";
import {
  endOf,
  finding,
  hasFault,
  isData,
  TOLERANCE_MILLIS,
  violation,
  type Finding,
  type RuleTable,
  type Run,
  type Violation,
} from "./model.ts";

/** A violation by the program, not by a request. */
const byProgram = (message: string): Violation => ({ message, requests: [] });

/** What runtimes print last when an error was not caught. */
const CRASHES: ReadonlyArray<RegExp> = [
  /\nNode\.js v\d[\d.]*\s*$/u,
  /^Bun v\d[\d.]* /mu,
  /^error: Uncaught /mu,
  /Traceback \(most recent call last\):/u,
  /^panic: /mu,
  /^fatal error: /mu,
  /^Exception in thread "/mu,
  /^thread '.*panicked at/mu,
  /^Unhandled exception\. /mu,
  /^PHP Fatal error: {1,2}/mu,
  /\(\w+(?:Error|Exception)\)\s*$/u,
];
/** What a program says that catches its own errors and prints them: a value was not what it took it for. */
const BUGS: ReadonlyArray<RegExp> = [
  /Cannot read propert(?:y|ies) of (?:null|undefined)/u,
  /(?:null|undefined) is not an object/u,
  /(?:null|undefined) is not iterable/u,
  / is not a function\b/u,
  /'NoneType' object /u,
  /NullPointerException/u,
  /NullReferenceException/u,
  /nil pointer dereference/u,
  /undefined method .{1,80} for nil/u,
  /Call to a member function .{1,80} on null/u,
];
const CRASH_SIGNALS: ReadonlySet<string> = new Set([
  "SIGSEGV",
  "SIGABRT",
  "SIGBUS",
  "SIGILL",
  "SIGFPE",
  "SIGTRAP",
]);

/** The last line of a stderr that says which error it was. */
const errorLine = (stderr: string): string => {
  const lines = stderr.trim().split("\n");
  const found = lines.findLast(
    (line) =>
      /^(?:Uncaught )?[\w.:]*(?:Error|Exception)\b|^panic: |panicked at/u.test(line.trim()) ||
      BUGS.some((bug) => bug.test(line)),
  );
  return (found ?? lines.at(-1) ?? "").trim().slice(0, 160);
};

const hasCrashed = ({ exit, signal, stderrTail }: ProgramEnd): boolean =>
  (signal !== null && CRASH_SIGNALS.has(signal)) ||
  (exit !== 0 && CRASHES.some((crash) => crash.test(stderrTail))) ||
  BUGS.some((bug) => bug.test(stderrTail));

/** A40: the program does not crash. */
const doesNotCrash = ({ ended }: Run): Finding => {
  if (ended === undefined) return finding(0, []);
  const { exit, signal, stderrTail } = ended;
  return finding(
    1,
    hasCrashed(ended)
      ? [byProgram(`crashed (${signal ?? `exit ${exit}`}): ${errorLine(stderrTail)}`)]
      : [],
  );
};

/** A41: the program ends where it ended without faults. */
const ends = ({ baseline, ended, entries }: Run): Finding => {
  if (ended === undefined || baseline === undefined) return finding(0, []);
  const seconds = Math.round(ended.millis / 1000);
  const last = entries.at(-1);
  return finding(
    1,
    ended.isTimeout
      ? [
          {
            message: `did not end within ${seconds} s; without faults it ended after ${Math.round(baseline.millis / 1000)} s`,
            requests: last === undefined ? [] : [last.id],
          },
        ]
      : [],
  );
};

/** A29: every request has a time limit. */
const limitsTime = ({ ended, entries }: Run): Finding => {
  const hung = entries.filter(({ faults, status }) => status === null && hasFault(faults, "hang"));
  if (ended === undefined) return finding(0, []);
  const open = hung.filter(
    (entry) => ended.isTimeout && endOf(entry) >= ended.elapsedMillis - TOLERANCE_MILLIS,
  );
  // One that was given up shows the limit: the audit has cut the others short, not the program.
  const hasLimit = open.length < hung.length;
  return finding(
    hung.length,
    (hasLimit ? [] : open).map((entry) =>
      violation(
        `waited ${Math.round(entry.durationMillis / 1000)} s for an answer, until the program was ended`,
        entry,
      ),
    ),
  );
};

const REFUSALS = ["expired", "revoked", "firewall"];

/** A39: half an answer is a failure, and so is a refusal that a program gave up over. */
const takesFailureForFailure = ({ baseline, ended, entries, scenario }: Run): Finding => {
  if (ended === undefined || baseline === undefined) return finding(0, []);
  const last = entries.findLast(isData);
  const refused =
    last !== undefined && REFUSALS.some((name) => hasFault(last.faults, name)) ? [last] : [];
  const half = entries.filter(
    ({ faults, method }) =>
      method === "GET" && (hasFault(faults, "cut") || hasFault(faults, "empty")),
  );
  const isSilent = ended.exit === baseline.exit && !ended.isTimeout && !ended.isAsked;
  const ignored = half.filter(
    (entry) =>
      !entries.some(({ id, requestRef }) => id > entry.id && requestRef === entry.requestRef),
  );
  const what = scenario === "empty-body" ? "an empty answer" : "half an answer";
  return finding(
    half.length + refused.length,
    isSilent
      ? [
          ...ignored.map((entry) =>
            violation(`took ${what} for a whole one, and ended well`, entry),
          ),
          ...refused.map((entry) => violation(`gave up at ${entry.status}, and ended well`, entry)),
        ]
      : [],
  );
};

/** Scenarios in which nothing goes wrong that a program could not live with. */
const HARMLESS: ReadonlySet<string> = new Set([
  "slow-body",
  "filter-202",
  "stream-end",
  "hour-boundary",
]);

/** A42: ends as without faults where nothing failed. */
const endsAsBefore = ({ baseline, ended, entries, scenario }: Run): Finding => {
  if (ended === undefined || baseline === undefined || !HARMLESS.has(scenario))
    return finding(0, []);
  const met = entries.filter(({ faults }) => faults.length > 0);
  const isOther = ended.exit !== baseline.exit && !ended.isTimeout && !ended.isAsked;
  return finding(
    met.length,
    isOther && met.length > 0
      ? [violation(`ended with ${ended.exit}, without faults with ${baseline.exit}`, met.at(-1)!)]
      : [],
  );
};

/** The rules. */
export const programRules: RuleTable = {
  "A29 error: limits the time of every request (docs/choices.md: time limits)": limitsTime,
  "A39 warning: takes a failed answer for a failure (§7: errors; RFC 9112 §8: incomplete messages)":
    takesFailureForFailure,
  "A40 error: does not crash (§7: errors)": doesNotCrash,
  "A41 error: comes to an end (docs/choices.md: time limits)": ends,
  "A42 warning: ends as it does without faults (§4.2, §7: 202)": endsAsBefore,
};
