import { assert, it } from "vitest";
import { InvalidGrant, NotSignedIn, ServerUnavailable, OAuthTransportError } from "../src/index.ts";

it("C16: messages say what happened, what to do, and the facts, at a prompt", () => {
  const lost = new OAuthTransportError({ reason: "ECONNREFUSED", sent: false });
  assert.match(
    lost.message,
    /^OAuthTransportError: try again\b.*; reason ECONNREFUSED; sent false$/,
  );
  const refused = new InvalidGrant({ error: "invalid_grant", status: 400 });
  assert.strictEqual(
    refused.message,
    "Grant Invalid: sign in again; error invalid_grant; status 400",
  );
  const busy = new ServerUnavailable({ status: 503, retryAfter: 30 });
  assert.match(busy.message, /^Server Unavailable: try again later; status 503; retryAfter 30$/);
  assert.strictEqual(new NotSignedIn().message, "Not Signed In: sign in");
});
