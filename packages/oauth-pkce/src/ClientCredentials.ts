/**
 * The client credentials grant: an application's own token, for `service:*` and `oauth:*` scopes.
 *
 * For confidential clients only. The token does not expire by time (`expires_in` is null), acts as
 * the application's owner, and has no refresh token. A transient failure is retried twice: asking
 * again does no harm.
 */
import type { Scope } from "@game-data/contract";
import * as Effect from "effect/Effect";
import type { ConfigurationInvalid, RequestError } from "./Errors.ts";
import { configurationError } from "./internal/options.ts";
import { retryIdempotent } from "./internal/retry.ts";
import { requestTokens } from "./internal/tokenRequest.ts";
import type { ConfidentialClient } from "./OAuthClient.ts";
import { withoutRefreshToken, type TokenSet } from "./TokenSet.ts";

/** Requests a token for the application itself. */
export const request = /*#__PURE__*/ Effect.fn("ClientCredentials.request")(function* (
  client: ConfidentialClient,
  { scopes }: { readonly scopes: ReadonlyArray<Scope> },
): Effect.fn.Return<TokenSet, RequestError | ConfigurationInvalid> {
  // The types say so already; JavaScript callers learn it here.
  if ((client.kind as string) !== "confidential")
    return yield* configurationError("client", "client credentials need a confidential client");
  if (scopes.length === 0) return yield* configurationError("scopes", "must not be empty");
  const form = { grant_type: "client_credentials", scope: scopes.join(" ") };
  return withoutRefreshToken(yield* retryIdempotent(requestTokens(client, form, { scopes })));
});
