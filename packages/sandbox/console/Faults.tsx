/** Faults and scenarios: what is made to go wrong. */
import { useState } from "preact/hooks";
import type { FaultRule, FaultStatus } from "../src/faults/Fault.ts";
import { ask, useControl } from "./api.ts";
import { faultSentence } from "./faultSentence.ts";
import { Card, Problem, useAction } from "./ui.tsx";

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

/** Faults and scenarios. */
export const Faults = () => {
  const faults = useControl<{ readonly faults: ReadonlyArray<FaultStatus> }>("/faults", 2000);
  const scenarios = useControl<{ readonly scenarios: ReadonlyArray<ScenarioStatus> }>("/scenarios");
  const [text, setText] = useState('{ "fault": { "kind": "status", "status": 503 } }');
  const { problem, run } = useAction();
  const act = (method: string, path: string, body?: unknown) =>
    run(() =>
      ask(method, path, body).then(() => Promise.all([faults.refresh(), scenarios.refresh()])),
    );
  const rules = faults.value?.faults ?? [];
  return (
    <>
      <Problem text={problem ?? faults.problem} />
      <Card title="Faults in force">
        {rules.length === 0 ? (
          <p class="lead">None. Everything is answered as the specification says.</p>
        ) : (
          <>
            <ul class="plain faults" aria-label="Faults in force">
              {rules.map(({ fired, id, rule, seen }) => (
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
                    onClick={() => act("DELETE", `/faults/${encodeURIComponent(id)}`)}
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
              <button type="button" onClick={() => act("DELETE", "/faults")}>
                Remove all
              </button>
            </div>
          </>
        )}
      </Card>
      <div class="grid">
        <Card title="Add a fault">
          <div class="buttons">
            {PRESETS.map(([name, rule]) => (
              <button key={name} type="button" onClick={() => act("POST", "/faults", rule)}>
                {name}
              </button>
            ))}
          </div>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              run(async () => {
                await ask("POST", "/faults", parse(text));
                await faults.refresh();
              });
            }}
          >
            <p>
              <label for="rule">As JSON, strictly checked</label>
              <textarea
                id="rule"
                rows={5}
                spellcheck={false}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </p>
            <button class="primary">Add</button>
          </form>
        </Card>
        <Card title="Scenarios">
          <ul class="plain">
            {(scenarios.value?.scenarios ?? []).map(({ isRunning, name, summary }) => (
              <li key={name}>
                <button
                  type="button"
                  aria-label={`Start ${name}`}
                  onClick={() => act("POST", "/scenarios", { name })}
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
            <button type="button" onClick={() => act("DELETE", "/scenarios")}>
              Stop all
            </button>
          </div>
        </Card>
      </div>
    </>
  );
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`This is no JSON: ${(cause as Error).message}`, { cause });
  }
};
