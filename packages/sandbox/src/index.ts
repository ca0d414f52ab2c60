/**
 * The Game Data service itself, for development and tests: OAuth server, data API, streams.
 *
 * @packageDocumentation
 */
export { Accounts, type SeededAccount } from "./clients/Accounts.ts";
export { type ClientCredentials, Clients, type RegisteredClient } from "./clients/Clients.ts";
export type { ClientKind, ClientRegistration, GrantType } from "./clients/Registration.ts";
export { type ClockState, SandboxClock } from "./clock/SandboxClock.ts";
export { type Addresses, SandboxConfig, type SandboxOptions } from "./Config.ts";
export {
  ControlApi,
  ControlErrors,
  ControlNotFound,
  ControlRejected,
} from "./control/ControlApi.ts";
export {
  type ExecError,
  ProgramNotStarted,
  RegistrationRejected,
  type SandboxError,
  SandboxStartError,
  UnknownClient,
} from "./Errors.ts";
export {
  Fault,
  FaultMatch,
  FaultRule,
  FaultStatus,
  FaultWhen,
  RetryAfter,
} from "./faults/Fault.ts";
export { JournalEntry } from "./journal/Journal.ts";
export {
  HiddenBuckets,
  RatePolicies,
  RatePolicyInvalid,
  RateRules,
  RateWindows,
} from "./rates/RatePolicy.ts";
export { type RateProfile, rateProfiles } from "./rates/RateProfiles.ts";
export { Sandbox, type SandboxInfo } from "./Sandbox.ts";
export { type Identity, TokenInvalid, TokenMissing, TokenVerifier } from "./oauth/TokenVerifier.ts";
export {
  createSandboxHandler,
  type RunningSandbox,
  type SandboxHandler,
  startSandbox,
} from "./StartSandbox.ts";
export { type Snapshot, type SnapshotValue, Store } from "./store/Store.ts";
export { LARGE_PAGES, type WorldOptions } from "./world/Sizes.ts";
