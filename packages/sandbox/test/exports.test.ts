/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of the package export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./conformance: examine
    ./control: controlOf
    ./exec: exec
    ./web: createWebSandbox
    .: ControlRejected Fault FaultMatch FaultRule FaultStatus FaultWhen HiddenBuckets
      LARGE_PAGES ProgramNotStarted RatePolicies RatePolicyInvalid RateRules RateWindows
      RegistrationRejected RetryAfter Sandbox SandboxClock SandboxClosed SandboxStartError
      UnknownClient VerificationFailed controlOf createSandboxHandler rateProfiles
      startSandbox"
  `);
});
