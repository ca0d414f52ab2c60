/** Formats an audit report as text or as JUnit XML. */
import type { AuditReport, BrokenRule, RuleReport, RunReport, Verdict } from "./report.ts";

const MARKS = { fail: "✗", warn: "!", pass: "✓", "not exercised": "·" } as const;

const GUIDE = "https://game-data.github.io/game-data/guides/audit/";

const withVerdict = ({ rules }: AuditReport, verdict: Verdict): ReadonlyArray<RuleReport> =>
  rules.filter((rule) => rule.verdict === verdict);

/** Formats a finding: scenario, message, and the first three requests. */
const sentenceOf = ({ message, requests, scenario }: BrokenRule): string => {
  const shown = requests
    .slice(0, 3)
    .map(
      ({ id, method, path, query, status }) =>
        `#${id} ${method} ${path}${query && `?${query}`} → ${status ?? "none"}`,
    );
  return [`${scenario}: ${message}`, shown.join(", ")].filter(Boolean).join("; ");
};

const linesOf = ({ broken, id, statement, title, verdict }: RuleReport): ReadonlyArray<string> => [
  `${MARKS[verdict]} ${id} ${title} (${statement})`,
  ...broken.slice(0, 3).map((one) => `      ${sentenceOf(one)}`),
  ...(broken.length > 3 ? [`      and ${broken.length - 3} more`] : []),
  ...(broken.length > 0 ? [`      change: ${HINTS[id]} (${GUIDE})`] : []),
];

/** Describes how a run ended. Empty if the run ended well. */
const endOf = ({ exit = 0, isRunTimeOver, isTimeout, scenario, signal }: RunReport): string => {
  if (isTimeout === true)
    return `${scenario}: ${signal === "SIGKILL" ? "ignored SIGTERM, ended by SIGKILL" : "ended by the audit"}`;
  return exit === 0 || isRunTimeOver === true ? "" : `${scenario}: ${signal ?? `exit ${exit}`}`;
};

