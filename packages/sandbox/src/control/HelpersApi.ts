/**
 * The helpers of the control plane that belong to the OAuth server, for the OpenAPI document.
 *
 * They are served by plain routes beside the OAuth server; here is only what they take and answer.
 */
import { TokenResponse } from "@game-data/contract";
import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ControlApi, ControlRejected } from "./ControlApi.ts";

const HelpersGroup = HttpApiGroup.make("signIn").add(
  HttpApiEndpoint.post("authorize", "/control/authorize", {
    payload: Schema.Struct({
      url: Schema.String.annotate({
        description: "The whole authorization URL that a browser would open",
      }),
      account: Schema.optionalKey(
        Schema.String.annotate({ description: "Name or uuid of the account that signs in" }),
      ),
      deny: Schema.optionalKey(Schema.Boolean),
    }),
    success: Schema.Struct({
      redirect: Schema.String.annotate({ description: "Where the browser would be sent" }),
    }),
    error: ControlRejected,
  }).annotate(OpenApi.Summary, "Consent, or deny, as an account: the code flow without a browser"),
  HttpApiEndpoint.post("tokens", "/control/tokens", {
    payload: Schema.Struct({
      clientId: Schema.String,
      account: Schema.optionalKey(Schema.String),
      scopes: Schema.Array(Schema.String),
    }),
    success: TokenResponse,
    error: ControlRejected,
  }).annotate(OpenApi.Summary, "Issue tokens without any flow, for tests of data endpoints"),
);

/** The whole control plane, for documentation: do not serve it. */
export const DocumentedControlApi = ControlApi.add(HelpersGroup);
