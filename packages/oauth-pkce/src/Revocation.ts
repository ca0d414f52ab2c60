/**
 * Revoking a token (RFC 7009), so that data requests with it return 401.
 *
 * §4.1 demands a token with the scope `oauth:revoke`: pass it as `using`. Its payload isn't shown there, so the form is
 * that of RFC 7009 with the client's credentials in the body. Leave `using` out for servers that know plain RFC 7009 only.
 */
import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { RequestError } from "./Errors.ts";
import { successOnly } from "./internal/answer.ts";
import { REVOKE } from "./internal/endpoints.ts";
import { post } from "./internal/request.ts";
import { retryIdempotent } from "./internal/retry.ts";
import type { OAuthClient } from "./OAuthClient.ts";

/** How to call revoke and introspect. */
export interface CallOptions {
  /** The access token that authorises the call; it may be the very token that the call is about. */
  readonly using?: Redacted.Redacted;
  /** What kind of token it is, when known. */
  readonly hint?: "access_token" | "refresh_token";
}

/** Revokes a token. Success also means that the server never knew it; the answer's body is ignored. */
export const revoke = /*#__PURE__*/ Effect.fn("Revocation.revoke")(function* (
  client: OAuthClient,
  token: Redacted.Redacted,
  { using, hint }: CallOptions = {},
): Effect.fn.Return<void, RequestError> {
  const call = post(client, REVOKE, { token, token_type_hint: hint }, using);
  yield* retryIdempotent(Effect.flatMap(call, successOnly));
});
