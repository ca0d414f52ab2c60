/**
 * Asking the server what a token is worth (RFC 7662).
 *
 * §4.1 demands a token with the scope `oauth:introspect`: pass it as `using`. The payload isn't
 * shown there, so it is that of RFC 7662. Members beyond those listed are kept in `claims`. Don't
 * cache an response beyond `exp`.
 */
import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { RequestError } from "./Errors.ts";
import { malformed, parseSuccess } from "./internal/parseResponse.ts";
import { bearerRequest, type CallOptions } from "./internal/bearerRequest.ts";
import { INTROSPECT } from "./internal/endpoints.ts";
import { splitScope } from "./internal/tokenRequest.ts";
import type { OAuthClient } from "./OAuthClient.ts";

/** The status of a token. */
export interface TokenStatus {
  readonly active: boolean;
  readonly scopes: ReadonlyArray<string>;
  /** Seconds since the epoch; absent for a token that does not expire, or when inactive. */
  readonly exp?: number;
  readonly clientId?: string;
  readonly username?: string;
  readonly sub?: string;
  /** The response as it came, with members this package doesn't know. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Asks about a token. An unknown, expired or revoked one is `active: false`, which is no error. */
export const introspect = /*#__PURE__*/ Effect.fn("Introspection.introspect")(function* (
  client: OAuthClient,
  token: Redacted.Redacted,
  options: CallOptions = {},
): Effect.fn.Return<TokenStatus, RequestError> {
  return yield* bearerRequest(client, INTROSPECT, { ...options, token }, (response) =>
    Effect.flatMap(parseSuccess(response), (claims) => {
      const { active, exp, scope, client_id: clientId, username, sub } = claims;
      // "true" as a string would make every token of a sloppy server active, or none: refuse both.
      if (typeof active !== "boolean") return malformed(response, "active");
      if (exp !== undefined && exp !== null && !Number.isFinite(exp))
        return malformed(response, "exp");
      return Effect.succeed<TokenStatus>({
        active,
        scopes: typeof scope === "string" ? splitScope(scope) : [],
        ...(typeof exp === "number" && { exp }),
        ...(typeof clientId === "string" && { clientId }),
        ...(typeof username === "string" && { username }),
        ...(typeof sub === "string" && { sub }),
        claims,
      });
    }),
  );
});
