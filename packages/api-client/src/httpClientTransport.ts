/** A transport over Effect's `HttpClient`. */
import { refusalOf } from "./refusalOf.ts";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { describeCause, SendError } from "./Transport.ts";
import type { IncomingResponse, OutgoingRequest, Transport } from "./Transport.ts";

/**
 * Sends requests with the `HttpClient` of the context; without redirects, spans or trace headers.
 */
export const httpClientTransport: Effect.Effect<Transport, never, HttpClient.HttpClient> =
  Effect.map(HttpClient.HttpClient, (base) => {
    const client = HttpClient.withScope(base);
    return (request, settle) => {
      const scope = Scope.makeUnsafe();
      const fiber = Effect.runFork(
        client.execute(toRequest(request)).pipe(
          Effect.provideService(Scope.Scope, scope),
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        ),
      );
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) {
          settle(fromResponse(exit.value, scope));
          return;
        }
        Effect.runFork(Scope.close(scope, exit));
        const error = Exit.findErrorOption(exit);
        settle(
          error._tag === "Some"
            ? toSendError(error.value)
            : new SendError({ kind: "connect", detail: "the transport failed", cause: exit.cause }),
        );
      });
      return () => {
        fiber.interruptUnsafe();
        Effect.runFork(Scope.close(scope, Exit.void));
      };
    };
  });

const toRequest = ({ method, url, headers, body }: OutgoingRequest) => {
  const request = HttpClientRequest.make(method as "GET")(url, { headers });
  return body === undefined
    ? request
    : HttpClientRequest.bodyText(request, body, "application/json");
};

const fromResponse = (
  response: HttpClientResponse.HttpClientResponse,
  scope: Scope.Closeable,
): IncomingResponse => {
  const all: Readonly<Record<string, string | undefined>> = response.headers;
  const encoding = all["content-encoding"]?.trim().toLowerCase() || "identity";
  // Fetch has decompressed the body already, undici has not.
  const isDecompressed = HttpClientResponse.toWeb(response)._tag === "Some";
  const abort = () => void Effect.runFork(Scope.close(scope, Exit.void));
  const refusal = isDecompressed ? refusalOf(encoding) : undefined;
  if (refusal !== undefined) abort();
  const { "content-encoding": _, "content-length": __, ...rest } = all;
  let iterator: AsyncIterator<Uint8Array> | undefined;
  return {
    status: response.status,
    headers: encoding !== "identity" && isDecompressed ? rest : all,
    encoding: isDecompressed ? "identity" : encoding,
    read: async () => {
      if (refusal !== undefined) throw refusal;
      iterator ??= Stream.toAsyncIterable(Stream.mapError(response.stream, causeOf))[
        Symbol.asyncIterator
      ]();
      return (await iterator.next()).value as Uint8Array | undefined;
    },
    abort,
  };
};

/** The error below Effect's own, which holds the request with its headers. */
const causeOf = ({ reason }: HttpClientError): unknown =>
  (reason as { readonly cause?: unknown }).cause ?? new Error(reason._tag);

const toSendError = (error: HttpClientError): SendError => {
  const { reason } = error;
  const cause = causeOf(error);
  return new SendError({
    kind:
      reason._tag === "InvalidUrlError" || reason._tag === "EncodeError" ? "request" : "connect",
    detail: describeCause(cause),
    cause,
  });
};
