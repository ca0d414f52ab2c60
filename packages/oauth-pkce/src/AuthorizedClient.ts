/**
 * An `HttpClient` for the data API that sends the session's token and renews it once after a 401.
 *
 * Only requests to the origin of `baseUrl` carry the token (RFC 6750 §5.3). A 401 costs at most one
 * renewal and one replay; a body that can be read once only (a stream) is not replayed. A 403 that
 * names `insufficient_scope` fails with `InsufficientScope` and renews nothing.
 *
 * @packageDocumentation
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type { InsufficientScope, SessionError } from "./Errors.ts";
import type { Session } from "./Session.ts";
import { challengeParam, insufficientScope } from "./TokenCall.ts";

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
  const sendWith = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    token: Redacted.Redacted,
  ) {
    const response = yield* send(HttpClientRequest.bearerToken(request, token));
    const headers = new Headers(response.headers);
    if (response.status === 403 && challengeParam(headers, "error") === "insufficient_scope")
      return yield* insufficientScope(headers, [Redacted.value(token)]);
    return response;
  });
  const authorize = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    if (URL.parse(request.url)?.origin !== origin)
      return yield* send(HttpClientRequest.removeHeader(request, "authorization"));
    const token = yield* session.accessToken;
    const response = yield* sendWith(request, token);
    if (response.status !== 401 || request.body._tag === "Stream") return response;
    return yield* sendWith(request, yield* session.renew(token));
  });
  return HttpClient.makeWith<Failure<E>, R, Failure<E>, R>(
    Effect.flatMap(authorize),
    client.preprocess,
  );
};
