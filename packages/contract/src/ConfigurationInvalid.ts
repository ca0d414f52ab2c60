/** The error of an invalid option, for all packages. */
import { taggedFailures } from "./taggedFailure.ts";

const taggedFailure = taggedFailures("contract");

/**
 * An option has an invalid value. Nothing was sent.
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
export class ConfigurationInvalid extends taggedFailure("ConfigurationInvalid")<{
  /** The name of the option, never its value. */
  readonly option: string;
  /** The reason, without secrets. */
  readonly reason: string;
}> {
  override get message(): string {
    return `Invalid configuration: ${this.option} ${this.reason}.`;
  }
}
