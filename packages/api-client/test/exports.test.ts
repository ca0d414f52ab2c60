/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of the package export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./error-schemas: Forbidden GameApiError InvalidRequest NotFound RateLimited
      ResponseMalformed ServerError Timeout TransportError Unauthorized
    ./errors: Forbidden InvalidRequest NotFound RateLimited ResponseMalformed ServerError
      Timeout TransportError Unauthorized
    ./promise: ConfigurationInvalid Forbidden InvalidRequest NotFound RateLimited
      ResponseMalformed ServerError Timeout TransportError Unauthorized createGameApi
    ./testing: fixtureHttp layer mock
    .: ConfigurationInvalid Forbidden GameApi InvalidRequest LimiterStore LimiterStoreError
      Metrics NotFound PolicyLimiter RateLimited RequestNotSent ResponseMalformed ServerError
      Timeout TransportError Unauthorized"
  `);
});
