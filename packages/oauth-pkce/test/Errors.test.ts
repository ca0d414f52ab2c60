import { Duration } from "effect";
import { assert, it } from "vitest";
import { InvalidGrant, NotSignedIn, OAuthTransportError, ServerUnavailable } from "../src/index.ts";

it("C16: names what happened, the fields and the next step in the message", () => {
  const lost = new OAuthTransportError({ reason: "ECONNREFUSED", sent: false });
  assert.match(
    lost.message,
    /^No response arrived \(reason ECONNREFUSED; sent false\)\. Try again/,
  );
  const refused = new InvalidGrant({ error: "invalid_grant", status: 400 });
  assert.strictEqual(
    refused.message,
    "The server rejected the grant (error invalid_grant; status 400). Sign in again.",
  );
  const busy = new ServerUnavailable({ status: 503, retryAfter: Duration.seconds(30) });
  assert.match(busy.message, /\(status 503; retryAfter 30s\)\. Try again later\.$/);
  assert.strictEqual(new NotSignedIn().message, "Nobody is signed in. Sign in.");
});

it("advises by the grant: a code asks for a new flow, a refresh token for a new sign-in", () => {
  const of = (grant: InvalidGrant["grant"]) =>
    new InvalidGrant({ error: "invalid_grant", status: 400, ...(grant && { grant }) }).message;
  assert.match(of("authorization_code"), /grant authorization_code\)\. Start a new flow\.$/);
  assert.match(of("refresh_token"), /grant refresh_token\)\. Sign in again\.$/);
});

it("says that an answer was lost", () => {
  const { message } = new InvalidGrant({ error: "invalid_grant", status: 400, lostAnswer: true });
  assert.match(message, /Sign in again: the last response of the server was lost\.$/);
});

it("tells which failures may pass by one member", () => {
  const failures = [new ServerUnavailable({ status: 503 }), new NotSignedIn()];
  assert.deepStrictEqual(
    failures.map(({ isRetryable }) => isRetryable),
    [true, false],
  );
});
