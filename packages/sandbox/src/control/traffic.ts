/** Faults and rate policies on the control plane. */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { type Fault, FaultRule } from "../faults/Fault.ts";
import { controlError } from "../http/fallbacks.ts";
import { empty, json } from "../http/messages.ts";
import { list } from "../internal/document.ts";
import type { WindowReading } from "../rates/RateCounters.ts";
import { rateProfiles } from "../rates/RateProfiles.ts";
import type { Service } from "../Service.ts";
import { PolicyChange } from "./documents.ts";
import { checkNames, ENDPOINT_KEYS } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  instantOf,
  readJson,
  rejected,
  rejectName,
  route,
} from "./requests.ts";

/** Routes of faults, policies and limits. */
export const trafficRoutes = (
  core: Core,
  { faults, rates }: Service,
  data: DataPart,
): ReadonlyArray<ControlRoute> => {
  const checkRule = ({ fault, match, when }: FaultRule, pointer: string): void => {
    for (const text of [when?.from, when?.until]) if (text !== undefined) instantOf(text);
    if (match !== undefined) checkNames(core, data, match, `${pointer}/match`);
    if (fault.kind === "changeId" && fault.mode === "set" && fault.id === undefined)
      rejected('a changeId fault with mode "set" needs an id');
    checkHeaders(headersOf(fault));
  };

  const addFaults: ControlHandler = (request) => {
    const body = readJson(request);
    const rules: ReadonlyArray<FaultRule> = Array.isArray(body)
      ? checked(list(FaultRule), body)
      : [checked(FaultRule, body)];
    rules.forEach((rule, index) => checkRule(rule, Array.isArray(body) ? `/${index}` : ""));
    return json({ faults: rules.map((rule) => faults.add(rule)) });
  };

  const replacePolicies: ControlHandler = (request) => {
    const change = checked(PolicyChange, readJson(request));
    const policies = "profile" in change ? rateProfiles[change.profile] : change;
    for (const name of Object.keys(policies.endpoints))
      if (name !== "*" && !ENDPOINT_KEYS.includes(name))
        rejectName(`/endpoints/${name}`, "endpoint", name, ENDPOINT_KEYS);
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
    route("DELETE", "/control/faults", () => {
      faults.clear();
      return empty(204);
    }),
    route("DELETE", "/control/faults/:id", (_, { id = "" }) =>
      faults.remove(id) ? empty(204) : controlError(`no fault is called ${id}`, 404),
    ),
    route("GET", "/control/policies", () => json(rates.policies())),
    route("PUT", "/control/policies", replacePolicies),
    route("POST", "/control/policies", replacePolicies),
    route("GET", "/control/limits", () => json({ windows: rates.windows().map(named) })),
  ];
};

/** The headers that a fault brings in. */
const headersOf = (fault: Fault): Readonly<Record<string, string>> => {
  if (fault.kind === "headers") return fault.set ?? {};
  if (fault.kind !== "status") return {};
  const { headers = {}, retryAfter } = fault;
  return typeof retryAfter === "string" ? { ...headers, "retry-after": retryAfter } : headers;
};

/** A token and a field value of RFC 9110 §5.1, §5.5. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;

/** A header that cannot be sent would turn the fault into another one. */
const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) rejected(`${JSON.stringify(name)} is no name of a header`);
    if (!HEADER_VALUE.test(value)) rejected(`the value of the header ${name} cannot be sent`);
  }
};
