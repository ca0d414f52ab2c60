/**
 * What the control plane's shortcuts through the OAuth server take: read by their routes, shown by
 * the OpenAPI document.
 */
import * as Schema from "effect/Schema";

/** Body of `POST /control/authorize`. */
export const AuthorizeBody = Schema.Struct({
  url: Schema.String.annotate({
    description: "The whole authorization URL that a browser would open",
  }),
  account: Schema.optionalKey(
    Schema.String.annotate({ description: "Name of the account; the first one by default" }),
  ),
  deny: Schema.optionalKey(Schema.Boolean),
});

/** Body of `POST /control/tokens`. */
export const TokensBody = Schema.Struct({
  clientId: Schema.String,
  account: Schema.optionalKey(
    Schema.String.annotate({
      description: "Without one a confidential client gets client credentials",
    }),
  ),
  scopes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "All that a user can be asked for by default",
    }),
  ),
});

/** Body of `POST /control/clients`. */
export const ClientBody = Schema.Struct({
  clientId: Schema.String,
  name: Schema.optionalKey(Schema.String),
  kind: Schema.Literals(["public", "confidential"]),
  clientSecret: Schema.optionalKey(Schema.NonEmptyString),
  redirectUris: Schema.Array(Schema.String),
  domains: Schema.optionalKey(Schema.Array(Schema.String)),
  scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  owner: Schema.optionalKey(Schema.String),
  grants: Schema.optionalKey(
    Schema.Array(Schema.Literals(["authorization_code", "client_credentials", "refresh_token"])),
  ),
  refreshTokens: Schema.optionalKey(Schema.Boolean),
});
