/**
 * The contract's `BearerAuth`: every data request carries an access token with the endpoint's
 * scopes (§5, §7).
 *
 * The answers are the data API's own error bodies; `WWW-Authenticate` says the same to OAuth
 * libraries (RFC 6750 §3). A request without a token gets a bare challenge. A token in the URL is
 * not looked at; one in a form beside the header is refused.
 */
import {
  BearerAuth,
  Caller,
  ForbiddenError,
  InvalidQueryError,
  type Scope,
  scopesOf,
  UnauthorizedError,
} from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as HttpEffect from "effect/http/HttpEffect";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { parseForm } from "./formBody.ts";
import { TokenVerifier } from "./TokenVerifier.ts";

/** Bearer tokens of the sandbox's OAuth server. */
export const BearerAuthLive: Layer.Layer<BearerAuth, never, TokenVerifier> = Layer.effect(
  BearerAuth,
  Effect.map(TokenVerifier, (verifier) =>
    BearerAuth.of({
      bearer: (handler, { endpoint }) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const identity = yield* verifier.verify(request.headers["authorization"]).pipe(
            Effect.tapError((failed) =>
              challenge(failed._tag === "TokenMissing" ? "Bearer" : INVALID_TOKEN),
            ),
            Effect.mapError((failed) => UnauthorizedError.because(failed.message)),
          );
          if (yield* carriesSecondToken(request)) return twoTokens;
          const missing = scopesOf(endpoint).filter((scope) => !identity.scopes.includes(scope));
          if (missing.length > 0) {
            yield* challenge(`Bearer error="insufficient_scope", scope="${missing.join(" ")}"`);
            return yield* ForbiddenError.because(
              `The access token lacks the scope ${missing.join(" ")}.`,
            );
          }
          return yield* Effect.provideService(handler, Caller, {
            clientId: identity.clientId,
            sub: identity.sub,
            username: identity.username,
            scopes: identity.scopes as ReadonlyArray<Scope>,
            grant: identity.grantType,
          });
        }),
    }),
  ),
);

const INVALID_TOKEN =
  'Bearer error="invalid_token", error_description="The access token is malformed, unknown, expired or revoked."';

const challenge = (value: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", value)),
  );

/** A form with a token of its own beside the header (RFC 6750 §2: one method per request). */
const carriesSecondToken = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const type = request.headers["content-type"] ?? "";
  if (!type.toLowerCase().startsWith("application/x-www-form-urlencoded")) return false;
  const text = yield* Effect.orElseSucceed(request.text, () => "");
  return parseForm(text)?.values.has("access_token") ?? false;
});

const twoTokens = HttpServerResponse.jsonUnsafe(
  { error: InvalidQueryError.because("The request carries two access tokens.").error },
  { status: 400 },
);
