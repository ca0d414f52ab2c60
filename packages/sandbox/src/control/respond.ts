/** The context of the control plane's handlers, and their refusals. */
import * as Effect from "effect/Effect";
import { RegistrationRejected } from "../Errors.ts";
import { formatIssues, type Issue } from "../internal/issues.ts";
import { nearestOf } from "../internal/words.ts";
import type { Server } from "../Server.ts";
import type { SandboxState } from "../State.ts";
import { NotThere, Rejected } from "./Api.ts";

export interface ControlContext {
  readonly state: SandboxState;
  readonly server: Server;
}

/** Runs a synchronous handler. Turns a thrown refusal into a failure of the effect. */
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

/** Throws a refusal with the invalid place and the name that was probably meant. */
export const rejected = (reason: string, pointer = "", nearest?: string): never => {
  // Drop the question mark of an optional segment from a path template.
  const hint = nearest === undefined ? "" : `; did you mean ${nearest.replace(/\?$/u, "")}?`;
  const message = `${reason}${hint}`;
  throw refusal([
    { pointer: pointer.replace(/^\?\//u, "?"), message, ...(nearest !== undefined && { nearest }) },
  ]);
};

/** Refuses a name that is not among `names`. */
export const checkName = (
  pointer: string,
  member: string,
  value: string | undefined,
  names: ReadonlyArray<string>,
): void => {
  if (value !== undefined && !names.includes(value))
    rejected(
      `there is no ${member} ${JSON.stringify(value)}`,
      pointer,
      nearestOf(value, [...new Set(names)]),
    );
};
