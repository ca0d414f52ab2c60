/**
 * The refresh token grant, one request at a time.
 *
 * `Session` calls it at the right time. Use it alone only if you keep tokens in your own way, and
 * then serialise the calls: a refresh token is good once, and a second use may end the user's
 * consent.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { ConsentExpired, type RequestError } from "./Errors.ts";
import { serverTime } from "./internal/serverClock.ts";
import { requestTokens } from "./internal/tokenRequest.ts";
import type { OAuthClient } from "./OAuthClient.ts";
import type { TokenSet } from "./TokenSet.ts";

/**
 * Requests the next set of tokens. The new refresh token inherits the expiry of the used one (§3),
 * and scopes can only become fewer.
 *
 * `ConsentExpired` means that the server refused a refresh token whose consent has ended, or that
 * there is no refresh token. The consent's end is only our estimate, so the server is asked.
 * Nothing is retried: after `OAuthTransportError` with `sent: true` the token may be used up.
 */
export const request = /*#__PURE__*/ Effect.fn("RefreshGrant.request")(function* (
  client: OAuthClient,
  tokens: TokenSet,
): Effect.fn.Return<TokenSet, RequestError | ConsentExpired> {
  const { refreshToken, consentExpiresAt = Infinity } = tokens;
  if (!refreshToken) return yield* new ConsentExpired();
  const now = serverTime(client, tokens, yield* Clock.currentTimeMillis);
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const next = yield* requestTokens(client, form, tokens).pipe(
    Effect.catchIf(
      (error) => error._tag === "InvalidGrant" && now >= consentExpiresAt,
      () => new ConsentExpired(),
    ),
  );
  // RFC 6749 §6: nothing that the user did not consent to.
  return tokens.scopes.length > 0
    ? { ...next, scopes: next.scopes.filter((scope) => tokens.scopes.includes(scope)) }
    : next;
});
