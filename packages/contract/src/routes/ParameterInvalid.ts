/** The error of a request that the route table refuses. */
import { helpOf } from "../helpOf.ts";

/**
 * A parameter of a request is missing, unknown or out of bounds. No request was sent.
 *
 * What to do: correct the parameter that `parameter` names.
 */
export class ParameterInvalid extends Error {
  readonly _tag = "ParameterInvalid";
  /** The operation, such as `leagues.ladder`. */
  readonly operation: string;
  /** The name of the parameter, never its value. */
  readonly parameter: string;
  /** The rule of the parameter. */
  readonly reason: string;

  constructor(operation: string, parameter: string, reason: string) {
    // Names come from callers, and may be of any length.
    super(`${`${operation}: ${parameter}`.slice(0, 200)} ${reason}.`);
    this.operation = operation;
    this.parameter = parameter;
    this.reason = reason;
  }

  override get name(): string {
    return this._tag;
  }

  /** Whether the same call may succeed if retried. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return helpOf(this._tag);
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
