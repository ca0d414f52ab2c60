/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./adaptive: adaptive
    ./effect/http: LimitedHttpClient layer limit
    ./effect/redis: layer
    ./effect: ConfigurationInvalidError LimiterStore LimiterStoreError Metrics PolicyLimiter
      RateLimitDialect RequestNotSent checkPolicyLimiterOptions memoryStore
    ./file: fileStore
    ./inspect: explain forecast snapshot
    ./node: limitRequest
    ./options: ConfigurationInvalidError amount callback checkEach checkOption checkOptions
      finite flag having list millis oneOf positiveInteger positiveMillis readMillis text
      withMillis
    ./redis: redisStore
    ./undici: limitDispatch
    .: ConfigurationInvalidError RequestNotSentError StoreError createLimiter discord github
      ietf limitFetch memoryStore retryAfterMillis routeOf shopify xRateLimit"
  `);
});
