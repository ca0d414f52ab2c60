/**
 * How a request leaves: its headers, without following redirects, without traces in it.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type { AccessToken } from "../Credentials.ts";

/** A request with everything but its body. */
export const requestOf = (
  method: string,
  url: string,
  userAgent: string,
  token: AccessToken | undefined,
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(method as "GET")(url, {
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
    },
  });

/** Redirects are not followed, and the call has its own span. */
export const execute = <E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  request: HttpClientRequest.HttpClientRequest,
) =>
  client.execute(request).pipe(
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
  );
