/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./cache: makeCache
    ./drift: driftInspector
    ./errors: Forbidden InvalidRequest NotFound RateLimited ResponseMalformed ServerError
      Timeout TransportError Unauthorized
    ./pages: entries pages
    ./promise: ConfigurationInvalid Forbidden InvalidRequest NotFound RateLimited
      ResponseMalformed ServerError Timeout TransportError Unauthorized createGameApi
      fetchTransport toCurl
    ./raw: bytes decoded
    ./stash: countByType countItems currentLeague flattenTabs tabIds topTabs
    ./testing: fixtureTransport layer
    ./undici: undiciTransport
    .: ConfigurationInvalid Forbidden GameApi InvalidRequest LimiterStore LimiterStoreError
      Metrics NotFound PolicyLimiter RateLimited RequestNotSent ResponseMalformed SendError
      ServerError Timeout TransportError Unauthorized describeCause fetchLimits fetchTransport
      httpClientTransport limitProbes settledError toCurl unanswered"
  `);
});
