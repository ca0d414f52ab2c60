/**
 * Revoking a token (RFC 7009), so that data requests with it return 401.
 *
 * §4.1 demands a token with the scope `oauth:revoke`: pass it as `using`. Its payload isn't shown
 * there, so the form is that of RFC 7009 with the client's credentials in the body. Leave `using`
 * out for servers that know plain RFC 7009 only.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { RequestError } from "./Errors.ts";
import { bearerRequest, type CallOptions } from "./internal/bearerRequest.ts";
import { REVOKE } from "./internal/endpoints.ts";
import type { OAuthClient } from "./OAuthClient.ts";
import type { TokenSet } from "./TokenSet.ts";

export type { CallOptions };

/**
 * Revokes a token. Success also means that the server never knew it. The response body is ignored.
 */
export const revoke = /*#__PURE__*/ Effect.fn("Revocation.revoke")(function* (
  client: OAuthClient,
  token: Redacted.Redacted,
  options: CallOptions = {},
): Effect.fn.Return<void, RequestError> {
  yield* bearerRequest(client, REVOKE, { ...options, token }, () => Effect.void);
});

/**
 * Revokes both tokens of a set with the token `using`: `session.signOut({ revoke:
 * Revocation.using(token) })`.
 *
 * The refresh token first: most servers end the access tokens of its grant with it, and `using` is
 * perhaps one of them. With a token of another set, revoke that set last.
 */
export const using =
  (bearer: Redacted.Redacted) =>
  (
    client: OAuthClient,
    { accessToken, refreshToken }: TokenSet,
  ): Effect.Effect<void, RequestError> =>
    Effect.gen(function* () {
      if (refreshToken !== undefined)
        yield* revoke(client, refreshToken, { using: bearer, hint: "refresh_token" });
      const last = revoke(client, accessToken, { using: bearer, hint: "access_token" });
      yield* Redacted.value(bearer) === Redacted.value(accessToken)
        ? // Ended with its refresh token, it cannot say so itself.
          Effect.catchIf(
            last,
            (error) => error._tag === "RequestRejected" && error.error === "invalid_token",
            () => Effect.void,
          )
        : last;
    });

/**
 * Revokes both tokens of a set with its own access token, if its scopes allow that
 * (`oauth:revoke`); else it does nothing.
 */
export const ifAllowed = (
  client: OAuthClient,
  tokens: TokenSet,
): Effect.Effect<void, RequestError> =>
  tokens.scopes.includes("oauth:revoke") ? using(tokens.accessToken)(client, tokens) : Effect.void;
