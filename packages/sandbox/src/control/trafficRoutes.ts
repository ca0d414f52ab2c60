/** Faults and rate policies on the control plane. */
import * as Schema from "effect/Schema";
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { pointerOf } from "../internal/issues.ts";
import { RatePolicies, rateProfiles } from "../rates/RatePolicies.ts";
import { PolicyChange } from "./documents.ts";
import { checkRule, ENDPOINT_KEYS } from "./names.ts";
import { notFound, type Plane, rejectName, routesOf } from "./Route.ts";

const addFaults = (plane: Plane, body: FaultRule | ReadonlyArray<FaultRule>) => {
  const rules: ReadonlyArray<FaultRule> = [body].flat();
  for (const [index, rule] of rules.entries())
    checkRule(plane, rule, Array.isArray(body) ? `/${index}` : "");
  return { faults: rules.map((rule) => plane.service.faults.add(rule)) };
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

const route = routesOf("faults");
const policyRoute = routesOf("policies");
const faults = Schema.Struct({ faults: Schema.Array(FaultStatus) });
const policies = { body: PolicyChange, result: RatePolicies };

export const trafficRoutes = [
  route(
    "GET /faults",
    "The rules in force, and how often each has fired",
    { result: faults },
    ({ service }) => ({ faults: service.faults.list() }),
  ),
  route(
    "POST /faults",
    "Add one rule or several; a rule of the same id is replaced",
    { body: Schema.Union([FaultRule, Schema.Array(FaultRule)]), result: faults },
    (plane, { body }) => addFaults(plane, body),
  ),
  route("DELETE /faults", "Remove all rules", { status: 204 }, ({ service }) =>
    service.faults.clear(),
  ),
  route(
    "DELETE /faults/{id}",
    "Remove one rule",
    { status: 204 },
    ({ service }, { params: { id = "" } }) => {
      if (!service.faults.remove(id)) notFound(`no fault is called ${id}`);
    },
  ),
  policyRoute(
    "GET /policies",
    "The rate policies in force",
    { result: RatePolicies },
    ({ service }) => service.rates.policies,
  ),
  policyRoute(
    "PUT /policies",
    "Put other rate policies in force, or a ready-made document by its name",
    policies,
    (plane, { body }) => replacePolicies(plane, body),
  ),
  policyRoute("POST /policies", "The same by POST", policies, (plane, { body }) =>
    replacePolicies(plane, body),
  ),
  policyRoute(
    "GET /limits",
    "What is counted at present, by policy, rule, identity and window",
    {},
    (plane) => ({ windows: readWindows(plane) }),
  ),
];
