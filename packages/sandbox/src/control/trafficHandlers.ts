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
import { attempt, notThere, type ControlContext, rejectName } from "./respond.ts";

const addFaults = (context: ControlContext, body: FaultRule | ReadonlyArray<FaultRule>) => {
  const rules: ReadonlyArray<FaultRule> = [body].flat();
  for (const [index, rule] of rules.entries())
    checkRule(context, rule, Array.isArray(body) ? `/${index}` : "");
  return { faults: rules.map((rule) => context.server.faults.add(rule)) };
};

export const faultHandlers = (context: ControlContext) => {
  const { faults } = context.server;
  return HttpApiBuilder.group(ControlApi, "faults", (handlers) =>
    handlers.handleAll({
      list: () => Effect.sync(() => ({ faults: faults.list() })),
      add: ({ payload }) => attempt(() => addFaults(context, payload)),
      clear: () => Effect.sync(() => faults.clear()),
      remove: ({ params: { id } }) =>
        Effect.suspend(() =>
          faults.remove(id) ? Effect.void : notThere(`no fault is called ${id}`),
        ),
    }),
  );
};

const replacePolicies = ({ server: { rates } }: ControlContext, change: PolicyChange) => {
  const policies = "profile" in change ? rateProfiles[change.profile] : change;
  for (const name of Object.keys(policies.endpoints))
    if (name !== "*" && !ENDPOINT_KEYS.includes(name))
      rejectName(pointerOf(["endpoints", name]), "endpoint", name, ENDPOINT_KEYS);
  rates.replace(policies);
  return policies;
};

/** Windows with the accounts by their names: a uuid says nothing to people. */
const readWindows = ({ state, server }: ControlContext) =>
  server.rates.windows(state.clock.now()).map((window) => {
    const [uuid = ""] = window.identity.split(":").slice(-1);
    const name = state.accounts.byUuid(uuid)?.name ?? uuid;
    return { ...window, identity: window.identity.replace(uuid, name) };
  });

export const policyHandlers = (context: ControlContext) => {
  const replace = ({ payload }: { readonly payload: PolicyChange }) =>
    attempt(() => replacePolicies(context, payload));
  return HttpApiBuilder.group(ControlApi, "policies", (handlers) =>
    handlers.handleAll({
      read: () => Effect.sync(() => context.server.rates.policies),
      replace,
      replaceByPost: replace,
      limits: () => Effect.sync(() => ({ windows: readWindows(context) })),
    }),
  );
};

export const scenarioHandlers = ({ scenarios }: ControlContext) =>
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
