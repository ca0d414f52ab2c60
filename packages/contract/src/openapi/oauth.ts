/** The operations of the OAuth server in the OpenAPI document (§4.1). */
import type { Json } from "@game-data/schemas/JsonSchema";
import { oauthRoutes } from "../routes/table.ts";
import { authorizeParameters, type oauthSchemas } from "./oauthSchemas.ts";
import { about, type Examples, json, response } from "./shared.ts";

type OAuthName = keyof typeof oauthRoutes;

const ref = (name: keyof typeof oauthSchemas): Json => ({ $ref: `#/components/schemas/${name}` });

const FORMS: { readonly [Name in OAuthName]: ReadonlyArray<keyof typeof oauthSchemas> } = {
  "oauth.authorize": [],
  "oauth.token": [
    "TokenRequestAuthorizationCode",
    "TokenRequestClientCredentials",
    "TokenRequestRefreshToken",
  ],
  "oauth.revoke": ["RevokeRequest"],
  "oauth.introspect": ["IntrospectRequest"],
};

/** An operation of the OAuth server. */
export const oauthOperation = (name: OAuthName, examples: Examples): Json => {
  const { scopes: needed } = oauthRoutes[name];
  const forms = FORMS[name].map(ref);
  const example = examples[name]?.[200];
  const answer = (schema: Json): Json => ({
    content: json(schema, example === undefined ? {} : { example }),
  });
  const answers: { readonly [Name in OAuthName]: Json } = {
    "oauth.authorize": { content: { "text/html": { schema: { type: "string" } } } },
    "oauth.token": answer(ref("TokenResponse")),
    "oauth.revoke": {},
    "oauth.introspect": answer(ref("IntrospectionResponse")),
  };
  const schema = forms.length === 1 ? forms[0] : { oneOf: forms };
  const content = { "application/x-www-form-urlencoded": { schema } };
  return {
    ...about(name, name),
    ...(forms.length === 0 ? { parameters } : { requestBody: { required: true, content } }),
    security: needed.length === 0 ? [] : [{ oauth2: needed }],
    responses: {
      200: { description: "Success", ...answers[name] },
      "4XX": response("OAuthRefused"),
      "5XX": response("OAuthFailed"),
    },
  };
};

const parameters: ReadonlyArray<Json> = Object.entries(authorizeParameters).map(
  ([name, schema]) => ({ name, in: "query", required: true, schema }),
);
