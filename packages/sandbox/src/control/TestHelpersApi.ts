/**
 * The helpers of the control plane that belong to the OAuth server, for the OpenAPI document.
 *
 * They are served by plain routes beside the OAuth server; here is only where, and what they
 * answer.
 */
import { ErrorBody, TokenResponse } from "@game-data/contract";
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import { AuthorizeBody, ClientBody, TokensBody } from "../oauth/ControlBodies.ts";
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
      payload: AuthorizeBody,
      success: Schema.Struct({
        redirect: Schema.String.annotate({ description: "Where the browser would be sent" }),
      }),
      error: Refused,
    }).annotate(
      OpenApi.Summary,
      "Consent, or deny, as an account: the code flow without a browser",
    ),
    HttpApiEndpoint.post("tokens", "/control/tokens", {
      payload: TokensBody,
      success: TokenResponse,
      error: Refused,
    }).annotate(OpenApi.Summary, "Issue tokens without any flow, for tests of data endpoints"),
    HttpApiEndpoint.post("register", "/control/clients", {
      payload: ClientBody,
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
