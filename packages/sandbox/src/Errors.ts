/**
 * What can go wrong with a sandbox itself, as one closed union. What it answers over HTTP is in
 * `oauth/OAuthErrors` and in the contract.
 */
import * as Schema from "effect/Schema";
import type { RatePolicyInvalid } from "./rates/RatePolicy.ts";

/**
 * A sandbox could not be started: an address is taken or forbidden, a file is not its own, an
 * option makes no sense.
 */
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

/** A program was to run as a client that the sandbox does not have. */
export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", {
  clientId: Schema.String,
  /** The clients that it has. */
  known: Schema.Array(Schema.String),
}) {
  override get message() {
    return `the sandbox has no client ${this.clientId}, only ${this.known.join(", ")}`;
  }
}

/** The program to run against a sandbox could not be started. */
export class ProgramNotStarted extends Schema.TaggedError<ProgramNotStarted>()(
  "ProgramNotStarted",
  {
    program: Schema.String,
    /** What the system says, such as `ENOENT`. */
    reason: Schema.String,
  },
) {
  override get message() {
    return `${this.program} cannot be run (${this.reason})`;
  }
}

/** The errors of starting and furnishing a sandbox. */
export type SandboxError = SandboxStartError | RegistrationRejected | RatePolicyInvalid;

/** The errors of running a program against a sandbox of its own. */
export type ExecError = SandboxError | UnknownClient | ProgramNotStarted;
