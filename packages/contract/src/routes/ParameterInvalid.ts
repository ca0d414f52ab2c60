/** The error of a request that breaks a rule of the table. */
import { PlainFailure } from "../PlainFailure.ts";

/**
 * A parameter of a request is missing, unknown or out of bounds. No request was sent.
 *
 * What to do: correct the parameter that `parameter` names.
 */
export class ParameterInvalid extends PlainFailure<"ParameterInvalid"> {
  /** The operation, such as `leagues.ladder`. */
  readonly operation: string;
  /** The name of the parameter, never its value. */
  readonly parameter: string;
  /** The rule that the parameter breaks, such as `must be true or false, got string`. */
  readonly reason: string;

  constructor(...names: readonly [operation: string, parameter: string, reason: string]) {
    // The caller chooses the names, so their length is bounded.
    const [operation, parameter, reason] = names.map((text) => text.slice(0, 200));
    super("ParameterInvalid", `${operation}: ${parameter} ${reason}.`);
    this.operation = operation!;
    this.parameter = parameter!;
    this.reason = reason!;
  }
}
