/** An audit report for people, and as JUnit XML. */
import { HINTS } from "./hints.ts";
import type { AuditReport, BrokenRule, RuleReport, RunReport, Verdict } from "./report.ts";

const MARKS: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  fail: "✗",
  warn: "!",
  "not exercised": "·",
};

/** The message of a finding with the requests that it is about. */
const sentenceOf = ({ message, requests, scenario }: BrokenRule): string => {
  const shown = requests
    .slice(0, 3)
    .map(
      ({ id, method, path, query, status }) =>
        `#${id} ${method} ${path}${query && `?${query}`} → ${status ?? "none"}`,
    );
  return [`${scenario}: ${message}`, shown.join(", ")].filter(Boolean).join("; ");
};

/** Why a rule could not speak, and what would let it. */
const silenceOf = ({ scenarios }: RuleReport): string =>
  scenarios.length === 0
    ? "not exercised: the program sent nothing that it is about"
    : `not exercised: ${scenarios.map((name) => `--scenario ${name}`).join(" or ")} is for it`;

/** Broken rules are reported first. */
const VERDICTS: ReadonlyArray<Verdict> = ["fail", "warn", "pass"];

const GUIDE = "https://game-data.github.io/game-data/guides/audit/";

const linesOf = (rule: RuleReport): ReadonlyArray<string> => [
  `${MARKS[rule.verdict]} ${rule.id} ${rule.title} (${rule.statement})`,
  ...rule.broken.slice(0, 3).map((one) => `      ${sentenceOf(one)}`),
  ...(rule.broken.length > 3 ? [`      and ${rule.broken.length - 3} more`] : []),
  ...(rule.broken.length > 0 ? [`      change: ${HINTS[rule.id]} (${GUIDE})`] : []),
];

/** How a run ended; undefined if it ended well. */
const endOf = ({ exit, isAsked, isTimeout, scenario, signal }: RunReport): string | undefined => {
  if (isTimeout === true)
    return `${scenario}: ${signal === "SIGKILL" ? "ignored SIGTERM, ended by SIGKILL" : "ended by the audit"}`;
  if (exit === undefined || exit === 0 || isAsked === true) return undefined;
  return `${scenario}: ${signal ?? `exit ${exit}`}`;
};

export const toText = (report: AuditReport): string => {
  const { exit, missing, rules, runs, unusedEndpoints } = report;
  const lines = VERDICTS.flatMap((verdict) =>
    rules.filter((rule) => rule.verdict === verdict).flatMap(linesOf),
  );
  const silent = rules.filter(({ verdict }) => verdict === "not exercised").map(({ id }) => id);
  const ends = runs.map(endOf).filter((end) => end !== undefined);
  const left = runs.flatMap((run) => (run.left ?? []).map((name) => `${run.scenario}: ${name}`));
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  return [
    ...lines,
    "",
    `${count("pass")} passed, ${count("fail")} failed, ${count("warn")} warnings, ${count("not exercised")} not exercised`,
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${runs.reduce((sum, run) => sum + run.requests, 0)} requests; never asked: ${unusedEndpoints.join(", ") || "nothing"}`,
    ...(ends.length > 0 ? [`ends: ${ends.join(", ")}`] : []),
    ...(left.length > 0 ? [`left running: ${left.join(", ")}`] : []),
    ...(silent.length > 0 ? [`not exercised, and so not judged: ${silent.join(" ")}`] : []),
    ...(missing.length > 0 ? [`required and not exercised: ${missing.join(", ")}`] : []),
    ...tailOf(report),
    `exit ${exit}: ${MEANINGS[exit] ?? "see above"}`,
    "",
  ].join("\n");
};

/** From here on the audit could not judge what it was asked to. */
const EXIT_UNJUDGED = 4;

const MEANINGS: Readonly<Record<number, string>> = {
  0: "no rule was broken",
  3: "a rule was broken",
  4: "a required rule was not exercised",
  5: "the program fails without faults, so no scenario was run",
};

/** The end of the program's stderr, where it failed by itself. */
const tailOf = ({ exit, runs }: AuditReport): ReadonlyArray<string> =>
  exit === 5 && (runs[0]?.stderrTail ?? "") !== ""
    ? ["", "the end of its stderr:", runs[0]!.stderrTail!.trimEnd().slice(-2000), ""]
    : [];

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const caseOf = (rule: RuleReport): string => {
  const { broken, id, title } = rule;
  const findings = escape(broken.map(sentenceOf).join("\n"));
  const bodies: Readonly<Record<Verdict, () => string>> = {
    pass: () => "",
    fail: () => `<failure message="${escape(broken[0]?.message ?? "")}">${findings}</failure>`,
    warn: () => `<system-out>${findings}</system-out>`,
    "not exercised": () => `<skipped message="${escape(silenceOf(rule))}"/>`,
  };
  const body = bodies[rule.verdict]();
  return `  <testcase classname="audit" name="${escape(`${id} ${title}`)}">${body}</testcase>`;
};

/** The report as JUnit XML: a rule is a test case, one that was not exercised is skipped. */
export const toJUnit = ({ exit, missing, rules, runs }: AuditReport): string => {
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const tails = runs
    .filter((run) => endOf(run) !== undefined)
    .map((run) => `${endOf(run)}\n${run.stderrTail ?? ""}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="sandbox audit" tests="${rules.length + 1}" errors="${exit >= EXIT_UNJUDGED ? 1 : 0}" failures="${count("fail")}" skipped="${count("not exercised")}">
${rules.map(caseOf).join("\n")}
  <testcase classname="audit" name="the audit itself">${exit >= EXIT_UNJUDGED ? `<error message="${escape(`${MEANINGS[exit]} ${missing.join(", ")}`.trim())}"/>` : ""}</testcase>
  <system-err>${escape(tails.join("\n"))}</system-err>
</testsuite>
`;
};
