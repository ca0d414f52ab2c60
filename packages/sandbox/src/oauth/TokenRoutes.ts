/**
 * `POST /oauth/token`, `/oauth/token/revoke`, `/oauth/token/introspect` over HTTP (§4.1).
 *
 * Plain routes at the contract's paths: RFC 6749 rules over much that a typed handler answers by
 * itself (repeated and empty parameters, other content types, other methods, cache headers). Every
 * answer is JSON and not to be stored.
 */
import { OAuthGroup } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { SandboxConfig } from "../Config.ts";
import { readForm } from "./formBody.ts";
import { failure, type OAuthFailure } from "./OAuthErrors.ts";
import { OAuthServer } from "./OAuthServer.ts";
import { type Identity, isBearer, TokenVerifier } from "./TokenVerifier.ts";

const { token, revoke, introspect } = OAuthGroup.endpoints;

const TOKEN_PARAMETERS = [
  "client_id",
  "client_secret",
  "grant_type",
  "code",
  "redirect_uri",
  "scope",
  "code_verifier",
  "refresh_token",
];

const MANAGEMENT_PARAMETERS = [
  "token",
  "token_type_hint",
  "client_id",
  "client_secret",
  "access_token",
];

/** RFC 6749 §5.1: answers that hold tokens, and their errors, are never stored. */
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

const handleToken = Effect.fn("OAuth.token")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const server = yield* OAuthServer;
  const form = yield* readForm(request, TOKEN_PARAMETERS);
  const client = yield* server.authenticate(request.headers["authorization"], form);
  const answer = yield* server.grant(client, form);
  return HttpServerResponse.jsonUnsafe(answer, { headers: NO_STORE });
});

const handleRevoke = Effect.fn("OAuth.revoke")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const server = yield* OAuthServer;
  const { bearer, subject } = yield* managementRequest(request, "oauth:revoke");
  server.care.revoke(bearer, subject);
  return HttpServerResponse.empty({ status: 200, headers: NO_STORE });
});

const handleIntrospect = Effect.fn("OAuth.introspect")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const server = yield* OAuthServer;
  const { bearer, subject } = yield* managementRequest(request, "oauth:introspect");
  const wait = server.scans.waitSeconds(bearer.clientId);
  if (wait > 0) return yield* failure("TooManyAttempts", { retryAfter: wait });
  const answer = server.care.introspect(bearer, subject);
  if (!answer.active) server.scans.failed(bearer.clientId);
  return HttpServerResponse.jsonUnsafe(answer, { headers: NO_STORE });
});

/** The bearer of a revoke or introspect request and the token that it is about. */
const managementRequest = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  scope: string,
): Effect.fn.Return<
  { readonly bearer: Identity; readonly subject: string },
  OAuthFailure,
  OAuthServer | TokenVerifier
> {
  const verifier = yield* TokenVerifier;
  const authorization = request.headers["authorization"];
  if (!isBearer(authorization)) return yield* failure("BearerMissing");
  const bearer = verifier.identify(authorization);
  if (bearer === undefined) return yield* failure("BearerInvalid");
  if (!bearer.scopes.includes(scope)) return yield* failure("ScopeInsufficient", { scope });
  const form = yield* readForm(request, MANAGEMENT_PARAMETERS);
  if (form.values.has("access_token")) return yield* failure("MultipleCredentials");
  yield* checkClient(bearer, form.values);
  const subject = form.values.get("token");
  if (subject === undefined) return yield* failure("ParameterMissing");
  return { bearer, subject };
});

/**
 * A client that names itself beside its bearer must be the bearer's client, and its secret must be
 * right.
 */
const checkClient = Effect.fnUntraced(function* (
  bearer: Identity,
  parameters: ReadonlyMap<string, string>,
) {
  const named = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  if (named !== undefined && named !== bearer.clientId)
    return yield* failure("ClientAuthenticationFailed");
  if (secret === undefined) return;
  const server = yield* OAuthServer;
  yield* server.authenticate(undefined, {
    values: new Map([
      ["client_id", bearer.clientId],
      ["client_secret", secret],
    ]),
    repeated: new Set(),
  });
});

/**
 * The response of a failure: its row of the table, and the challenge where there is one (RFC 6749
 * §5.2, RFC 6750 §3).
 */
const failureResponse = (failed: OAuthFailure): HttpServerResponse.HttpServerResponse => {
  const { error, status, description } = failed.row;
  const headers: Record<string, string> = { ...NO_STORE };
  if (failed.retryAfter !== undefined) headers["retry-after"] = String(failed.retryAfter);
  if (failed.basic === true) headers["www-authenticate"] = 'Basic realm="game-data"';
  if (failed.reason === "MethodNotAllowed") headers["allow"] = "POST";
  if (failed.reason === "BearerMissing") headers["www-authenticate"] = "Bearer";
  if (failed.reason === "BearerInvalid") {
    headers["www-authenticate"] = `Bearer error="${error}", error_description="${description}"`;
  }
  if (failed.scope !== undefined) {
    headers["www-authenticate"] = `Bearer error="${error}", scope="${failed.scope}"`;
  }
  return HttpServerResponse.jsonUnsafe(
    { error, error_description: description },
    { status, headers },
  );
};

/**
 * Turns failures into responses, and lets configured origins read them (never with credentials).
 */
const answer = <R>(
  handle: (
    request: HttpServerRequest.HttpServerRequest,
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthFailure, R>,
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest;
    const response = yield* handle(request).pipe(
      Effect.catchTag("OAuthFailure", (failed) => Effect.succeed(failureResponse(failed))),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("the OAuth server failed", defect), serverError),
      ),
    );
    return yield* withCors(request, response);
  });

const withCors = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
) {
  const { tokenOrigins } = yield* SandboxConfig;
  if (tokenOrigins.length === 0) return response;
  const origin = request.headers["origin"];
  const varied = HttpServerResponse.setHeader(response, "vary", "Origin");
  if (origin === undefined || !tokenOrigins.includes(origin)) return varied;
  return HttpServerResponse.setHeaders(varied, {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, content-type",
  });
});

const serverError = failureResponse(failure("ServerError"));

const wrongMethod = Effect.succeed(failureResponse(failure("MethodNotAllowed")));

const preflight = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  withCors(request, HttpServerResponse.empty({ status: 204, headers: { allow: "POST" } })),
);

const endpoint = <R>(
  path: HttpRouter.PathInput,
  handle: (
    request: HttpServerRequest.HttpServerRequest,
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthFailure, R>,
) =>
  HttpRouter.addAll([
    HttpRouter.route("POST", path, answer(handle)),
    HttpRouter.route("OPTIONS", path, preflight),
    HttpRouter.route("GET", path, wrongMethod),
    HttpRouter.route("PUT", path, wrongMethod),
    HttpRouter.route("PATCH", path, wrongMethod),
    HttpRouter.route("DELETE", path, wrongMethod),
  ]);

/** The three endpoints for applications. */
export const TokenRoutes = Layer.mergeAll(
  endpoint(token.path as HttpRouter.PathInput, handleToken),
  endpoint(revoke.path as HttpRouter.PathInput, handleRevoke),
  endpoint(introspect.path as HttpRouter.PathInput, handleIntrospect),
);
