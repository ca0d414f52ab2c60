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

type Failure<E> = E | SessionError | InsufficientScope;

/** Wraps a client so that requests to `baseUrl` carry the session's token. */
export const make = <E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  session: Session,
  { baseUrl }: { readonly baseUrl: string },
): HttpClient.HttpClient.With<Failure<E>, R> => {
  const { origin } = new URL(baseUrl);
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    client.postprocess(Effect.succeed(request));
  const sendWith = (request: HttpClientRequest.HttpClientRequest, token: Redacted.Redacted) =>
    Effect.flatMap(send(HttpClientRequest.bearerToken(request, token)), (response) =>
      refuse403(response, token),
    );
  return HttpClient.makeWith<Failure<E>, R, Failure<E>, R>(
    Effect.flatMap((request) =>
      Effect.gen(function* () {
        if (URL.parse(request.url)?.origin !== origin)
          return yield* send(HttpClientRequest.removeHeader(request, "authorization"));
        const token = yield* session.accessToken;
        const first = yield* sendWith(request, token);
        if (first.status !== 401 || request.body._tag === "Stream") return first;
        return yield* sendWith(request, yield* session.renew(token));
      }),
    ),
    client.preprocess,
  );
};

const refuse403 = (
  response: HttpClientResponse.HttpClientResponse,
  token: Redacted.Redacted,
): Effect.Effect<HttpClientResponse.HttpClientResponse, InsufficientScope> => {
  const { headers, status } = response;
  return status === 403 &&
    wwwAuthenticateParam(headers["www-authenticate"], "error") === "insufficient_scope"
    ? Effect.fail(insufficientScope({ headers, secrets: [Redacted.value(token)] }))
    : Effect.succeed(response);
};
