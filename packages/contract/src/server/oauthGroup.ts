/**
 * The OAuth server (§4.1), under {auth_url}.
 *
 * `authorize` is a page for a browser: its answers are HTML and redirects. A server answers
 * `token`, `revoke` and `introspect` with `handleRaw`, because the RFCs rule over everything that
 * the typed handlers would answer by themselves (duplicate parameters, other content types, empty
 * values, cache headers).
 */
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import {
  AuthorizeQuery,
  IntrospectionResponse,
  IntrospectRequest,
  RevokeRequest,
  TokenRequest,
  TokenResponse,
} from "../effect/OAuth.ts";
import { oauthErrors } from "./Errors.ts";
import { RequiredScopes } from "./Security.ts";

/** `/oauth/authorize`, `/oauth/token`, `/oauth/token/revoke` and `/oauth/token/introspect` */
export class OAuthGroup
  extends /*#__PURE__*/ HttpApiGroup.make("oauth").add(
    HttpApiEndpoint.get("authorize", "/oauth/authorize", {
      query: AuthorizeQuery,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })),
      error: oauthErrors,
    }).annotate(OpenApi.Summary, "The user consent page, for a browser"),
    HttpApiEndpoint.post("token", "/oauth/token", {
      payload: TokenRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: TokenResponse,
      error: oauthErrors,
    }).annotate(OpenApi.Summary, "Create tokens"),
    HttpApiEndpoint.post("revoke", "/oauth/token/revoke", {
      payload: RevokeRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(200),
      error: oauthErrors,
    })
      .annotate(RequiredScopes, ["oauth:revoke"])
      .annotate(OpenApi.Summary, "Revoke a token (RFC 7009)"),
    HttpApiEndpoint.post("introspect", "/oauth/token/introspect", {
      payload: IntrospectRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: IntrospectionResponse,
      error: oauthErrors,
    })
      .annotate(RequiredScopes, ["oauth:introspect"])
      .annotate(OpenApi.Summary, "Check a token (RFC 7662)"),
  ) {}
