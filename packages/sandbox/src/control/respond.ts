/** What the handlers of the control plane work on, and how they refuse. */
import * as Effect from "effect/Effect";
import type { Scenario } from "../audit/scenarios.ts";
import type { SandboxState } from "../State.ts";
import { RegistrationRejected } from "../Errors.ts";
import { formatIssues, type Issue } from "../internal/issues.ts";
import { nearestOf } from "../internal/nearest.ts";
import type { Server } from "../Server.ts";
import { NotThere, Rejected } from "./Api.ts";
import type { ScenarioBody } from "./documents.ts";

export interface ControlContext {
  readonly state: SandboxState;
  readonly server: Server;
  readonly scenarios: Scenarios;
}

export interface Scenarios {
  /** Starts a scenario, or one like it with a set-up or steps of one's own. */
  readonly start: (body: typeof ScenarioBody.Type) => Effect.Effect<Scenario, Rejected>;
  readonly isRunning: (name: string) => boolean;
  readonly clear: () => void;
  /** Stops all, removes their faults, and puts back the policies that one of them has replaced. */
  readonly undo: () => void;
}

/** Runs a handler that refuses by throwing, as plain code deep inside of it does. */
export const attempt = <A>(run: () => A): Effect.Effect<A, Rejected> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run());
    } catch (cause) {
      if (cause instanceof Rejected) return Effect.fail(cause);
      if (!(cause instanceof RegistrationRejected)) return Effect.die(cause);
      const issues = [{ pointer: cause.at, message: cause.reason }];
      return Effect.fail(new Rejected({ reason: cause.message, issues }));
    }
  });

export const refusal = (issues: ReadonlyArray<Issue>): Rejected =>
  new Rejected({ reason: formatIssues(issues), issues });

export const notThere = (reason: string) => Effect.fail(new NotThere({ reason }));

/** Refuses a request with the place that is wrong, and what may have been meant. */
export const rejected = (reason: string, pointer = "", nearest?: string): never => {
  const message = `${reason}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  throw refusal([{ pointer, message, ...(nearest !== undefined && { nearest }) }]);
};

/** Refuses a name that nothing has, with the nearest one that something has. */
export const rejectName = (
  pointer: string,
  member: string,
  value: string,
  names: ReadonlyArray<string>,
): never =>
  rejected(
    `there is no ${member} ${JSON.stringify(value)}`,
    pointer,
    nearestOf(value, [...new Set(names)]),
  );
