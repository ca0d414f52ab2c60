/** The error of options that cannot work, for all packages. */
import * as Data from "effect/Data";
import { failureToJson, type Failure, type FailureJson } from "./failure.ts";

/**
 * An option has a value that cannot work. Nothing was sent.
 *
 * What to do: correct the option that `option` names.
 *
 * @example
 * ```ts
 * import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
 *
 * const error = new ConfigurationInvalid({
 *   option: "baseUrl",
 *   reason: "must be an HTTPS address",
 * });
 * if (error.isRetryable) throw error;
 * ```
 */
export class ConfigurationInvalid
  extends /*#__PURE__*/ Data.TaggedError("ConfigurationInvalid")<{
    /** The name of the option, never its value. */
    readonly option: string;
    /** The reason, without secrets. */
    readonly reason: string;
  }>
  implements Failure
{
  /** Whether the same call may succeed if retried. */
  get isRetryable(): boolean {
    return false;
  }
  override get message(): string {
    return `Invalid configuration: ${this.option} ${this.reason}.`;
  }
  override toJSON(): FailureJson {
    return failureToJson(this);
  }
}
