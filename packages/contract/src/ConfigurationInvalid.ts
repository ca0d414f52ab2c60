/** The error of an invalid option, for all packages. */
import { taggedFailures } from "./taggedFailure.ts";

/**
 * An option has an invalid value. Nothing was sent.
 *
 * What to do: correct the option that `option` names.
 */
export class ConfigurationInvalid extends taggedFailures("contract")("ConfigurationInvalid")<{
  /** The name of the option, never its value. */
  readonly option: string;
  /** The reason, without secrets. */
  readonly reason: string;
}> {
  override get message(): string {
    return `Invalid configuration: ${this.option} ${this.reason}.`;
  }
}
