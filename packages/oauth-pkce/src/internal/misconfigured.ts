/** The failure of a call that the specification rules out. */
import { ConfigurationInvalid } from "../Errors.ts";

/** Fails with `ConfigurationInvalid`. */
export const misconfigured = (reason: string) => new ConfigurationInvalid({ reason });
