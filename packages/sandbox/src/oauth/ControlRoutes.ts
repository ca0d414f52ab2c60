/**
 * The control plane's shortcuts through the OAuth server, for tests: consent without a browser,
 * tokens without the flow, clients of one's own.
 */
import { ErrorCode } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { Clients, type RegisteredClient } from "../clients/Clients.ts";
import { AuthorizeBody, ClientBody, TokensBody } from "./ControlBodies.ts";
import { OAuthServer } from "./OAuthServer.ts";

const json = (body: unknown, status = 200) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } });

const refused = (message: string) =>
  json({ error: { code: ErrorCode.InvalidQuery, message } }, 400);

/**
 * Handles a JSON body of a schema; a body that does not fit is answered with what is wrong with it.
 */
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
