/**
 * One POST to an OAuth endpoint: form out, text in, every failure typed.
 *
 * Redirects are never followed, nothing is retried here, no ambient credentials are sent, the answer is bounded in time and
 * size (C9, C10, C12, C13, C30).
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Stream from "effect/Stream";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
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
): Effect.Effect<Answer, Transport | UnexpectedRedirect | ResponseMalformed> =>
  send(client, client.authUrl + path, form, bearer).pipe(
    Effect.catchTag("HttpClientError", transportFailure),
    Effect.catchDefect((defect) =>
      defect instanceof SecondSend
        ? noAnswer("the HTTP client tried to resend")
        : Effect.die(defect),
    ),
    Effect.timeoutOrElse({ duration: client.timeout, orElse: () => noAnswer("timeout") }),
    Effect.provideService(FetchHttpClient.RequestInit, fetchOptions()),
    // The span of an HTTP client may hold the raw answer (undici's parser errors quote it) and goes to a third party as a
    // header; the operations of this package have spans of their own.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
  );

const send = /*#__PURE__*/ Effect.fnUntraced(function* (
  client: OAuthClient,
  url: string,
  form: Form,
  bearer: Redacted.Redacted | undefined,
) {
  const secrets = [bearer];
  const params = new URLSearchParams({ client_id: client.clientId });
  for (const [name, value] of Object.entries({ ...form, client_secret: client.clientSecret })) {
    if (Redacted.isRedacted(value)) secrets.push(value);
    if (value) params.set(name, Redacted.isRedacted(value) ? Redacted.value(value) : value);
  }
  const request = HttpClientRequest.post(url, {
    body: oneShotForm(params),
    acceptJson: true,
    headers: bearer ? { authorization: `Bearer ${Redacted.value(bearer)}` } : {},
  });
  const response = yield* (yield* OAuthHttp).execute(request);
  const { status, headers } = response;
  // Browsers hide a redirect behind status 0; a client that followed one anyway answers from another URL.
  if (status === 0 || (status >= 300 && status < 400) || response.url !== new URL(url).href)
    return yield* new UnexpectedRedirect({ status });
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  const append = (chunk: Uint8Array) => {
    size += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    return size > client.maxResponseBytes
      ? Effect.fail(new ResponseMalformed({ status, reason: "it is too large" }))
      : Effect.void;
  };
  yield* Stream.runForEach(response.stream, append).pipe(
    Effect.catchIf(isEmptyBody, () => Effect.void),
  );
  return { status, headers, text: text + decoder.decode(), secrets };
});

// workerd throws on `credentials`, and sends no cookies anyway.
const fetchOptions = (): RequestInit => ({
  redirect: "manual",
  ...("credentials" in Request.prototype && { credentials: "omit" }),
});

const isEmptyBody = (error: HttpClientError.HttpClientError | ResponseMalformed) =>
  error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError";

const noAnswer = (reason: string, sent = true) => Effect.fail(new Transport({ reason, sent }));

// The cause may hold the request, and that holds the credentials: only the system's error code is taken over.
const transportFailure = (error: HttpClientError.HttpClientError) => {
  let cause = error.reason as { readonly code?: unknown; readonly cause?: unknown } | undefined;
  for (let depth = 0; depth < 9; depth++) {
    const code = String(cause?.code);
    // Failures in which certainly no byte of the request was sent.
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code)) return noAnswer(code, false);
    if (/^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return noAnswer(code);
    cause = cause?.cause as typeof cause;
  }
  return noAnswer("the connection failed");
};
