/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./promise: createLimiter limitFetch readOutcome
    ./undici: limitDispatch
    .: LimiterOptionInvalid LimiterStore LimiterStoreError Metrics PolicyLimiter
      RequestNotSent checkLimiterOptions ietf layerKeyValue layerRedis layerReopening
      retryAfterMillis routeOf withPolicyLimiter xRateLimit"
  `);
});
