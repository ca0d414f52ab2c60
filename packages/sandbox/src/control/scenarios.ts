/**
 * Scenarios on the control plane: several may run at once, until `DELETE` or a reset.
 *
 * `POST` carries out what a scenario sets up, and its steps as the journal shows the requests that
 * they wait for.
 */
import { type ControlRequest, type Scenario, scenarioOf, SCENARIOS } from "../audit/scenarios.ts";
import type { Log } from "../internal/log.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import type { RatePolicies } from "../rates/RatePolicies.ts";
import type { Service } from "../Service.ts";
import { ScenarioBody } from "./documents.ts";
import { ENDPOINT_KEYS } from "./names.ts";
import { refusalOf, rejectAll, rejected, rejectName, routesOf, type Scenarios } from "./Route.ts";

/** Makes the scenarios; `perform` is a request to the control plane that throws what it refuses. */
export const makeScenarios = (
  { faults, journal, rates }: Service,
  perform: (request: ControlRequest) => void,
  log: Log,
): Scenarios => {
  const running = new Map<string, () => void>();
  /** The policies before a scenario that puts others in force. */
  let before: RatePolicies | undefined;

  const carryOut = (request: ControlRequest, pointer: string): void => {
    try {
      perform(request);
    } catch (cause) {
      const { issues = [], reason } = refusalOf(cause) ?? {};
      if (reason === undefined) throw cause;
      if (issues.length === 0) rejected(`${request.method} ${request.path}: ${reason}`, pointer);
      rejectAll(issues.map((each) => ({ ...each, pointer: `${pointer}/body${each.pointer}` })));
    }
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
    isRunning: (name) => running.has(name),
    start: ({ name, ...own }) => {
      const scenario: Scenario = { ...named(name), ...own };
      for (const [index, { after }] of (own.steps ?? []).entries())
        if (after.endpoint !== "*" && !ENDPOINT_KEYS.includes(after.endpoint))
          rejectName(`/steps/${index}/after/endpoint`, "endpoint", after.endpoint, ENDPOINT_KEYS);
      for (const [index, request] of scenario.setup.entries()) carryOut(request, `/setup/${index}`);
      stop(name);
      if (changesPolicies(scenario)) before ??= rates.policies;
      running.set(name, journal.subscribe(stepper(scenario, carryOut, log)));
      return scenario;
    },
    undo: () => {
      for (const name of running.keys()) for (const id of faultsOf(named(name))) faults.remove(id);
      clear();
      if (before !== undefined) rates.replace(before);
      before = undefined;
    },
  };
};

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

const named = (name: string): Scenario =>
  scenarioOf(name) ??
  rejectName(
    "/name",
    "scenario",
    name,
    SCENARIOS.map((one) => one.name),
  );

const changesPolicies = ({ steps = [] }: Scenario): boolean =>
  steps.some((step) => step.do.some(({ path }) => path === "/policies"));

/** The names of the faults that a scenario sets up. */
const faultsOf = ({ setup }: Scenario): ReadonlyArray<string> =>
  setup
    .filter(({ path }) => path === "/faults")
    .flatMap(({ body }) => body as ReadonlyArray<{ readonly id?: string }>)
    .flatMap(({ id }) => id ?? []);

const route = routesOf("scenarios");

export const scenarioRoutes = [
  route("GET /scenarios", "Every scenario, and which of them run", {}, ({ scenarios }) => ({
    scenarios: SCENARIOS.map((one) => ({ ...one, isRunning: scenarios.isRunning(one.name) })),
  })),
  route(
    "POST /scenarios",
    "Start a scenario: what it sets up now, and its steps as requests come",
    { body: ScenarioBody, status: 201 },
    ({ scenarios }, { body }) => ({ scenario: scenarios.start(body) }),
  ),
  route(
    "DELETE /scenarios",
    "Stop the scenarios that run, and remove their faults",
    { status: 204 },
    ({ scenarios }) => scenarios.undo(),
  ),
];
