/**
 * What can go wrong with a sandbox itself, as one closed union. What it answers over HTTP is in `oauth/OAuthErrors` and in the
 * contract.
 */
import { Schema } from "effect";
import type { RatePolicyInvalid } from "./rates/RatePolicy.ts";

/** A sandbox could not be started: an address is taken or forbidden, a file is not its own, an option makes no sense. */
export class SandboxStartError extends Schema.TaggedError<SandboxStartError>()(
  "SandboxStartError",
  {
    /** What is in the way. */
    reason: Schema.String,
  },
) {
  override get message() {
    return `the sandbox cannot start: ${this.reason}`;
  }
}

/** A registration that §5 forbids. */
export class RegistrationRejected extends Schema.TaggedError<RegistrationRejected>()(
  "RegistrationRejected",
  {
    /** Id that the client would have had. */
    clientId: Schema.String,
    /** The rule that it breaks. */
    reason: Schema.String,
  },
) {
  override get message() {
    return `client ${this.clientId} cannot be registered: ${this.reason}`;
  }
}

/** The errors of starting and furnishing a sandbox. */
export type SandboxError = SandboxStartError | RegistrationRejected | RatePolicyInvalid;
