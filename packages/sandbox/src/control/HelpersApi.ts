/**
 * The helpers of the control plane that belong to the OAuth server, for the OpenAPI document.
 *
 * They are served by plain routes beside the OAuth server; here is only what they take and answer.
 */
import { ErrorBody, TokenResponse } from "@game-data/contract";
import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { ControlApi } from "./ControlApi.ts";

/** What these routes answer to a request that makes no sense. */
const Refused = ErrorBody.pipe(HttpApiSchema.status(400));

const Credentials = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.optionalKey(Schema.String),
  kind: Schema.Literals(["public", "confidential"]),
  redirectUris: Schema.Array(Schema.String),
  scopes: Schema.Array(Schema.String),
}).annotate({ identifier: "ClientCredentials" });

const HelpersGroup = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("authorize", "/control/authorize", {
      payload: Schema.Struct({
        url: Schema.String.annotate({
          description: "The whole authorization URL that a browser would open",
        }),
        account: Schema.optionalKey(
          Schema.String.annotate({ description: "Name of the account; the first one by default" }),
        ),
        deny: Schema.optionalKey(Schema.Boolean),
      }),
      success: Schema.Struct({
        redirect: Schema.String.annotate({ description: "Where the browser would be sent" }),
      }),
      error: Refused,
    }).annotate(
      OpenApi.Summary,
      "Consent, or deny, as an account: the code flow without a browser",
    ),
    HttpApiEndpoint.post("tokens", "/control/tokens", {
      payload: Schema.Struct({
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
      }),
      success: TokenResponse,
      error: Refused,
    }).annotate(OpenApi.Summary, "Issue tokens without any flow, for tests of data endpoints"),
    HttpApiEndpoint.post("register", "/control/clients", {
      payload: Schema.Struct({
        clientId: Schema.String,
        name: Schema.optionalKey(Schema.String),
        kind: Schema.Literals(["public", "confidential"]),
        clientSecret: Schema.optionalKey(Schema.String),
        redirectUris: Schema.Array(Schema.String),
        domains: Schema.optionalKey(Schema.Array(Schema.String)),
        scopes: Schema.optionalKey(Schema.Array(Schema.String)),
        owner: Schema.optionalKey(Schema.String),
        grants: Schema.optionalKey(
          Schema.Array(
            Schema.Literals(["authorization_code", "client_credentials", "refresh_token"]),
          ),
        ),
        refreshTokens: Schema.optionalKey(Schema.Boolean),
      }),
      success: Credentials.pipe(HttpApiSchema.status(201)),
      error: Refused,
    }).annotate(OpenApi.Summary, "Register an application"),
    HttpApiEndpoint.get("clients", "/control/clients", {
      success: Schema.Struct({ clients: Schema.Array(Schema.Json) }),
    }).annotate(OpenApi.Summary, "The registered applications, without their secrets"),
  )
  .annotate(OpenApi.Description, "Shortcuts through the OAuth server, for tests.");

/** The whole control plane, for documentation: do not serve it. */
export const DocumentedControlApi = ControlApi.add(HelpersGroup);