/** Formats the report for a terminal: broken rules first, one line for all unexercised rules. */
export const toText = (report: AuditReport): string => {
  const { exit, missing, runs } = report;
  const failed = withVerdict(report, "fail");
  const warned = withVerdict(report, "warn");
  const passed = withVerdict(report, "pass");
  const silent = withVerdict(report, "not exercised");
  const sent = runs.reduce((sum, { requests }) => sum + requests, 0);
  const tail = exit === 5 ? (runs[0]?.stderrTail ?? "").trimEnd().slice(-2000) : "";
  const lists: ReadonlyArray<readonly [title: string, entries: ReadonlyArray<string>]> = [
    ["ends", runs.map(endOf).filter(Boolean)],
    ["not exercised, and so not judged", silent.map(({ id }) => id)],
    ["required and not exercised", missing],
  ];
  return [
    ...[...failed, ...warned, ...passed].flatMap(linesOf),
    "",
    `${passed.length} passed, ${failed.length} failed, ${warned.length} warnings, ${silent.length} not exercised`,
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${sent} requests`,
    ...lists.flatMap(([title, entries]) =>
      entries.length === 0 ? [] : [`${title}: ${entries.join(", ")}`],
    ),
    ...(tail === "" ? [] : ["", "the end of its stderr:", tail, ""]),
    `exit ${exit}: ${MEANINGS[exit]}`,
    "",
  ].join("\n");
};

/** From this exit code on, the audit could not judge the program. */
const EXIT_UNJUDGED = 4;

const MEANINGS: Readonly<Record<number, string>> = {
  0: "no rule was broken",
  3: "a rule was broken",
  4: "a required rule was not exercised",
  5: "the program fails without faults, so no scenario was run",
};

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Says why a rule was not exercised, and which scenarios exercise it. */
const silenceOf = ({ scenarios }: RuleReport): string =>
  scenarios.length === 0
    ? "not exercised: the program sent nothing that it is about"
    : `not exercised: ${scenarios.map((name) => `--scenario ${name}`).join(" or ")} is for it`;

const caseOf = (rule: RuleReport): string => {
  const { broken, id, title } = rule;
  const findings = escape(broken.map(sentenceOf).join("\n"));
  const body = {
    pass: "",
    fail: `<failure message="${escape(broken[0]?.message ?? "")}">${findings}</failure>`,
    warn: `<system-out>${findings}</system-out>`,
    "not exercised": `<skipped message="${escape(silenceOf(rule))}"/>`,
  }[rule.verdict];
  return `  <testcase classname="audit" name="${escape(`${id} ${title}`)}">${body}</testcase>`;
};

/**
 * Formats the report as JUnit XML. A rule is a test case, and a rule that was not exercised is a
 * skipped one.
 */
export const toJUnit = (report: AuditReport): string => {
  const { exit, missing, rules, runs } = report;
  const isUnjudged = exit >= EXIT_UNJUDGED;
  const reason = escape(`${MEANINGS[exit]} ${missing.join(", ")}`.trim());
  const tails = runs.filter(endOf).map((run) => `${endOf(run)}\n${run.stderrTail ?? ""}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="sandbox audit" tests="${rules.length + 1}" errors="${isUnjudged ? 1 : 0}" failures="${withVerdict(report, "fail").length}" skipped="${withVerdict(report, "not exercised").length}">
${rules.map(caseOf).join("\n")}
  <testcase classname="audit" name="the audit itself">${isUnjudged ? `<error message="${reason}"/>` : ""}</testcase>
  <system-err>${escape(tails.join("\n"))}</system-err>
</testsuite>
`;
};

export const HINTS: Readonly<Record<string, string>> = {
  A01: "wait as long as Retry-After says before the next request of that policy",
  A02: "read the X-Rate-Limit headers, and wait before a window is full",
  A03: "read the limits from every response: they may change at any time",
  A04: "double the wait from one retry to the next, and give up after five",
  A05: "do not send it again: change the request, or tell the user",
  A06: "end at a 403 with an HTML page: requests after it make the block longer",
  A07: "refresh once after a 401, repeat the request once, then stop",
  A08: "list the filters before you create again: the first create may have been carried out",
  A09: "keep the new refresh token before anything else; repeat a refresh once, after a lost answer only",
  A10: "let one refresh run at a time, also between processes",
  A11: "delete the token and ask the user to sign in again",
  A12: "redeem a code at once, and forget it",
  A13: "make a new code_verifier for every authorization request, and send its S256 challenge",
  A14: "make a new random state for every authorization request",
  A15: "compare the state of a callback with the one that you sent, before you use its code",
  A16: "send tokens in the Authorization header, other secrets in the body of the token request",
  A17: "leave client_secret out: a public client has none",
  A21: "take null for what is gone, and go on",
  A22: "request the next page by the id that the last page gave",
  A23: "wait a second or more at the end of the stream, then request the same id",
  A24: "wait until the next full hour",
  A25: "keep a response for a minute before you request it again",
  A26: "stop at place 15,000",
  A27: "ignore members that you do not know, and take null for absent",
  A28: "take 202 as saved, and read the filter later for its validation",
  A29: "give every request a time limit",
  A34: "send the token request as §4.1 shows it: a form, by POST",
  A38: "keep the id of the newest page, and go on from there",
  A39: "compare what arrived with what was announced, and fail or request it again",
  A40: "catch the error, and end with a message and a code of your own",
  A41: "give the whole work a time limit, retries with it",
  A43: "correct the client's id or secret; a repetition cannot succeed",
  A44: "compare the request with the OpenAPI document",
  A45: "begin a page where the last one ended",
  A46: "send access tokens as bearer, and other secrets in the form of the token endpoint alone",
  A47: "make each verifier of 32 bytes of a cryptographic random generator",
  A48: "keep the lifetime from the token response, and introspect only tokens of others",
  A49: "encode each part of a path once, from the name as the service gave it",
  A50: "keep an access token until it expires, and send it with every request",
};
