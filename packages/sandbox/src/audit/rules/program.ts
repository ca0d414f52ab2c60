/** Rules of the audit about the program itself: how it ends, and whether it notices failures. */
import type { ProgramEnd } from "./model.ts";
import { wordsOf } from "../../internal/words.ts";
import {
  endedByItself,
  endOf,
  finding,
  hasFault,
  isData,
  judge,
  type RuleTable,
  TOLERANCE_MILLIS,
  UNEXERCISED,
  violation,
  withFault,
} from "./model.ts";

/** Patterns of the last output of runtimes after an uncaught error. */
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
];
const RUBY_FRAME = /^[\t ]+from /u;
const RUBY_ERROR = /\([\w:]+(?:Error|Exception)\)$/u;
/** Patterns of errors about null and wrong types, which a program may also catch and print. */
const BUGS: ReadonlyArray<RegExp> = [
  /Cannot read propert(?:y|ies) of (?:null|undefined)/u,
  /(?:null|undefined) is not an object/u,
  /(?:null|undefined) is not iterable/u,
  / is not a function\b/u,
  /'NoneType' object /u,
  /NullPointerException/u,
  /NullReferenceException/u,
  /nil pointer dereference/u,
  // Ruby: "undefined method 'name' for nil". PHP: "Call to a member function name() on null".
  /' for nil\b/u,
  /\(\) on null\b/u,
];
const CRASH_SIGNALS: ReadonlySet<string> = new Set(
  wordsOf("SIGSEGV SIGABRT SIGBUS SIGILL SIGFPE SIGTRAP"),
);

/** Returns the last line of stderr that names an error, or else the last line. */
const errorLine = (stderr: string): string => {
  const lines = stderr.trim().split("\n");
  const found = lines.findLast(
    (line) =>
      /^(?:Uncaught )?[\w.:]*(?:Error|Exception)\b|^panic: |panicked at|Error\)$/u.test(
        line.trim(),
      ) || BUGS.some((bug) => bug.test(line)),
  );
  return (found ?? lines.at(-1) ?? "").trim().slice(0, 160);
};

/** Ruby prints the frames of the stack after the error. */
const isRubyCrash = (stderr: string): boolean => {
  const lines = stderr.trimEnd().split("\n");
  return RUBY_ERROR.test(lines.findLast((line) => !RUBY_FRAME.test(line)) ?? "");
};

const hasCrashed = ({ exit, signal, stderrTail }: ProgramEnd): boolean =>
  (signal !== null && CRASH_SIGNALS.has(signal)) ||
  (exit !== 0 && (isRubyCrash(stderrTail) || CRASHES.some((crash) => crash.test(stderrTail)))) ||
  BUGS.some((bug) => bug.test(stderrTail));

const REFUSALS = ["expired", "revoked", "firewall"];

export const programRules: RuleTable = {
  "A29 error: limits the time of every request (docs/choices.md: time limits)": ({
    ended,
    entries,
  }) => {
    if (ended === undefined) return UNEXERCISED;
    const hung = withFault(entries, "hang").filter(({ status }) => status === null);
    const open = hung.filter(
      (entry) => ended.isTimeout && endOf(entry) >= ended.elapsedMillis - TOLERANCE_MILLIS,
    );
    // A request that the program gave up shows its time limit. The audit ended the other requests.
    const hasLimit = open.length < hung.length;
    return judge(hung, (entry) => {
      const seconds = Math.round(entry.durationMillis / 1000);
      const what = `waited ${seconds} s for an answer, until the program was ended`;
      return !hasLimit && violation(what, entry);
    });
  },

  "A39 warning: takes a failed answer for a failure (§7: errors; RFC 9112 §8: incomplete messages)":
    ({ baseline, ended, entries, scenario }) => {
      if (ended === undefined || baseline === undefined) return UNEXERCISED;
      const last = entries.findLast(isData);
      const isRefused = REFUSALS.some((name) => hasFault(last?.faults ?? [], name));
      const refused = isRefused ? [last!] : [];
      const half = entries.filter(
        ({ faults, method }) =>
          method === "GET" && (hasFault(faults, "cut") || hasFault(faults, "empty")),
      );
      const what = scenario === "empty-body" ? "an empty answer" : "half an answer";
      const isSilent = ended.exit === baseline.exit && endedByItself(ended);
      const ignored = half.filter(
        (entry) =>
          !entries.some(({ id, requestRef }) => id > entry.id && requestRef === entry.requestRef),
      );
      const broken = [
        ...ignored.map((entry) => violation(`took ${what} for a whole one, and ended well`, entry)),
        ...refused.map((entry) => violation(`gave up at ${entry.status}, and ended well`, entry)),
      ];
      return finding([...half, ...refused], isSilent ? broken : []);
    },

  "A40 error: does not crash (§7: errors)": ({ ended }) =>
    judge(ended === undefined ? [] : [ended], (end) => {
      const what = `crashed (${end.signal ?? `exit ${end.exit}`}): ${errorLine(end.stderrTail)}`;
      return hasCrashed(end) && violation(what);
    }),

  "A41 error: comes to an end (docs/choices.md: time limits)": ({ baseline, ended, entries }) => {
    if (ended === undefined || baseline === undefined) return UNEXERCISED;
    return judge([ended], ({ isTimeout, millis }) => {
      const [seconds, before] = [millis, baseline.millis].map((each) => Math.round(each / 1000));
      const what = `did not end within ${seconds} s; without faults it ended after ${before} s`;
      return isTimeout && violation(what, ...entries.slice(-1));
    });
  },
};
