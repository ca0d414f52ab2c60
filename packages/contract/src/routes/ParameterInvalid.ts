/** The error of a request that the route table refuses. */
/**
 * A parameter of a request is missing, unknown or out of bounds. No request was sent.
 *
 * What to do: correct the parameter that `parameter` names.
 */
export class ParameterInvalid extends Error {
  readonly _tag = "ParameterInvalid";
  /** The operation, such as `leagues.ladder`. */
  declare readonly operation: string;
  /** The name of the parameter, never its value. */
  declare readonly parameter: string;
  /** The rule of the parameter. */
  declare readonly reason: string;

  constructor(...of: readonly [operation: string, parameter: string, reason: string]) {
    // Names come from callers, and may be of any length.
    const [operation, parameter, reason] = of.map((text) => text.slice(0, 200));
    super(`${operation}: ${parameter} ${reason}.`);
    Object.assign(this, { operation, parameter, reason });
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
    // No function of the tag: it would be more than the text in a small bundle.
    return "https://game-data.github.io/game-data/errors/parameterinvalid/";
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
