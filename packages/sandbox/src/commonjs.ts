/**
 * What `require("@game-data/sandbox")` gives: the sandbox without its Effect layer, in one file, for
 * test runners that load CommonJS (Jest). Not for programs that can `import`.
 */
export {
  ControlRejected,
  RatePolicyInvalid,
  RegistrationRejected,
  SandboxClosed,
  SandboxStartError,
  UnknownClient,
  VerificationFailed,
} from "./Errors.ts";
export { controlOf } from "./control.ts";
export { rateProfiles } from "./rates/RatePolicies.ts";
export { createSandboxHandler, startSandbox } from "./Sandbox.ts";
export { LARGE_PAGES } from "./world/Sizes.ts";
