/**
 * One POST to an OAuth endpoint: form out, JSON (or nothing) in, every failure typed.
 *
 * Redirects are never followed, nothing is retried here, no ambient credentials are sent, the answer is bounded in time and
 * size (C9, C10, C12, C13, C30).
 */
import { Effect, Redacted, Stream } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type * as HttpClientResponse from "effect/http/HttpClientResponse";
import { ResponseMalformed, Transport, UnexpectedRedirect } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { OAuthHttp } from "../OAuthHttp.ts";
import { SecondSend, oneShotForm } from "./oneShotBody.ts";
import type { Secrets } from "./untrusted.ts";

/** A form: absent members are left out, redacted ones count as credentials. */
export type Form = Readonly<Record<string, string | Redacted.Redacted | undefined>>;

/** An answer as far as it matters here. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly secrets: Secrets;
}

/** Sends a form to `path` of the client's OAuth server. */
export const post = (
  client: OAuthClient,
  path: string,
  form: Form,
  bearer?: Redacted.Redacted,
): Effect.Effect<Answer, Transport | UnexpectedRedirect | ResponseMalformed> => {
  const url = client.authUrl + path;
  const secret = client.kind === "confidential" ? client.clientSecret : undefined;
  const full: Form = { ...form, client_id: client.clientId, client_secret: secret };
  const secrets = [...Object.values(full).filter((value) => Redacted.isRedacted(value)), bearer];
  return Effect.flatMap(OAuthHttp, (http) => http.execute(buildRequest(url, full, bearer))).pipe(
    Effect.flatMap((response) => readAnswer(response, url, client.maxResponseBytes, secrets)),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(transportOf(error))),
    Effect.catchDefect((defect) =>
      defect instanceof SecondSend
        ? Effect.fail(new Transport({ reason: "the HTTP client tried to resend", sent: true }))
        : Effect.die(defect),
    ),
    Effect.timeoutOrElse({
      duration: client.timeout,
      orElse: () => Effect.fail(new Transport({ reason: "timeout", sent: true })),
    }),
    Effect.provideService(FetchHttpClient.RequestInit, fetchOptions()),
    // The span of an HTTP client may hold the raw answer (undici's parser errors quote it) and goes to a third party as a
    // header; the operations of this package have spans of their own.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
  );
};

// workerd throws on `credentials`, and sends no cookies anyway.
const fetchOptions = (): RequestInit => ({
  redirect: "manual",
  ...("credentials" in Request.prototype && { credentials: "omit" }),
});

const buildRequest = (url: string, form: Form, bearer: Redacted.Redacted | undefined) => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    if (value !== undefined)
      params.set(name, typeof value === "string" ? value : Redacted.value(value));
  const request = HttpClientRequest.post(url, {
    body: oneShotForm(params),
    acceptJson: true,
  });
  return bearer === undefined ? request : HttpClientRequest.bearerToken(request, bearer);
};

const readAnswer = (
  response: HttpClientResponse.HttpClientResponse,
  url: string,
  maxBytes: number,
  secrets: Secrets,
): Effect.Effect<
  Answer,
  HttpClientError.HttpClientError | UnexpectedRedirect | ResponseMalformed
> => {
  const { status, headers } = response;
  // Browsers hide a redirect behind status 0; a client that followed one anyway answers from another URL.
  if (status === 0 || (status >= 300 && status < 400) || response.url !== new URL(url).href)
    return Effect.fail(new UnexpectedRedirect({ status }));
  return readText(response, maxBytes).pipe(
    Effect.map((text) => ({ status, headers, text, secrets })),
  );
};

const readText = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number,
): Effect.Effect<string, HttpClientError.HttpClientError | ResponseMalformed> => {
  const { status } = response;
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  return response.stream.pipe(
    Stream.runForEach((chunk) => {
      size += chunk.length;
      if (size > maxBytes)
        return Effect.fail(new ResponseMalformed({ status, reason: "it is too large" }));
      text += decoder.decode(chunk, { stream: true });
      return Effect.void;
    }),
    Effect.catchIf(
      (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
      () => Effect.void,
    ),
    Effect.map(() => text + decoder.decode()),
  );
};

/** Failures in which certainly no byte of the request was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

// The cause may hold the request, and that holds the credentials: only the system's error code is taken over.
const transportOf = (error: HttpClientError.HttpClientError): Transport => {
  const code = codeOf(error.reason);
  return new Transport({ reason: code ?? "the connection failed", sent: !UNSENT.test(code ?? "") });
};

const codeOf = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 5) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code;
  return codeOf(cause, depth + 1);
};
