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
import {
  INVALID_TOKEN,
  OAUTH_FAILURES,
  OAuthFailure,
  type OAuthFailureReason,
  refuse,
} from "./OAuthErrors.ts";
import type { OAuthServer } from "./OAuthServer.ts";
import type { Identity } from "./TokenVerifier.ts";
import { wordsOf } from "../internal/wordsOf.ts";

const TOKEN_PARAMETERS = wordsOf(`
  client_id client_secret grant_type code redirect_uri scope code_verifier refresh_token
`);

const MANAGEMENT_PARAMETERS = wordsOf("token token_type_hint client_id client_secret access_token");

const NO_STORE: Headers = { "cache-control": "no-store", pragma: "no-cache" };

type Endpoint = (server: OAuthServer, context: RequestContext) => ResponseOutput;

export const tokenRoutes = (
  server: OAuthServer,
  config: SandboxConfig,
  log: Log,
): ReadonlyArray<Route> => {
  const answer =
    (handle: Endpoint): Handler =>
    (context) => {
      let response: ResponseOutput;
      try {
        response = handle(server, context);
      } catch (cause) {
        if (!(cause instanceof OAuthFailure)) log("the OAuth server failed", cause);
        response = failureResponse(cause);
      }
      return withCors(config, context.request, response);
    };
  const endpoint = (template: string, name: string, handle: Endpoint): ReadonlyArray<Route> => [
    { method: "POST", template, name, handle: answer(handle) },
    { method: "OPTIONS", template, handle: answer(() => empty(204, POST_ALONE)) },
    ...["GET", "PUT", "PATCH", "DELETE"].map((method) => ({
      method,
      template,
      handle: answer(() => refuse("MethodNotAllowed", POST_ALONE)),
    })),
  ];
  return [
    ...endpoint("/oauth/token", "oauth.token", token),
    ...endpoint("/oauth/token/revoke", "oauth.revoke", revoke),
    ...endpoint("/oauth/token/introspect", "oauth.introspect", introspect),
  ];
};

const POST_ALONE: Headers = { allow: "POST" };

const token: Endpoint = (server, { facts, request }) => {
  const parameters = readForm(request, TOKEN_PARAMETERS);
  facts.grantType = parameters.get("grant_type");
  facts.sendsSecret = parameters.has("client_secret");
  facts.client ??= server.clients.byId(parameters.get("client_id") ?? "")?.clientId;
  const client = server.authenticate(request.header("authorization"), parameters);
  facts.client = client.clientId;
  const granted = server.tokenGrants.grant({ client, parameters, facts });
  facts.account = granted.username;
  facts.scopes = granted.scope.split(" ").filter(Boolean);
  return json(granted, 200, NO_STORE);
};

const revoke: Endpoint = (server, context) => {
  const { bearer, subject } = managementRequest(server, context, "oauth:revoke");
  server.revoke(bearer, subject);
  return empty(200, NO_STORE);
};

const introspect: Endpoint = (server, context) => {
  const { bearer, subject } = managementRequest(server, context, "oauth:introspect");
  server.scans.check(bearer.clientId);
  const result = server.introspect(bearer, subject);
  if (!result.active) server.scans.failed(bearer.clientId);
  return json(result, 200, NO_STORE);
};

/** The bearer of a revoke or introspect request and the token that it is about. */
const managementRequest = (
  server: OAuthServer,
  { credentials, request }: RequestContext,
  scope: string,
): { readonly bearer: Identity; readonly subject: string } => {
  if (!credentials.isBearer) refuse("BearerMissing", { "www-authenticate": "Bearer" });
  const bearer =
    credentials.identity ?? refuse("BearerInvalid", { "www-authenticate": INVALID_TOKEN });
  if (!bearer.scopes.includes(scope))
    refuse("ScopeInsufficient", {
      "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
    });
  const form = readForm(request, MANAGEMENT_PARAMETERS);
  if (form.has("access_token")) refuse("MultipleCredentials");
  checkClient(server, bearer, form);
  return { bearer, subject: form.get("token") ?? refuse("ParameterMissing") };
};

/**
 * A client that names itself beside its bearer must be the bearer's client, and its secret must be
 * right.
 */
const checkClient = (
  server: OAuthServer,
  { clientId }: Identity,
  form: ReadonlyMap<string, string>,
): void => {
  if ((form.get("client_id") ?? clientId) !== clientId) refuse("ClientAuthenticationFailed");
  if (form.has("client_secret"))
    server.authenticate(undefined, new Map([...form, ["client_id", clientId]]));
};

/** The response of a failure (RFC 6749 §5.2); anything but an `OAuthFailure` is the server's own. */
const failureResponse = (cause: unknown): ResponseOutput => {
  const [reason, headers]: [OAuthFailureReason, Headers] =
    cause instanceof OAuthFailure ? [cause.reason, cause.headers] : ["ServerError", {}];
  const { description, error, status } = OAUTH_FAILURES[reason];
  return json({ error, error_description: description }, status, { ...NO_STORE, ...headers });
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
