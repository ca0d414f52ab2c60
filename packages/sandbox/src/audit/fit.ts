/**
 * Fits a scenario to what a program sends without faults, so that it meets the fault.
 *
 * Scenarios hit the second request of a kind, for a program should be under way then. One that
 * sends a single request of that kind would never meet it.
 */
import type { FaultRule } from "../faults/Fault.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import type { ControlRequest, Scenario } from "./scenarios.ts";

type Count = (endpoint: string) => number;

const countIn =
  (entries: ReadonlyArray<JournalEntry>): Count =>
  (endpoint) =>
    entries.filter((entry) =>
      endpoint === "*"
        ? entry.listener === "data"
        : entry.endpoint === endpoint || entry.endpoint?.split(".", 1)[0] === endpoint,
    ).length;

const fitRule = (rule: FaultRule, count: Count): FaultRule => {
  const { match, when } = rule;
  const endpoint = match?.endpoint;
  if (when === undefined || endpoint === undefined || endpoint.startsWith("oauth")) return rule;
  const sent = count(endpoint);
  const { after } = when;
  const nth = typeof when.nth === "number" ? [when.nth] : (when.nth ?? []);
  const first = nth.length === 0 || sent === 0 ? 0 : Math.min(...nth);
  const back = Math.max(0, first - sent);
  return {
    ...rule,
    when: {
      ...when,
      ...(nth.length !== 0 && { nth: nth.map((one) => one - back) }),
      ...(after === undefined || sent === 0 ? {} : { after: Math.min(after, sent - 1) }),
    },
  };
};

const fitRequest = (request: ControlRequest, count: Count): ControlRequest =>
  request.path === "/faults"
    ? {
        ...request,
        body: (request.body as ReadonlyArray<FaultRule>).map((rule) => fitRule(rule, count)),
      }
    : request;

/** The scenario for a program that sent `entries` when nothing went wrong. */
export const fitScenario = (scenario: Scenario, entries: ReadonlyArray<JournalEntry>): Scenario => {
  const count = countIn(entries);
  const steps = scenario.steps?.map(({ after, do: requests }) => ({
    after: { ...after, count: Math.max(1, Math.min(after.count, count(after.endpoint) - 1)) },
    do: requests,
  }));
  return {
    ...scenario,
    setup: scenario.setup.map((request) => fitRequest(request, count)),
    ...(steps !== undefined && { steps }),
  };
};
