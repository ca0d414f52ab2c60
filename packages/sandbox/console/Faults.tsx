/** Faults and scenarios: what is made to go wrong. */
import type { Fault, FaultOf, FaultRule, FaultStatus } from "../src/faults/Fault.ts";
import { ask, useControl } from "./api.ts";
import { Card, JsonForm, Problem, useAction } from "./ui.tsx";

const PRESETS: ReadonlyArray<readonly [string, FaultRule]> = [
  ["503 with Retry-After", { fault: { kind: "status", status: 503, retryAfter: 2 } }],
  ["401", { fault: { kind: "status", status: 401 }, match: { endpoint: "profile" } }],
  ["a firewall's page", { fault: { kind: "firewallPage" }, when: { count: 1 } }],
  ["slow bodies", { fault: { kind: "dribble", bytes: 1024, everyMilliseconds: 50 } }],
  ["cut bodies", { fault: { kind: "truncate", atByte: 40 } }],
  ["no answer", { fault: { kind: "hang" }, when: { count: 1 } }],
];

interface ScenarioStatus {
  readonly name: string;
  readonly summary: string;
  readonly isRunning: boolean;
}

type Act = (method: string, path: string, body?: unknown) => void;

/** Total over the kinds: a new one does not compile without its words. */
const WHAT: { readonly [Kind in Fault["kind"]]: (fault: FaultOf<Kind>) => string } = {
  status: ({ retryAfter, status }) =>
    `answers ${status}${retryAfter === undefined ? "" : ` (Retry-After ${retryAfter})`} to`,
  firewallPage: () => "answers with a firewall's page to",
  nullResult: () => "answers with a null result to",
  delay: () => "waits before it answers",
  dribble: ({ bytes }) => `sends ${bytes} bytes at a time to`,
  truncate: ({ atByte }) => `cuts the body at byte ${atByte} of`,
  contentLength: () => "lies about the length of the body of",
  malformedJson: () => "sends broken JSON to",
  gzipCut: () => "cuts the compressed body of",
  reset: () => "resets the connection of",
  hang: () => "never answers",
  changeId: ({ mode }) => `answers with another change id (${mode}) to`,
  duplicateChanges: () => "sends changes twice to",
  headers: () => "changes the headers of",
  members: () => "adds members and words that nobody knows to",
  forgedState: () => "sends callbacks with another state, after",
  merge: () => "changes members of the answers to",
  nulls: () => "sends optional members as null to",
};

const times = (count: number): string =>
  count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;

const when = ({ after, count, every, from, nth, probability, until }: FaultRule["when"] & {}) =>
  [
    nth === undefined ? "" : `at request ${[nth].flat().join(" and ")}`,
    after === undefined ? "" : `after ${times(after)}`,
    every === undefined ? "" : `every ${every}th time`,
    probability === undefined ? "" : `in ${Math.round(probability * 100)} % of cases`,
    from === undefined ? "" : `from ${from} on`,
    until === undefined ? "" : `until ${until}`,
    count === undefined ? "" : `${times(count)} at most`,
  ].filter((part) => part !== "");

/** A rule as a sentence: "answers 503 to stashes, twice". */
const faultSentence = ({ fault, match = {}, when: condition = {} }: FaultRule): string => {
  const { account, clientId, endpoint, grantType, method, path, route } = match;
  const whom = [
    endpoint ?? route ?? (path === undefined ? "every request" : `paths below ${path}`),
    ...(method === undefined ? [] : [`by ${method}`]),
    ...(grantType === undefined ? [] : [`with ${grantType}`]),
    ...(clientId === undefined ? [] : [`of ${clientId}`]),
    ...(account === undefined ? [] : [`for ${account}`]),
  ].join(" ");
  const what = WHAT[fault.kind] as (one: Fault) => string;
  return [`${what(fault)} ${whom}`, ...when(condition)].join(", ");
};

export const Faults = () => {
  const faults = useControl<{ readonly faults: ReadonlyArray<FaultStatus> }>("/faults", 2000);
  const scenarios = useControl<{ readonly scenarios: ReadonlyArray<ScenarioStatus> }>("/scenarios");
  const { problem, run } = useAction();
  const act: Act = (method, path, body) =>
    run(async () => {
      await ask(method, path, typeof body === "string" ? parse(body) : body);
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
      <p class="lead">None. Everything is answered as the specification says.</p>
    ) : (
      <>
        <ul class="lines faults" aria-label="Faults in force">
          {props.rules.map(({ fired, id, rule, seen }) => (
            <li key={id}>
              <p>
                {faultSentence(rule)}.{" "}
                <span class="muted">
                  Fired {fired} of {seen} times.
                </span>
              </p>
              <button
                type="button"
                aria-label={`Remove ${id}`}
                onClick={() => props.act("DELETE", `/faults/${encodeURIComponent(id)}`)}
              >
                Remove
              </button>
              <details>
                <summary>
                  <code>{id}</code>
                </summary>
                <pre>{JSON.stringify(rule, undefined, 2)}</pre>
              </details>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <button type="button" onClick={() => props.act("DELETE", "/faults")}>
            Remove all
          </button>
        </div>
      </>
    )}
  </Card>
);

const AddFault = ({ act }: { readonly act: Act }) => (
  <Card title="Add a fault">
    <div class="buttons">
      {PRESETS.map(([name, rule]) => (
        <button key={name} type="button" onClick={() => act("POST", "/faults", rule)}>
          {name}
        </button>
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
          <button
            type="button"
            aria-label={`Start ${name}`}
            onClick={() => props.act("POST", "/scenarios", { name })}
          >
            Start
          </button>{" "}
          <strong>{name}</strong> {isRunning && <span class="badge badge-good">running</span>}
          <br />
          <span class="muted">{summary}</span>
        </li>
      ))}
    </ul>
    <div class="buttons">
      <button type="button" onClick={() => props.act("DELETE", "/scenarios")}>
        Stop all
      </button>
    </div>
  </Card>
);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`This is no JSON: ${(cause as Error).message}`, { cause });
  }
};
