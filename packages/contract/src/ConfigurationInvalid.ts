import { taggedFailures } from "./taggedFailure.ts";

const taggedFailure = taggedFailures("contract");

/**
 * An option of a Game Data package has an invalid value. No request was sent.
 *
 * What to do: correct the option that `option` names.
 */
export class ConfigurationInvalid extends taggedFailure("ConfigurationInvalid")<{
  /** The name of the option, never its value. */
  readonly option: string;
  /** The reason for the refusal, without secrets. */
  readonly reason: string;
}> {
  override get message(): string {
    return `Invalid configuration: ${this.option} ${this.reason}.`;
  }
}
