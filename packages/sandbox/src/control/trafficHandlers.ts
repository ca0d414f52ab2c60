/** Faults, rate policies and scenarios on the control plane. */
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { SCENARIOS } from "../audit/scenarios.ts";
import type { FaultRule } from "../faults/Fault.ts";
import { pointerOf } from "../internal/issues.ts";
import { rateProfiles } from "../rates/RatePolicies.ts";
import { ControlApi } from "./Api.ts";
import type { PolicyChange } from "./documents.ts";
import { checkRule, ENDPOINT_KEYS } from "./names.ts";
import { attempt, notThere, type Plane, rejectName } from "./respond.ts";

const addFaults = (plane: Plane, body: FaultRule | ReadonlyArray<FaultRule>) => {
  const rules: ReadonlyArray<FaultRule> = [body].flat();
  for (const [index, rule] of rules.entries())
    checkRule(plane, rule, Array.isArray(body) ? `/${index}` : "");
  return { faults: rules.map((rule) => plane.service.faults.add(rule)) };
};

export const faultHandlers = (plane: Plane) => {
  const { faults } = plane.service;
  return HttpApiBuilder.group(ControlApi, "faults", (handlers) =>
    handlers.handleAll({
      list: () => Effect.sync(() => ({ faults: faults.list() })),
      add: ({ payload }) => attempt(() => addFaults(plane, payload)),
      clear: () => Effect.sync(() => faults.clear()),
      remove: ({ params: { id } }) =>
        Effect.suspend(() =>
          faults.remove(id) ? Effect.void : notThere(`no fault is called ${id}`),
        ),
    }),
  );
};

const replacePolicies = ({ service: { rates } }: Plane, change: PolicyChange) => {
  const policies = "profile" in change ? rateProfiles[change.profile] : change;
  for (const name of Object.keys(policies.endpoints))
    if (name !== "*" && !ENDPOINT_KEYS.includes(name))
      rejectName(pointerOf(["endpoints", name]), "endpoint", name, ENDPOINT_KEYS);
  rates.replace(policies);
  return policies;
};

/** Windows with the accounts by their names: a uuid says nothing to people. */
const readWindows = ({ core, service }: Plane) =>
  service.rates.windows(core.clock.now()).map((window) => {
    const [uuid = ""] = window.identity.split(":").slice(-1);
    const name = core.accounts.byUuid(uuid)?.name ?? uuid;
    return { ...window, identity: window.identity.replace(uuid, name) };
  });

export const policyHandlers = (plane: Plane) => {
  const replace = ({ payload }: { readonly payload: PolicyChange }) =>
    attempt(() => replacePolicies(plane, payload));
  return HttpApiBuilder.group(ControlApi, "policies", (handlers) =>
    handlers.handleAll({
      read: () => Effect.sync(() => plane.service.rates.policies),
      replace,
      replaceByPost: replace,
      limits: () => Effect.sync(() => ({ windows: readWindows(plane) })),
    }),
  );
};

export const scenarioHandlers = ({ scenarios }: Plane) =>
  HttpApiBuilder.group(ControlApi, "scenarios", (handlers) =>
    handlers.handleAll({
      list: () =>
        Effect.sync(() => ({
          scenarios: SCENARIOS.map((one) => ({ ...one, isRunning: scenarios.isRunning(one.name) })),
        })),
      start: ({ payload }) => Effect.map(scenarios.start(payload), (scenario) => ({ scenario })),
      stop: () => Effect.sync(() => scenarios.undo()),
    }),
  );
