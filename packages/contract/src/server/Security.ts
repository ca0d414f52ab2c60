/**
 * The protection of data endpoints: two middlewares that a server must provide and a client may.
 *
 * `BearerAuth` reads the access token from the `Authorization` header (§5), refuses it with 401 or
 * 403 and tells handlers who is calling (`AuthenticatedCaller`). On the client,
 * `HttpApiMiddleware.layerClient(BearerAuth, …)` is the place to add the token.
 * `RequestDecodingErrors`
 * turns whatever does not fit the schemas of a request into the error body of §7; implement it with
 * `HttpApiMiddleware.layerSchemaErrorTransform`.
 */
import * as Context from "effect/Context";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity";
import * as OpenApi from "effect/http-api/OpenApi";
import {
  ForbiddenError,
  InternalServerError,
  InvalidQueryError,
  UnauthorizedError,
} from "./Errors.ts";
import type { Scope } from "../Scope.ts";

/** The owner of the token of a request. */
export class AuthenticatedCaller
  extends /*#__PURE__*/ Context.Service<
    AuthenticatedCaller,
    {
      /** The application. */
      readonly clientId: string;
      /** UUID of the account: the user who consented, or the application's owner. */
      readonly sub: string;
      /** Name of that account. */
      readonly username: string;
      /** The scopes of the token. */
      readonly scopes: ReadonlyArray<Scope>;
      /** The grant by which the token was obtained. */
      readonly grant: "authorization_code" | "client_credentials";
    }
  >()("@game-data/contract/AuthenticatedCaller") {}

const bearer: HttpApiSecurity.Http = /*#__PURE__*/ HttpApiSecurity.annotate(
  HttpApiSecurity.bearer,
  OpenApi.Description,
  "An access token of the OAuth server (§5).",
);

/** Every data request carries an access token as a bearer credential (§5). */
export class BearerAuth
  extends /*#__PURE__*/ HttpApiMiddleware.Service<BearerAuth, { provides: AuthenticatedCaller }>()(
    "@game-data/contract/BearerAuth",
    {
      error: [UnauthorizedError, ForbiddenError, InternalServerError],
      security: { bearer },
    },
  ) {}

/** Responds with the error body of §7 to a request that does not fit its schemas. */
export class RequestDecodingErrors
  extends /*#__PURE__*/ HttpApiMiddleware.Service<RequestDecodingErrors>()(
    "@game-data/contract/RequestDecodingErrors",
    { error: [InvalidQueryError, InternalServerError] },
  ) {}

/**
 * The scopes that a token must have to use the annotated endpoint: all of them.
 *
 * An endpoint without this annotation needs no token (`/oauth/authorize`, `/oauth/token`).
 */
export const RequiredScopes = /*#__PURE__*/ Context.Reference<ReadonlyArray<Scope>>(
  "@game-data/contract/RequiredScopes",
  { defaultValue: () => [] },
);

/**
 * The scopes that a token must have to use `endpoint`: all of them; none for an endpoint that needs
 * no token.
 */
export const scopesOf = (
  endpoint: Pick<HttpApiEndpoint.Top, "annotations">,
): ReadonlyArray<Scope> => Context.get(endpoint.annotations, RequiredScopes);
