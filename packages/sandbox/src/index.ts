/**
 * The Game Data service itself, for development and tests: OAuth server, data API, streams.
 *
 * @example
 * ```ts
 * import { startSandbox } from "@game-data/sandbox";
 *
 * const sandbox = await startSandbox({ seed: 1 });
 * const response = await fetch(`${sandbox.baseUrl}/profile`);
 * if (response.status !== 401) throw new Error("a request without a token is refused");
 * await sandbox.close();
 * ```
 *
 * @packageDocumentation
 */
export type { ClientCredentials } from "./clients/Clients.ts";
export type { ClientKind, ClientRegistration, GrantType } from "./clients/Registration.ts";
export { SandboxClock } from "./clock/VirtualClock.ts";
export type { ClockState } from "./clock/VirtualClock.ts";
export type { Addresses, SandboxOptions } from "./Options.ts";
export {
  type ConsentOptions,
  controlOf,
  type Expectation,
  type SandboxControl,
  type TokenOptions,
} from "./control.ts";
export {
  ControlRejected,
  type ExecError,
  ProgramNotStarted,
  RatePolicyInvalid,
  RegistrationRejected,
  SandboxClosed,
  type SandboxError,
  SandboxStartError,
  UnknownClient,
  VerificationFailed,
} from "./Errors.ts";
export {
  Fault,
  FaultMatch,
  FaultRule,
  FaultStatus,
  FaultWhen,
  RetryAfter,
} from "./faults/Fault.ts";
export type { Issue } from "./internal/issues.ts";
export type { JournalEntry } from "./journal/Journal.ts";
export {
  HiddenBuckets,
  RatePolicies,
  type RateProfile,
  rateProfiles,
  RateRules,
  RateWindows,
} from "./rates/RatePolicies.ts";
export {
  createSandboxHandler,
  type RunningSandbox,
  Sandbox,
  type SandboxHandler,
  type SandboxInfo,
  startSandbox,
} from "./Sandbox.ts";
export { LARGE_PAGES, type WorldOptions } from "./world/Sizes.ts";
