/** The failure of a call that the specification rules out. */
import * as Effect from "effect/Effect";
import { ConfigurationInvalid } from "../Errors.ts";

/** Fails with `ConfigurationInvalid`. */
export const misconfigured = (reason: string): Effect.Effect<never, ConfigurationInvalid> =>
  Effect.fail(new ConfigurationInvalid({ reason }));
