/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of rate-limit export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./promise: createLimiter limitFetch readOutcome
    ./undici: limitDispatch
    .: LimiterOptionInvalid LimiterStore LimiterStoreError Metrics PolicyLimiter
      RequestNotSent checkLimiterOptions ietf layerKeyValue layerRedis layerReopening
      retryAfterMillis routeOf withPolicyLimiter xRateLimit"
  `);
});
