/** View of the rate policies, and of their windows as they fill. */
import type { WindowReading } from "../src/rates/RateLimits.ts";
import type { RatePolicies } from "../src/rates/RatePolicies.ts";
import { send, useControl } from "./api.ts";
import { Button, Card, JsonForm, Problem, useAction } from "./ui.tsx";

const PROFILES = ["generous", "realistic", "off"];

export const Limits = () => {
  const limits = useControl<{ readonly windows: ReadonlyArray<WindowReading> }>("/limits", 1000);
  const policies = useControl<RatePolicies>("/policies");
  const { problem, run } = useAction();
  const replace = (body: () => unknown) =>
    run(async () => {
      await send("PUT", "/policies", body());
      await Promise.all([policies.refresh(), limits.refresh()]);
    });
  const windows = limits.value?.windows ?? [];
  return (
    <>
      <Problem text={problem ?? limits.problem} />
      <div class="grid">
        <Card title="Windows">
          {windows.length === 0 && <p class="lead">No requests are counted at present.</p>}
          {windows.map((one) => (
            <Window key={nameOf(one)} window={one} />
          ))}
        </Card>
        <Card title="Policies">
          <div class="toolbar">
            {PROFILES.map((profile) => (
              <Button key={profile} onClick={() => replace(() => ({ profile }))}>
                {profile}
              </Button>
            ))}
          </div>
          <JsonForm
            id="policies"
            rows={14}
            text={policies.value === undefined ? "" : JSON.stringify(policies.value, undefined, 2)}
            button="Apply"
            onSubmit={(text) => replace(() => JSON.parse(text) as unknown)}
          />
        </Card>
      </div>
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
