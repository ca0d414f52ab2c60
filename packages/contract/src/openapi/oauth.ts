/** The operations of the OAuth server in the OpenAPI document (§4.1). */
import type { Json, JsonSchemaWriter } from "@game-data/schemas/JsonSchema";
import type * as Schema from "effect/Schema";
import * as OAuth from "./oauthSchemas.ts";
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
  const example = examples[name]?.[200];
  const answer = (schema: Json): Json => ({
    content: json(schema, example === undefined ? {} : { example }),
  });
  const answers: { readonly [Name in OAuthName]: Json } = {
    "oauth.authorize": { content: { "text/html": { schema: { type: "string" } } } },
    "oauth.token": answer(write(OAuth.TokenResponse)),
    "oauth.revoke": {},
    "oauth.introspect": answer(write(OAuth.IntrospectionResponse)),
  };
  const schema = forms.length === 1 ? forms[0] : { oneOf: forms };
  const content = { "application/x-www-form-urlencoded": { schema } };
  return {
    ...about(name, name),
    ...(forms.length === 0
      ? { parameters: queryOf(write(OAuth.AuthorizeQuery)) }
      : { requestBody: { required: true, content } }),
    security: needed.length === 0 ? [] : [{ oauth2: needed }],
    responses: {
      200: { description: "Success", ...answers[name] },
      "4XX": response("OAuthRefused"),
      "5XX": response("OAuthFailed"),
    },
  };
};

/** The members of a structure as parameters of a query. */
const queryOf = ({ properties }: Json): ReadonlyArray<Json> =>
  Object.entries(properties as Readonly<Record<string, Json>>).map(([name, schema]) => ({
    name,
    in: "query",
    required: true,
    schema,
  }));
