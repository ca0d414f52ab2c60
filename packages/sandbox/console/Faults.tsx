/** View of faults and scenarios, which it lists, adds and removes. */
import type { FaultRule, FaultStatus } from "../src/faults/Fault.ts";
import { send, useControl } from "./api.ts";
import { Button, Card, JsonForm, Problem, useAction } from "./ui.tsx";

const PRESETS: ReadonlyArray<readonly [string, FaultRule]> = [
  ["503 with Retry-After", { fault: { kind: "status", status: 503, retryAfter: 2 } }],
  ["401", { fault: { kind: "status", status: 401 }, match: { endpoint: "profile" } }],
  ["firewall page", { fault: { kind: "firewallPage" }, when: { count: 1 } }],
  ["slow response", { fault: { kind: "dribble", bytes: 1024, everyMilliseconds: 50 } }],
  ["cut response", { fault: { kind: "truncate", atByte: 40 } }],
  ["no response", { fault: { kind: "hang" }, when: { count: 1 } }],
];

interface ScenarioStatus {
  readonly name: string;
  readonly summary: string;
  readonly isRunning: boolean;
}

type Act = (method: string, path: string, body?: unknown) => void;

/** Formats the members of a document on one line: `status 503, retryAfter 2`. */
const inLine = (document: object): string =>
  Object.entries(document)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

/** Shows a rule on one line: its kind, its effect, and when and for which requests it fires. */
const Rule = ({ fault: { kind, ...effect }, match = {}, when = {} }: FaultRule) => (
  <>
    <strong>{kind}</strong> {inLine(effect)} for{" "}
    {Object.keys(match).length === 0 ? "every request" : inLine(match)}
    {Object.keys(when).length > 0 && `, when ${inLine(when)}`}
  </>
);

export const Faults = () => {
  const faults = useControl<{ readonly faults: ReadonlyArray<FaultStatus> }>("/faults", 2000);
  const scenarios = useControl<{ readonly scenarios: ReadonlyArray<ScenarioStatus> }>("/scenarios");
  const { problem, run } = useAction();
  const act: Act = (method, path, body) =>
    run(async () => {
      await send(method, path, typeof body === "string" ? parse(body) : body);
      await Promise.all([faults.refresh(), scenarios.refresh()]);
    });
  return (
    <>
      <Problem text={problem ?? faults.problem} />
      <InForce rules={faults.value?.faults ?? []} act={act} />
      <div class="grid">
        <AddFault act={act} />
        <Scenarios list={scenarios.value?.scenarios ?? []} act={act} />
      </div>
    </>
  );
};

const InForce = (props: { readonly rules: ReadonlyArray<FaultStatus>; readonly act: Act }) => (
  <Card title="Faults in force">
    {props.rules.length === 0 ? (
      <p class="lead">None. The sandbox answers as the specification says.</p>
    ) : (
      <>
        <ul class="lines removable" aria-label="Faults in force">
          {props.rules.map(({ fired, id, rule, seen }) => (
            <li key={id}>
              <p>
                <code>{id}</code>: <Rule {...rule} />{" "}
                <span class="muted">
                  ({fired} of {seen} requests)
                </span>
              </p>
              <Button
                aria-label={`Remove ${id}`}
                onClick={() => props.act("DELETE", `/faults/${encodeURIComponent(id)}`)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <Button onClick={() => props.act("DELETE", "/faults")}>Remove all</Button>
        </div>
      </>
    )}
  </Card>
);

const AddFault = ({ act }: { readonly act: Act }) => (
  <Card title="Add a fault">
    <div class="buttons">
      {PRESETS.map(([name, rule]) => (
        <Button key={name} onClick={() => act("POST", "/faults", rule)}>
          {name}
        </Button>
      ))}
    </div>
    <JsonForm
      id="rule"
      rows={5}
      text='{ "fault": { "kind": "status", "status": 503 } }'
      button="Add"
      onSubmit={(text) => act("POST", "/faults", text)}
    />
  </Card>
);

const Scenarios = (props: { readonly list: ReadonlyArray<ScenarioStatus>; readonly act: Act }) => (
  <Card title="Scenarios">
    <ul class="lines">
      {props.list.map(({ isRunning, name, summary }) => (
        <li key={name}>
          <Button
            aria-label={`Start ${name}`}
            onClick={() => props.act("POST", "/scenarios", { name })}
          >
            Start
          </Button>{" "}
          <strong>{name}</strong> {isRunning && <span class="badge badge-good">running</span>}
          <br />
          <span class="muted">{summary}</span>
        </li>
      ))}
    </ul>
    <div class="buttons">
      <Button onClick={() => props.act("DELETE", "/scenarios")}>Stop all</Button>
    </div>
  </Card>
);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`Not valid JSON: ${(cause as Error).message}`, { cause });
  }
};
