/** The operations of the OAuth server in the OpenAPI document (§4.1). */
import type { Json, JsonSchemaWriter } from "@game-data/schemas/JsonSchema";
import type * as Schema from "effect/Schema";
import * as OAuth from "../effect/OAuth.ts";
import { oauthRoutes } from "../routes/table.ts";
import { about, type Examples, json, response } from "./shared.ts";

type OAuthName = keyof typeof oauthRoutes;

const FORMS: { readonly [Name in OAuthName]: ReadonlyArray<Schema.Constraint> } = {
  "oauth.authorize": [],
  "oauth.token": [
    OAuth.TokenRequestAuthorizationCode,
    OAuth.TokenRequestClientCredentials,
    OAuth.TokenRequestRefreshToken,
  ],
  "oauth.revoke": [OAuth.RevokeRequest],
  "oauth.introspect": [OAuth.IntrospectRequest],
};

/** An operation of the OAuth server. */
export const oauthOperation = (
  name: OAuthName,
  write: JsonSchemaWriter["write"],
  examples: Examples,
): Json => {
  const { scopes: needed } = oauthRoutes[name];
  const forms = FORMS[name].map(write);
  write(OAuth.OAuthErrorBody);
  const { properties } = write(OAuth.AuthorizeQuery) as {
    readonly properties: Readonly<Record<string, Json>>;
  };
  const example = examples[name]?.[200];
  const bodies: { readonly [Name in OAuthName]: Json } = {
    "oauth.authorize": { content: { "text/html": { schema: { type: "string" } } } },
    "oauth.token": {
      content: json(write(OAuth.TokenResponse), example === undefined ? {} : { example }),
    },
    "oauth.revoke": {},
    "oauth.introspect": {
      content: json(write(OAuth.IntrospectionResponse), example === undefined ? {} : { example }),
    },
  };
  return {
    ...about(name, name),
    ...(name === "oauth.authorize"
      ? {
          parameters: Object.entries(properties).map(([key, schema]) => ({
            name: key,
            in: "query",
            required: true,
            schema,
          })),
        }
      : {}),
    ...(forms.length === 0
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/x-www-form-urlencoded": {
                schema: forms.length === 1 ? forms[0] : { oneOf: forms },
              },
            },
          },
        }),
    security: needed.length === 0 ? [] : [{ oauth2: needed }],
    responses: {
      200: { description: "Success", ...bodies[name] },
      "4XX": response("OAuthRefused"),
      "5XX": response("OAuthFailed"),
    },
  };
};
