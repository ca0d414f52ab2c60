/**
 * Scenarios on the control plane: several may run at once, until `DELETE` or a reset.
 *
 * `POST` sends the requests of a scenario's set-up. Its steps follow when the requests that they
 * wait for have ended.
 */
import * as Effect from "effect/Effect";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import {
  type ControlRequest,
  faultsOf,
  type Scenario,
  scenarioOf,
  SCENARIOS,
} from "../audit/scenarios.ts";
import type { Incoming } from "../http/Exchange.ts";
import { utf8 } from "../internal/encoding.ts";
import type { Issue } from "../internal/issues.ts";
import type { JournalEntry } from "../journal/Journal.ts";
import type { RatePolicies } from "../rates/RatePolicies.ts";
import type { Server } from "../Server.ts";
import type { ScenarioBody } from "./documents.ts";
import type { Rejected } from "./Api.ts";
import { ENDPOINT_KEYS } from "./names.ts";
import { attempt, checkName, refusal } from "./respond.ts";

export interface Scenarios {
  /** Starts a scenario. `setup` and `steps` of the body replace the scenario's own. */
  readonly start: (body: typeof ScenarioBody.Type) => Effect.Effect<Scenario, Rejected>;
  readonly isRunning: (name: string) => boolean;
  /**
   * Stops all scenarios, removes their faults, and restores the policies that a scenario has
   * replaced.
   */
  readonly undo: () => void;
}

type Answer = (incoming: Incoming) => Effect.Effect<HttpServerResponse>;

/** Executes a request to the control plane. The pointers of a refusal begin with `pointer`. */
const carryOut = Effect.fnUntraced(function* (
  answer: Answer,
  { body, method, path }: ControlRequest,
  pointer: string,
) {
  const response = yield* answer({
    method,
    url: `/control${path}`,
    headers: {},
    body: utf8(body === undefined ? "" : JSON.stringify(body)),
    connection: { id: "control", ip: "" },
  });
  if (response.status < 400) return;
  const { issues = [], reason } = JSON.parse(textOf(response)) as {
    readonly reason: string;
    readonly issues?: ReadonlyArray<Issue>;
  };
  yield* Effect.fail(
    refusal(
      issues.length === 0
        ? [{ pointer, message: `${method} ${path}: ${reason}` }]
        : issues.map((issue) => ({ ...issue, pointer: `${pointer}/body${issue.pointer}` })),
    ),
  );
});

const textOf = ({ body }: HttpServerResponse): string =>
  body._tag === "Uint8Array" ? (body.text ?? new TextDecoder().decode(body.body)) : "{}";

/** Makes the functions for scenarios. `answer` answers a request to the control plane. */
export const makeScenarios = Effect.fnUntraced(function* (
  { faults, journal, rates }: Server,
  answer: Answer,
) {
  const run = Effect.runForkWith(yield* Effect.context<never>());
  const running = new Map<string, () => void>();
  /** Rate policies to restore when the scenario that replaced them ends. */
  let before: RatePolicies | undefined;

  const stop = (name: string): void => {
    running.get(name)?.();
    running.delete(name);
  };
  const step = (name: string, requests: ReadonlyArray<ControlRequest>): void =>
    void run(
      Effect.forEach(requests, (request, index) => carryOut(answer, request, `/do/${index}`)).pipe(
        Effect.catchCause((cause) =>
          Effect.logError(`a step of the scenario ${name} failed`, cause),
        ),
      ),
    );

  const scenarios: Scenarios = {
    isRunning: (name: string): boolean => running.has(name),
    start: Effect.fnUntraced(function* ({ name, ...own }: typeof ScenarioBody.Type) {
      const scenario = yield* attempt((): Scenario => {
        checkSteps(own.steps ?? []);
        return { ...named(name), ...own };
      });
      for (const [index, request] of scenario.setup.entries())
        yield* carryOut(answer, request, `/setup/${index}`);
      stop(name);
      if (changesPolicies(scenario)) before ??= rates.policies;
      running.set(name, journal.subscribe(stepper(scenario, step)));
      return scenario;
    }),
    undo: (): void => {
      for (const name of running.keys()) {
        for (const { id } of faultsOf(named(name))) faults.remove(id ?? "");
        stop(name);
      }
      if (before !== undefined) rates.replace(before);
      before = undefined;
    },
  };
  return scenarios;
});

const checkSteps = (steps: NonNullable<Scenario["steps"]>): void => {
  for (const [index, { after }] of steps.entries())
    checkName(`/steps/${index}/after/endpoint`, "endpoint", after.endpoint, [
      "*",
      ...ENDPOINT_KEYS,
    ]);
};

/** Runs a step of a scenario when the requests that it waits for have ended. */
const stepper = (
  { name, steps = [] }: Scenario,
  carry: (name: string, requests: ReadonlyArray<ControlRequest>) => void,
): ((entry: JournalEntry) => void) => {
  const left = steps.map((step) => ({ step, seen: 0 }));
  return ({ endpoint, listener }) => {
    for (const one of left) {
      const { after } = one.step;
      const isMatch = after.endpoint === "*" ? listener === "data" : after.endpoint === endpoint;
      if (isMatch && ++one.seen === after.count) carry(name, one.step.do);
    }
  };
};

const named = (name: string): Scenario => {
  const names = SCENARIOS.map((one) => one.name);
  checkName("/name", "scenario", name, names);
  return scenarioOf(name)!;
};

const changesPolicies = ({ steps = [] }: Scenario): boolean =>
  steps.some((step) => step.do.some(({ path }) => path === "/policies"));
