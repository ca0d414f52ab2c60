/** Faults and rate policies on the control plane. */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { FaultRule } from "../faults/Fault.ts";
import { controlError } from "../http/fallbacks.ts";
import { json } from "../http/messages.ts";
import { list, pointerOf } from "../internal/document.ts";
import type { WindowReading } from "../rates/RateCounters.ts";
import { rateProfiles } from "../rates/RateProfiles.ts";
import type { Service } from "../Service.ts";
import { PolicyChange } from "./documents.ts";
import { checkRule, ENDPOINT_KEYS } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  readJson,
  rejectName,
  route,
} from "./requests.ts";

/** Routes of faults, policies and limits. */
export const trafficRoutes = (
  core: Core,
  service: Service,
  data: DataPart,
): ReadonlyArray<ControlRoute> => {
  const { faults, rates } = service;
  const addFaults: ControlHandler = (request) => {
    const body = readJson(request);
    const rules: ReadonlyArray<FaultRule> = Array.isArray(body)
      ? checked(list(FaultRule), body)
      : [checked(FaultRule, body)];
    for (const [index, rule] of rules.entries())
      checkRule({ core, data, service }, rule, Array.isArray(body) ? `/${index}` : "");
    return json({ faults: rules.map((rule) => faults.add(rule)) });
  };

  const replacePolicies: ControlHandler = (request) => {
    const change = checked(PolicyChange, readJson(request));
    const policies = "profile" in change ? rateProfiles[change.profile] : change;
    for (const name of Object.keys(policies.endpoints))
      if (name !== "*" && !ENDPOINT_KEYS.includes(name))
        rejectName(pointerOf(["endpoints", name]), "endpoint", name, ENDPOINT_KEYS);
    for (const [name, policy] of Object.entries(policies.endpoints)) {
      const at = pointerOf(["endpoints", name]);
      if (!Object.hasOwn(policies.policies, policy))
        rejectName(at, "policy", policy, Object.keys(policies.policies));
    }
    rates.replace(policies);
    return json(rates.policies());
  };

  /** Accounts by their names: a uuid says nothing to people. */
  const named = (window: WindowReading): WindowReading => {
    const [uuid = ""] = window.identity.split(":").slice(-1);
    const name = core.accounts.byUuid(uuid)?.name;
    return name === undefined
      ? window
      : { ...window, identity: window.identity.replace(uuid, name) };
  };

  return [
    route("GET", "/control/faults", () => json({ faults: faults.list() })),
    route("POST", "/control/faults", addFaults),
    route("DELETE", "/control/faults", () => void faults.clear()),
    route("DELETE", "/control/faults/:id", (_, { id = "" }) =>
      faults.remove(id) ? undefined : controlError(`no fault is called ${id}`, 404),
    ),
    route("GET", "/control/policies", () => json(rates.policies())),
    route("PUT", "/control/policies", replacePolicies),
    route("POST", "/control/policies", replacePolicies),
    route("GET", "/control/limits", () => json({ windows: rates.windows().map(named) })),
  ];
};
