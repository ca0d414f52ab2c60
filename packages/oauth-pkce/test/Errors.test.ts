import { Duration } from "effect";
import { assert, it } from "vitest";
import { InvalidGrant, NotSignedIn, OAuthTransportError, ServerUnavailable } from "../src/index.ts";

it("the message of an error says what happened, its fields, and what to do next", () => {
  const lost = new OAuthTransportError({ reason: "ECONNREFUSED", sent: false });
  assert.match(
    lost.message,
    /^No response arrived \(reason ECONNREFUSED; sent false\)\. Try again/,
  );
  const grant = "refresh_token";
  const refused = new InvalidGrant({ error: "invalid_grant", status: 400, grant });
  assert.strictEqual(
    refused.message,
    "The server rejected the grant (error invalid_grant; status 400; grant refresh_token). Sign in again.",
  );
  const busy = new ServerUnavailable({ status: 503, retryAfter: Duration.seconds(30) });
  assert.match(busy.message, /\(status 503; retryAfter 30s\)\. Try again later\.$/);
  assert.strictEqual(new NotSignedIn().message, "No user is signed in. Sign in.");
});

it("`isRetryable` of an error says whether the same call may succeed later", () => {
  const failures = [new ServerUnavailable({ status: 503 }), new NotSignedIn()];
  assert.deepStrictEqual(
    failures.map(({ isRetryable }) => isRetryable),
    [true, false],
  );
});
