/** An audit report for people, for JUnit readers, and as a page. */
import { html, page } from "../oauth/Html.ts";
import type { AuditReport, BrokenRule, RuleReport, Verdict } from "./report.ts";

const MARKS: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  fail: "✗",
  warn: "!",
  "not exercised": "·",
};

const requestsOf = ({ requests }: BrokenRule): string =>
  requests
    .slice(0, 3)
    .map(
      ({ id, method, route, status }) => `#${id} ${method} ${route ?? "?"} → ${status ?? "none"}`,
    )
    .join(", ");

/** The report in plain lines. */
export const toText = ({ exit, rules, runs, unusedEndpoints }: AuditReport): string => {
  const lines = rules.flatMap(({ broken, id, statement, title, verdict }) => [
    `${MARKS[verdict]} ${id} ${title} (${statement})${verdict === "not exercised" ? ": not exercised" : ""}`,
    ...broken.slice(0, 3).map((one) => `      ${one.scenario}: ${one.message}; ${requestsOf(one)}`),
  ]);
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  return [
    ...lines,
    "",
    `${count("pass")} passed, ${count("fail")} failed, ${count("warn")} warnings, ${count("not exercised")} not exercised`,
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${runs.reduce((sum, run) => sum + run.requests, 0)} requests; never asked: ${unusedEndpoints.join(", ") || "nothing"}`,
    `exit ${exit}`,
    "",
  ].join("\n");
};

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const caseOf = ({ broken, id, title, verdict }: RuleReport): string => {
  const body =
    verdict === "not exercised"
      ? "<skipped/>"
      : verdict === "fail"
        ? `<failure message="${escape(broken[0]?.message ?? "")}">${escape(broken.map((one) => `${one.scenario}: ${one.message}; ${requestsOf(one)}`).join("\n"))}</failure>`
        : verdict === "warn"
          ? `<system-out>${escape(broken.map(({ message }) => message).join("\n"))}</system-out>`
          : "";
  return `  <testcase classname="audit" name="${escape(`${id} ${title}`)}">${body}</testcase>`;
};

/** The report as JUnit XML: a rule is a test case, one that was not exercised is skipped. */
export const toJUnit = ({ rules }: AuditReport): string => {
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="sandbox audit" tests="${rules.length}" failures="${count("fail")}" skipped="${count("not exercised")}">
${rules.map(caseOf).join("\n")}
</testsuite>
`;
};

/** The report as a page. */
export const toHtml = ({ rules, runs, unusedEndpoints }: AuditReport): string =>
  page(
    "Audit",
    html`<h1>Audit</h1>
      <p>${runs.length} runs: ${runs.map(({ scenario }) => scenario).join(", ")}.</p>
      <table>
        <tr>
          <th>Rule</th>
          <th>Verdict</th>
          <th>Statement</th>
        </tr>
        ${rules.map(
          (rule) =>
            html`<tr>
              <td><strong>${rule.id}</strong> ${rule.title}</td>
              <td>${rule.verdict}</td>
              <td>
                ${rule.statement}
                ${
                  rule.broken.length === 0
                    ? undefined
                    : html`<ul>
                        ${rule.broken.slice(0, 5).map((one) => html`<li>${one.scenario}: ${one.message}; ${requestsOf(one)}</li>`)}
                      </ul>`
                }
              </td>
            </tr>`,
        )}
      </table>
      <p>Never asked: ${unusedEndpoints.join(", ") || "nothing"}.</p>`,
    { isWide: true },
  );
