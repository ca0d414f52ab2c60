/**
 * Calls that a bearer token authorises (revoke, introspect), and what the server's challenge says
 * about that token.
 *
 * Such calls do no harm twice, so transient failures are retried. RFC 6750 §3 lets a server refuse
 * them without a body: then the `WWW-Authenticate` header names the error.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import { InsufficientScope, type RequestError } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { OAuthHttpClient } from "../OAuthHttpClient.ts";
import type { JsonObject } from "./json.ts";
import { isOk, parseSuccess } from "./parseResponse.ts";
import { post, type OAuthResponse } from "./request.ts";
import { retryIdempotent } from "./retry.ts";
import { sanitize } from "./sanitize.ts";

/** Options of revoke and introspect. */
export interface CallOptions {
  /** The access token that authorises the call; it may be the very token that the call is about. */
  readonly using?: Redacted.Redacted;
  /** The kind of the token, if it is known. */
  readonly hint?: "access_token" | "refresh_token";
}

/** Sends a token to `path`, and reads a successful response with `read`. */
export const bearerRequest = <A>(
  client: OAuthClient,
  path: string,
  { token, using, hint }: CallOptions & { readonly token: Redacted.Redacted },
  read: (response: OAuthResponse) => Effect.Effect<A, RequestError>,
): Effect.Effect<A, RequestError> => {
  const call = post(client, path, { token, token_type_hint: hint });
  const authorized = using
    ? call.pipe(
        Effect.updateService(
          OAuthHttpClient,
          HttpClient.mapRequest(HttpClientRequest.bearerToken(using)),
        ),
        Effect.map((response) => ({
          ...response,
          secrets: [...response.secrets, Redacted.value(using)],
        })),
      )
    : call;
  return retryIdempotent(
    Effect.flatMap(authorized, (response) =>
      isOk(response)
        ? read(response)
        : Effect.flatMap(challengedBody(response), () => read(response)),
    ),
  );
};

const challengedBody = (response: OAuthResponse): Effect.Effect<JsonObject, RequestError> =>
  Effect.mapError(
    parseSuccess(response, wwwAuthenticateParam(response.headers["www-authenticate"], "error")),
    (error) =>
      error._tag === "RequestRejected" && error.error === "insufficient_scope"
        ? insufficientScope(response)
        : error,
  );

/**
 * The `InsufficientScope` that a 403 stands for; `scope` of the challenge says what is missing (RFC
 * 6750 §3).
 */
export const insufficientScope = ({
  headers,
  secrets,
}: Pick<OAuthResponse, "headers" | "secrets">) => {
  const scope = sanitize(wwwAuthenticateParam(headers["www-authenticate"], "scope"), secrets);
  return new InsufficientScope(scope ? { scope } : {});
};

/** A quoted or bare parameter of a `WWW-Authenticate` challenge. */
export const wwwAuthenticateParam = (
  challenge: string | undefined,
  name: string,
): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="?([^",]*)`, "i").exec((challenge ?? "").slice(0, 2000))?.[1];
