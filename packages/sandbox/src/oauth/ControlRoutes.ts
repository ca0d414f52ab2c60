/**
 * The control plane's shortcuts through the OAuth server, for tests: consent without a browser, tokens without the flow,
 * clients of one's own.
 */
import { ErrorCode } from "@game-data/contract";
import { Effect, Schema } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { Clients, type RegisteredClient } from "../clients/Clients.ts";
import { OAuthServer } from "./OAuthServer.ts";

/** Body of `POST /control/authorize`. */
const AuthorizeBody = Schema.Struct({
  /** The authorization URL that the browser would have opened. */
  url: Schema.String,
  /** Name of the account that answers; the first seeded one by default. */
  account: Schema.optionalKey(Schema.String),
  /** Whether the account denies. */
  deny: Schema.optionalKey(Schema.Boolean),
});

/** Body of `POST /control/tokens`. */
const TokensBody = Schema.Struct({
  clientId: Schema.String,
  /** Name of the consenting account; without one a confidential client gets client credentials. */
  account: Schema.optionalKey(Schema.String),
  /** All that a user can be asked for by default. */
  scopes: Schema.optionalKey(Schema.Array(Schema.String)),
});

/** Body of `POST /control/clients`. */
const ClientBody = Schema.Struct({
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

const json = (body: unknown, status = 200) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } });

const refused = (message: string) =>
  json({ error: { code: ErrorCode.InvalidQuery, message } }, 400);

/** Handles a JSON body of a schema; a body that does not fit is answered with what is wrong with it. */
const withBody = <A, I, E, R>(
  schema: Schema.Codec<A, I>,
  handle: (body: A) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest;
    const body = yield* Effect.result(
      Effect.flatMap(request.json, Schema.decodeUnknownEffect(schema)),
    );
    return body._tag === "Success"
      ? yield* handle(body.success)
      : refused(
          body.failure._tag === "SchemaError" ? body.failure.message : "the body is not JSON",
        );
  });

const authorize = withBody(
  AuthorizeBody,
  Effect.fnUntraced(function* (body) {
    const answer = (yield* OAuthServer).authorizeAs(body);
    return "refused" in answer ? refused(answer.refused) : json(answer);
  }),
);

const tokens = withBody(
  TokensBody,
  Effect.fnUntraced(function* (body) {
    const answer = (yield* OAuthServer).issue(body);
    return "refused" in answer ? refused(answer.refused) : json(answer);
  }),
);

const register = withBody(
  ClientBody,
  Effect.fnUntraced(function* (body) {
    const clients = yield* Clients;
    return yield* clients.register(body).pipe(
      Effect.map((credentials) => json(credentials, 201)),
      Effect.catchTag("RegistrationRejected", (rejected) =>
        Effect.succeed(refused(rejected.message)),
      ),
    );
  }),
);

/** Registered clients without their secrets. */
const listClients = Effect.gen(function* () {
  const clients = yield* Clients;
  const all = yield* clients.all;
  const shown = all.map(
    (client): Omit<RegisteredClient, "secretHash"> & { secretHash: undefined } => ({
      ...client,
      secretHash: undefined,
    }),
  );
  return json({ clients: shown });
});

/** Shortcuts for tests. */
export const OAuthControlRoutes = HttpRouter.addAll([
  HttpRouter.route("POST", "/control/authorize", authorize),
  HttpRouter.route("POST", "/control/tokens", tokens),
  HttpRouter.route("POST", "/control/clients", register),
  HttpRouter.route("GET", "/control/clients", listClients),
]);
