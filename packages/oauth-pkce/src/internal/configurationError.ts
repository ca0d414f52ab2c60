/** The failure of a call that the specification rules out. */
import { ConfigurationInvalid } from "../Errors.ts";

/** Makes a `ConfigurationInvalid` for an option. */
export const configurationError = (option: string, reason: string) =>
  new ConfigurationInvalid({ option, reason });
