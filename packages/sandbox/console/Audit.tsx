/** The audit's rules on what the journal holds. */
import type { AuditReport, Verdict } from "../src/audit/report.ts";
import { useControl } from "./api.ts";
import { Card, Problem, Table } from "./ui.tsx";

const BADGES: Readonly<Record<Verdict, string>> = {
  pass: "badge badge-good",
  fail: "badge badge-bad",
  warn: "badge badge-warn",
  "not exercised": "badge",
};

/** Shows the audit. */
export const Audit = () => {
  const { problem, value } = useControl<AuditReport>("/audit", 3000);
  return (
    <Card title="What your application does, by the rules of the specification">
      <Problem text={problem} />
      <p class="lead">
        Live, over the requests in the journal. <code>game-data-sandbox audit -- npm test</code>{" "}
        runs a program through every scenario.
      </p>
      <Table
        label="Rules of the audit"
        head={["Rule", "Verdict", "From", "Exercised", "Broken"]}
        rows={(value?.rules ?? []).map((rule) => [
          <>
            <strong>{rule.id}</strong> {rule.title}
          </>,
          <span class={BADGES[rule.verdict]}>{rule.verdict}</span>,
          rule.statement,
          value?.exercised[rule.id] ?? 0,
          rule.broken.length === 0 ? (
            ""
          ) : (
            <ul class="plain">
              {rule.broken.slice(0, 3).map(({ message, requests }) => (
                <li key={message}>
                  {message}: {requests.map(({ id, route }) => `#${id} ${route ?? "?"}`).join(", ")}
                </li>
              ))}
            </ul>
          ),
        ])}
      />
    </Card>
  );
};
