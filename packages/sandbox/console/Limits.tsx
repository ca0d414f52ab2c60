/** Rate policies, and their windows as they fill. */
import { useEffect, useState } from "preact/hooks";
import type { WindowReading } from "../src/rates/RateCounters.ts";
import type { RatePolicies } from "../src/rates/RatePolicy.ts";
import { ask, useControl } from "./api.ts";
import { Card, Problem, Table, useAction } from "./ui.tsx";

const PROFILES = ["generous", "realistic", "off"];

/** The limits. */
export const Limits = () => {
  const limits = useControl<{ readonly windows: ReadonlyArray<WindowReading> }>("/limits", 1000);
  const policies = useControl<RatePolicies>("/policies");
  const { problem, run } = useAction();
  const replace = (body: () => unknown) =>
    run(async () => {
      await ask("PUT", "/policies", body());
      await Promise.all([policies.refresh(), limits.refresh()]);
    });
  const windows = limits.value?.windows ?? [];
  return (
    <>
      <Problem text={problem ?? limits.problem} />
      <div class="grid">
        <Card title="Windows">
          {windows.length === 0 && <p class="lead">Nothing is counted at present.</p>}
          {windows.map((one) => (
            <Window key={nameOf(one)} window={one} />
          ))}
        </Card>
        <Editor policies={policies.value} replace={replace} />
      </div>
      <Card title="Policies">
        <div class="toolbar">
          {PROFILES.map((profile) => (
            <button key={profile} type="button" onClick={() => replace(() => ({ profile }))}>
              {profile}
            </button>
          ))}
        </div>
        <Table
          label="Policies"
          head={["Policy", "Rule", "Hits : seconds : block"]}
          rows={Object.entries(policies.value?.policies ?? {}).flatMap(([name, rules]) =>
            Object.entries(rules).map(([rule, windowsOf]) => [
              name,
              rule,
              <code>{windowsOf}</code>,
            ]),
          )}
        />
      </Card>
    </>
  );
};

const nameOf = ({ identity, periodSeconds, policy, rule }: WindowReading): string =>
  `${policy}, ${rule} ${identity}, ${periodSeconds} s`;

const Window = ({ window: one }: { readonly window: WindowReading }) => (
  <div class="window">
    <p>
      <span>
        <strong>{one.policy}</strong> {one.rule} <code>{one.identity}</code>
      </span>
      <span class="number">
        {one.hits} of {one.maxHits} in {one.periodSeconds} s
        {one.restrictedSeconds > 0 && (
          <>
            {" "}
            <span class="badge badge-bad">blocked for {one.restrictedSeconds} s</span>
          </>
        )}
      </span>
    </p>
    <meter
      aria-label={nameOf(one)}
      min={0}
      max={Math.max(1, one.maxHits)}
      high={one.maxHits * 0.8}
      value={Math.min(one.hits, one.maxHits)}
    />
  </div>
);

const Editor = (props: {
  readonly policies: RatePolicies | undefined;
  readonly replace: (body: () => unknown) => void;
}) => {
  const [text, setText] = useState("");
  useEffect(() => {
    if (props.policies !== undefined) setText(JSON.stringify(props.policies, undefined, 2));
  }, [props.policies]);
  const submit = (event: Event): void => {
    event.preventDefault();
    props.replace(() => JSON.parse(text) as unknown);
  };
  return (
    <Card title="Edit the policies">
      <form onSubmit={submit}>
        <label for="policies">As JSON, strictly checked</label>
        <textarea
          id="policies"
          rows={14}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="buttons">
          <button class="primary">Put in force</button>
        </div>
      </form>
    </Card>
  );
};
