/**
 * `POST /oauth/token`, `/oauth/token/revoke`, `/oauth/token/introspect` over HTTP (§4.1).
 *
 * Every response is JSON and not to be stored (RFC 6749 §5.1). Configured origins may read them
 * from a browser, never with credentials.
 */
import type { SandboxConfig } from "../Config.ts";
import {
  empty,
  type Headers,
  json,
  type RequestInput,
  type ResponseOutput,
  withHeaders,
} from "../http/messages.ts";
import type { Handler, RequestContext, Route } from "../http/Router.ts";
import type { Log } from "../internal/log.ts";
import { readForm } from "./formBody.ts";
import { failure, OAuthFailure } from "./OAuthErrors.ts";
import type { OAuthServer } from "./OAuthServer.ts";
import type { Identity } from "./TokenVerifier.ts";
import { wordsOf } from "../internal/wordsOf.ts";

const TOKEN_PARAMETERS = wordsOf(`
  client_id client_secret grant_type code redirect_uri scope code_verifier refresh_token
`);

const MANAGEMENT_PARAMETERS = wordsOf("token token_type_hint client_id client_secret access_token");

const NO_STORE: Headers = { "cache-control": "no-store", pragma: "no-cache" };

type Answer = ResponseOutput | OAuthFailure;

/** The routes of the three endpoints. */
export const tokenRoutes = (
  server: OAuthServer,
  config: SandboxConfig,
  log: Log,
): ReadonlyArray<Route> => {
  const answer =
    (handle: (server: OAuthServer, context: RequestContext) => Answer): Handler =>
    (context) => {
      let response: ResponseOutput;
      try {
        const answered = handle(server, context);
        response = answered instanceof OAuthFailure ? failureResponse(answered) : answered;
      } catch (cause) {
        log("the OAuth server failed", cause);
        response = failureResponse(failure("ServerError"));
      }
      return withCors(config, context.request, response);
    };
  const wrongMethod = answer(() => failure("MethodNotAllowed"));
  const preflight: Handler = ({ request }) =>
    withCors(config, request, empty(204, { allow: "POST" }));
  const endpoint = (template: string, name: string, handle: Handler): ReadonlyArray<Route> => [
    { method: "POST", template, name, handle },
    { method: "OPTIONS", template, handle: preflight },
    ...["GET", "PUT", "PATCH", "DELETE"].map((method) => ({
      method,
      template,
      handle: wrongMethod,
    })),
  ];
  return [
    ...endpoint("/oauth/token", "oauth.token", answer(token)),
    ...endpoint("/oauth/token/revoke", "oauth.revoke", answer(revoke)),
    ...endpoint("/oauth/token/introspect", "oauth.introspect", answer(introspect)),
  ];
};

const token = (server: OAuthServer, { facts, request }: RequestContext): Answer => {
  const form = readForm(request, TOKEN_PARAMETERS);
  if (form instanceof OAuthFailure) return form;
  const parameters = form.values;
  facts.grantType = parameters.get("grant_type");
  facts.sendsSecret = parameters.has("client_secret");
  const client = server.authenticate(request.header("authorization"), parameters);
  facts.client ??= server.clients.byId(parameters.get("client_id") ?? "")?.clientId;
  if (client instanceof OAuthFailure) return client;
  facts.client = client.clientId;
  const granted = server.tokenGrants.grant({ client, parameters, facts });
  if (granted instanceof OAuthFailure) return granted;
  facts.account = granted.username;
  facts.scopes = granted.scope.split(" ").filter(Boolean);
  return json(granted, 200, NO_STORE);
};

const revoke = (server: OAuthServer, context: RequestContext): Answer => {
  const managed = managementRequest(server, context, "oauth:revoke");
  if (managed instanceof OAuthFailure) return managed;
  server.management.revoke(managed.bearer, managed.subject);
  return empty(200, NO_STORE);
};

const introspect = (server: OAuthServer, context: RequestContext): Answer => {
  const managed = managementRequest(server, context, "oauth:introspect");
  if (managed instanceof OAuthFailure) return managed;
  const { bearer, subject } = managed;
  const wait = server.scans.waitSeconds(bearer.clientId);
  if (wait > 0) return failure("TooManyAttempts", { retryAfter: wait });
  const result = server.management.introspect(bearer, subject);
  if (!result.active) server.scans.failed(bearer.clientId);
  return json(result, 200, NO_STORE);
};

/** The bearer of a revoke or introspect request and the token that it is about. */
const managementRequest = (
  server: OAuthServer,
  { credentials, request }: RequestContext,
  scope: string,
): { readonly bearer: Identity; readonly subject: string } | OAuthFailure => {
  if (!credentials.isBearer) return failure("BearerMissing");
  const bearer = credentials.identity;
  if (bearer === undefined) return failure("BearerInvalid");
  if (!bearer.scopes.includes(scope)) return failure("ScopeInsufficient", { scope });
  const form = readForm(request, MANAGEMENT_PARAMETERS);
  if (form instanceof OAuthFailure) return form;
  if (form.values.has("access_token")) return failure("MultipleCredentials");
  const refused = checkClient(server, bearer, form.values);
  if (refused !== undefined) return refused;
  const subject = form.values.get("token");
  return subject === undefined ? failure("ParameterMissing") : { bearer, subject };
};

/**
 * A client that names itself beside its bearer must be the bearer's client, and its secret must be
 * right.
 */
const checkClient = (
  server: OAuthServer,
  bearer: Identity,
  parameters: ReadonlyMap<string, string>,
): OAuthFailure | undefined => {
  const named = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  if (named !== undefined && named !== bearer.clientId)
    return failure("ClientAuthenticationFailed");
  if (secret === undefined) return undefined;
  const client = server.authenticate(
    undefined,
    new Map([
      ["client_id", bearer.clientId],
      ["client_secret", secret],
    ]),
  );
  return client instanceof OAuthFailure ? client : undefined;
};

/**
 * The response of a failure: its row of the table, and the challenge where there is one (RFC 6749
 * §5.2, RFC 6750 §3).
 */
const failureResponse = (failed: OAuthFailure): ResponseOutput => {
  const { description, error, status } = failed.row;
  const headers: Record<string, string> = { ...NO_STORE };
  if (failed.retryAfter !== undefined) headers["retry-after"] = String(failed.retryAfter);
  if (failed.basic) headers["www-authenticate"] = 'Basic realm="game-data"';
  if (failed.reason === "MethodNotAllowed") headers["allow"] = "POST";
  if (failed.reason === "BearerMissing") headers["www-authenticate"] = "Bearer";
  if (failed.reason === "BearerInvalid")
    headers["www-authenticate"] = `Bearer error="${error}", error_description="${description}"`;
  if (failed.scope !== undefined)
    headers["www-authenticate"] = `Bearer error="${error}", scope="${failed.scope}"`;
  return json({ error, error_description: description }, status, headers);
};

const withCors = (
  { tokenOrigins }: SandboxConfig,
  request: RequestInput,
  response: ResponseOutput,
): ResponseOutput => {
  if (tokenOrigins.length === 0) return response;
  const origin = request.header("origin");
  const varied = withHeaders(response, { vary: "Origin" });
  if (origin === undefined || !tokenOrigins.includes(origin)) return varied;
  return withHeaders(varied, {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, content-type",
  });
};
