/**
 * Scenarios on the control plane: several may run at once, until `DELETE` or a reset.
 *
 * `POST` carries out what a scenario sets up, and its steps as the journal shows the requests that
 * they wait for.
 */
import { type ControlRequest, type Scenario, SCENARIOS } from "../audit/scenarios.ts";
import { json, type ResponseOutput } from "../http/messages.ts";
import type { Log } from "../internal/log.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import type { RatePolicies } from "../rates/RatePolicy.ts";
import type { Service } from "../Service.ts";
import type { Issue } from "../internal/document.ts";
import { ScenarioBody } from "./documents.ts";
import { ENDPOINT_KEYS } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  readJson,
  rejectAll,
  rejected,
  rejectName,
  route,
} from "./requests.ts";

/** Routes of scenarios, and what stops them. */
export const scenarioRoutes = (
  { faults, journal, rates }: Service,
  perform: (method: string, path: string, body: unknown) => ResponseOutput,
  log: Log,
): { readonly routes: ReadonlyArray<ControlRoute>; readonly clear: () => void } => {
  const running = new Map<string, () => void>();
  /** The policies before a scenario that puts others in force. */
  let before: RatePolicies | undefined;

  const carryOut = ({ body, method, path }: ControlRequest, pointer: string): void => {
    const { body: text, status } = perform(method, path, body);
    if (status < 400) return;
    const { issues, reason } = JSON.parse(String(text)) as Refusal;
    if (issues === undefined) rejected(`${method} ${path}: ${reason}`, pointer);
    else rejectAll(issues.map((each) => ({ ...each, pointer: `${pointer}/body${each.pointer}` })));
  };

  const start: ControlHandler = (request) => {
    const { name, ...own } = checked(ScenarioBody, readJson(request));
    const scenario: Scenario = { ...named(name), ...own };
    for (const [index, { after }] of (own.steps ?? []).entries())
      if (after.endpoint !== "*" && !ENDPOINT_KEYS.includes(after.endpoint))
        rejectName(`/steps/${index}/after/endpoint`, "endpoint", after.endpoint, ENDPOINT_KEYS);
    for (const [index, step] of scenario.setup.entries()) carryOut(step, `/setup/${index}`);
    stop(name);
    if (changesPolicies(scenario)) before ??= rates.policies();
    running.set(name, journal.subscribe(stepper(scenario, carryOut, log)));
    return json({ scenario }, 201);
  };

  const stop = (name: string): void => {
    running.get(name)?.();
    running.delete(name);
  };
  const clear = (): void => {
    for (const name of running.keys()) stop(name);
  };

  return {
    clear,
    routes: [
      route("GET", "/control/scenarios", () =>
        json({
          scenarios: SCENARIOS.map((one) => ({ ...one, isRunning: running.has(one.name) })),
        }),
      ),
      route("POST", "/control/scenarios", start),
      route("DELETE", "/control/scenarios", () => {
        for (const name of running.keys())
          for (const id of faultsOf(named(name))) faults.remove(id);
        clear();
        if (before !== undefined) rates.replace(before);
        before = undefined;
        return undefined;
      }),
    ],
  };
};

const named = (name: string): Scenario =>
  SCENARIOS.find((one) => one.name === name) ??
  rejectName(
    "/name",
    "scenario",
    name,
    SCENARIOS.map((one) => one.name),
  );

interface Refusal {
  readonly reason: string;
  readonly issues?: ReadonlyArray<Issue>;
}

const changesPolicies = ({ steps = [] }: Scenario): boolean =>
  steps.some((step) => step.do.some(({ path }) => path === "/policies"));

/** The names of the faults that a scenario sets up. */
const faultsOf = ({ setup }: Scenario): ReadonlyArray<string> =>
  setup
    .filter(({ path }) => path === "/faults")
    .flatMap(({ body }) =>
      (body as ReadonlyArray<{ readonly id?: string }>).flatMap(({ id }) =>
        id === undefined ? [] : [id],
      ),
    );

/** Carries out the steps of a scenario as requests come. */
const stepper = (
  { name, steps = [] }: Scenario,
  carryOut: (request: ControlRequest, pointer: string) => void,
  log: Log,
): ((entry: JournalEntry) => void) => {
  const left = steps.map((step) => ({ step, seen: 0 }));
  return ({ endpoint, listener }) => {
    for (const one of left) {
      const { after } = one.step;
      const isMatch = after.endpoint === "*" ? listener === "data" : after.endpoint === endpoint;
      if (!isMatch || ++one.seen !== after.count) continue;
      try {
        for (const [index, request] of one.step.do.entries()) carryOut(request, `/do/${index}`);
      } catch (cause) {
        log(`a step of the scenario ${name} failed`, cause);
      }
    }
  };
};
