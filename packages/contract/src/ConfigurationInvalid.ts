import { taggedFailures } from "./taggedFailure.ts";

const taggedFailure = taggedFailures("contract");

/**
 * An option of one of these packages has an invalid value. Nothing was sent.
 *
 * What to do: correct the option that `option` names.
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
