/**
 * An `HttpClient` for the data API that sends the session's token, and renews it once after a 401.
 *
 * The token goes into the `Authorization` header, and only of requests to `baseUrl`'s origin (RFC
 * 6750 §5.3): a link to elsewhere is followed without it. A 401 costs at most one renewal and one
 * replay; a body that can't be read twice (a stream) isn't replayed. A 403 that names
 * `insufficient_scope` fails with `InsufficientScope` and renews nothing.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type * as HttpClientResponse from "effect/http/HttpClientResponse";
import type { InsufficientScope, SessionError } from "./Errors.ts";
import { wwwAuthenticateParam, insufficientScope } from "./internal/bearerRequest.ts";
import type { Session } from "./Session.ts";

/** Wraps a client so that requests to `baseUrl` carry the session's token. */
export const make = <E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  session: Session,
  { baseUrl }: { readonly baseUrl: string },
): HttpClient.HttpClient.With<E | SessionError | InsufficientScope, R> => {
  const { origin } = new URL(baseUrl);
  return HttpClient.makeWith<
    E | SessionError | InsufficientScope,
    R,
    E | SessionError | InsufficientScope,
    R
  >(
    Effect.flatMap((request) =>
      URL.parse(request.url)?.origin === origin
        ? send(client, session, request)
        : client.postprocess(
            Effect.succeed(HttpClientRequest.removeHeader(request, "authorization")),
          ),
    ),
    client.preprocess,
  );
};

const send = <E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  session: Session,
  request: HttpClientRequest.HttpClientRequest,
) =>
  Effect.gen(function* () {
    const token = yield* session.accessToken;
    const first = yield* client.postprocess(
      Effect.succeed(HttpClientRequest.bearerToken(request, token)),
    );
    if (first.status !== 401 || request.body._tag === "Stream")
      return yield* refuse403(first, token);
    const next = yield* session.renew(token);
    const second = yield* client.postprocess(
      Effect.succeed(HttpClientRequest.bearerToken(request, next)),
    );
    return yield* refuse403(second, next);
  });

const refuse403 = (response: HttpClientResponse.HttpClientResponse, token: Redacted.Redacted) =>
  response.status === 403 &&
  wwwAuthenticateParam(response.headers["www-authenticate"], "error") === "insufficient_scope"
    ? Effect.fail(
        insufficientScope({ headers: response.headers, secrets: [Redacted.value(token)] }),
      )
    : Effect.succeed(response);
