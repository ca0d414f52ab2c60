/**
 * Calls about a token: revoke (RFC 7009) and introspect (RFC 7662).
 *
 * §4.1 demands a bearer token with the scope `oauth:revoke` or `oauth:introspect`: pass it as
 * `using`. The specification shows no payloads, so they are those of the RFCs, with the client's
 * credentials in the body. Both calls can be sent twice, so transient failures are retried.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { InsufficientScope, type RequestError } from "./Errors.ts";
import {
  isOk,
  malformed,
  parseSuccess,
  post,
  retryTransient,
  type OAuthResponse,
} from "./internal/endpoint.ts";
import { sanitize } from "./internal/sanitize.ts";
import type { OAuthClient } from "./OAuthClient.ts";
import { splitScope } from "./TokenRequest.ts";
import type { TokenSet } from "./TokenSet.ts";

/** Options of `revoke` and `introspect`: the authorising token, and the kind of the other token. */
export interface CallOptions {
  /** The access token that authorises the call. It may be the token that the call is about. */
  readonly using?: Redacted.Redacted;
  /** The kind of the token that the call is about, if known. */
  readonly hint?: "access_token" | "refresh_token";
}

/** Revokes a token. Succeeds for an unknown token too. The body of the response is ignored. */
export const revoke = Effect.fn("TokenCall.revoke")(function* (
  client: OAuthClient,
  token: Redacted.Redacted,
  options: CallOptions = {},
): Effect.fn.Return<void, RequestError> {
  yield* send(client, "/oauth/token/revoke", { token, ...options });
});

/**
 * Revokes both tokens of a set with the access token `using`:
 * `session.signOut({ revoke: TokenCall.revokeUsing(token) })`.
 *
 * The refresh token goes first, because most servers end the access tokens of its grant with it and
 * `using` may be among them. If `using` belongs to another set, revoke that set last.
 */
export const revokeUsing =
  (using: Redacted.Redacted) =>
  (client: OAuthClient, tokens: TokenSet): Effect.Effect<void, RequestError> =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = tokens;
      if (refreshToken) yield* revoke(client, refreshToken, { using, hint: "refresh_token" });
      const isOwn = Redacted.value(using) === Redacted.value(accessToken);
      yield* revoke(client, accessToken, { using, hint: "access_token" }).pipe(
        // `using` ended with its refresh token, so the server no longer accepts it.
        Effect.catchIf(
          (error) => isOwn && error._tag === "RequestRejected" && error.error === "invalid_token",
          () => Effect.void,
        ),
      );
    });

/** Returns whether the tokens of a set can be revoked with its own access token. */
export const isRevocable = ({ scopes }: TokenSet): boolean => scopes.includes("oauth:revoke");

/** Revokes both tokens of a set with its own access token. Does nothing without `oauth:revoke`. */
export const revokeIfAllowed = (
  client: OAuthClient,
  tokens: TokenSet,
): Effect.Effect<void, RequestError> =>
  isRevocable(tokens) ? revokeUsing(tokens.accessToken)(client, tokens) : Effect.void;

/** State of a token, as the server reports it (RFC 7662 §2.2). */
export interface TokenStatus {
  readonly active: boolean;
  readonly scopes: ReadonlyArray<string>;
  /** Seconds since 1970. Absent if the token does not expire, or is not active. */
  readonly exp?: number;
  readonly clientId?: string;
  readonly username?: string;
  readonly sub?: string;
  /** The whole response, with the members that this package does not know. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Returns the state of a token. An unknown, expired or revoked token is `active: false`, not an
 * error. Do not cache the state beyond `exp`. It is not traced, because claims may be secret.
 */
export const introspect = Effect.fnUntraced(function* (
  client: OAuthClient,
  token: Redacted.Redacted,
  options: CallOptions = {},
): Effect.fn.Return<TokenStatus, RequestError> {
  const response = yield* send(client, "/oauth/token/introspect", { token, ...options });
  const claims = yield* parseSuccess(response);
  const { active, exp, scope, client_id: clientId, username, sub } = claims;
  // A server that sends the text "true" is misconfigured, so the state of its tokens is unknown.
  if (typeof active !== "boolean") return yield* malformed(response, "active");
  if (exp !== undefined && exp !== null && !Number.isFinite(exp))
    return yield* malformed(response, "exp");
  return {
    active,
    scopes: typeof scope === "string" ? splitScope(scope) : [],
    ...(typeof exp === "number" && { exp }),
    ...(typeof clientId === "string" && { clientId }),
    ...(typeof username === "string" && { username }),
    ...(typeof sub === "string" && { sub }),
    claims,
  };
});

const send = (
  client: OAuthClient,
  path: string,
  { hint, token, using }: CallOptions & { readonly token: Redacted.Redacted },
): Effect.Effect<OAuthResponse, RequestError> =>
  post(client, path, { token, token_type_hint: hint }, using).pipe(
    Effect.flatMap((response) => {
      if (isOk(response)) return Effect.succeed(response);
      // RFC 6750 §3: a refusal without a body names its error in the challenge.
      const challenge = challengeParam(response.headers, "error");
      return parseSuccess(response, undefined, challenge).pipe(
        Effect.as(response),
        Effect.mapError((error) =>
          error._tag === "RequestRejected" && error.error === "insufficient_scope"
            ? insufficientScope(response.headers, response.secrets)
            : error,
        ),
      );
    }),
    retryTransient,
  );

/** Makes the `InsufficientScope` of a 403, whose challenge names the missing scope. */
export const insufficientScope = (
  headers: Pick<Headers, "get">,
  secrets: ReadonlyArray<string>,
) => {
  const scope = sanitize(challengeParam(headers, "scope"), secrets);
  return new InsufficientScope(scope ? { scope } : {});
};

/** Reads a parameter of a `WWW-Authenticate` challenge from its first 2,000 characters. */
export const challengeParam = (headers: Pick<Headers, "get">, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="?([^",]*)`, "i").exec(
    (headers.get("www-authenticate") ?? "").slice(0, 2000),
  )?.[1];
