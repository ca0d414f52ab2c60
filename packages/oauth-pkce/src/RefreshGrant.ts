/**
 * The refresh token grant, one request at a time. `Session` does this for you and knows when; use
 * it alone only when you hold tokens in your own way, and then serialise the calls: a refresh token
 * is good once, and using it twice may end the user's consent.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { ConsentExpired, type RequestError } from "./Errors.ts";
import { requestTokens } from "./internal/tokenRequest.ts";
import type { OAuthClient } from "./OAuthClient.ts";
import type { TokenSet } from "./TokenSet.ts";

/**
 * The next set of tokens. The new refresh token inherits the expiry of the used one (§3), and
 * scopes can only become fewer.
 *
 * Never retried: after `OAuthTransportError` with `sent: true` the refresh token may be used up.
 */
export const request = /*#__PURE__*/ Effect.fn("RefreshGrant.request")(function* (
  client: OAuthClient,
  tokens: TokenSet,
): Effect.fn.Return<TokenSet, RequestError | ConsentExpired> {
  const { refreshToken, consentExpiresAt = Infinity } = tokens;
  const now = yield* Clock.currentTimeMillis;
  if (!refreshToken || now >= consentExpiresAt) return yield* new ConsentExpired();
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const next = yield* requestTokens(client, form, tokens);
  // RFC 6749 §6: nothing that the user did not consent to.
  return tokens.scopes.length > 0
    ? { ...next, scopes: next.scopes.filter((scope) => tokens.scopes.includes(scope)) }
    : next;
});
