/** The audit's verdicts on the journal. */
import { Fragment } from "preact";
import type { AuditReport, Verdict } from "../src/audit/report.ts";
import { useControl } from "./api.ts";
import { addressOf } from "./Journal.tsx";
import { Card, Problem } from "./ui.tsx";

const BADGES: Readonly<Record<Verdict, string>> = {
  pass: "badge badge-good",
  fail: "badge badge-bad",
  warn: "badge badge-warn",
  "not exercised": "badge",
};

export const Audit = () => {
  const { problem, value } = useControl<AuditReport>("/audit", 3000);
  const rules = value?.rules ?? [];
  const silent = rules.filter(({ verdict }) => verdict === "not exercised");
  const spoke = rules
    .filter(({ verdict }) => verdict !== "not exercised")
    .toSorted((one, other) => other.broken.length - one.broken.length);
  return (
    <Card title="Rules that your application keeps or breaks">
      <Problem text={problem} />
      <p class="lead">
        Judges the requests in the journal. <code>game-data-sandbox audit -- npm test</code> runs a
        program through every scenario.
      </p>
      <ul class="lines" aria-label="Rules of the audit">
        {spoke.map((rule) => (
          <li key={rule.id}>
            <span class={BADGES[rule.verdict]}>{rule.verdict}</span> <strong>{rule.id}</strong>{" "}
            {rule.title}{" "}
            <span class="muted">
              {rule.statement}, exercised {value?.exercised[rule.id] ?? 0} times
            </span>
            <Violations broken={rule.broken} />
          </li>
        ))}
      </ul>
      <h3>Not exercised</h3>
      <ul class="lines">
        {silent.map(({ id, scenarios, title }) => (
          <li key={id}>
            <strong>{id}</strong> {title}
            {scenarios.length > 0 && <span class="muted">: scenario {scenarios.join(" or ")}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
};

/** The first times that a rule was broken, each with its requests. */
const Violations = ({ broken }: Pick<AuditReport["rules"][number], "broken">) => (
  <ul class="broken">
    {broken.slice(0, 3).map(({ message, requests }) => (
      <li key={message}>
        {message}
        {requests.slice(0, 5).map((request, index) => (
          <Fragment key={request.id}>
            {index === 0 ? ": " : ", "}
            <a href={`#/journal/${request.id}`}>
              #{request.id} {request.method} {addressOf(request)}
            </a>
          </Fragment>
        ))}
      </li>
    ))}
  </ul>
);
