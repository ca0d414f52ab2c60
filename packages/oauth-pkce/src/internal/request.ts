/**
 * One POST to an OAuth endpoint: form out, text in, every failure typed.
 *
 * Redirects are never followed, nothing is retried here, no ambient credentials are sent, the
 * response is bounded in time and size (C9, C10, C12, C13, C30).
 */
import * as Effect from "effect/Effect";
import { identity } from "effect/Function";
import * as Redacted from "effect/Redacted";
import * as Stream from "effect/Stream";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpBody from "effect/http/HttpBody";
import * as HttpClient from "effect/http/HttpClient";
import type * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type * as HttpClientResponse from "effect/http/HttpClientResponse";
import { OAuthResponseMalformed, OAuthTransportError, UnexpectedRedirect } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { OAuthHttpClient } from "../OAuthHttpClient.ts";
import { errorCode } from "./storeFailure.ts";

/** A form: absent members are left out, redacted ones count as credentials. */
export type Form = Readonly<Record<string, string | Redacted.Redacted | undefined>>;

/** The parts of a response that are used here. */
export interface OAuthResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The credentials of the request, in clear: to find out whether the response repeats one. */
  readonly secrets: ReadonlyArray<string>;
}

/** Sends a form to `path` of the client's OAuth server. */
export const post = (
  client: OAuthClient,
  path: string,
  form: Form,
): Effect.Effect<
  OAuthResponse,
  OAuthTransportError | UnexpectedRedirect | OAuthResponseMalformed
> =>
  Effect.gen(function* () {
    const url = client.authUrl + path;
    const secrets: Array<string> = [];
    const params = new URLSearchParams({ client_id: client.clientId });
    for (const [name, value] of Object.entries({ ...form, client_secret: client.clientSecret })) {
      const isSecret = Redacted.isRedacted(value);
      const text = isSecret ? Redacted.value(value) : value;
      if (text) params.set(name, text);
      if (text && isSecret) secrets.push(text);
    }
    const request = HttpClientRequest.post(url, {
      body: singleUseForm(params),
      acceptJson: true,
      headers: {
        // A token needs no compression.
        "accept-encoding": "identity",
        ...(client.userAgent && { "user-agent": client.userAgent }),
      },
    });
    // The scope releases the connection of a response that is not read.
    const response = yield* HttpClient.withScope(yield* OAuthHttpClient).execute(request);
    const { status, headers } = response;
    // Browsers hide a redirect behind status 0; a client that followed one anyway answers from
    // another URL.
    if (!status || (status >= 300 && status < 400) || response.url !== new URL(url).href)
      return yield* new UnexpectedRedirect({ status });
    return { status, headers, text: yield* textOf(response, client.maxResponseBytes), secrets };
  }).pipe(
    Effect.scoped,
    Effect.catchTag("HttpClientError", transportFailure),
    Effect.catchDefect((defect) => {
      if (defect instanceof OAuthTransportError) return defect;
      return client.fetch ? noAnswer("the given fetch gave no Response") : Effect.die(defect);
    }),
    Effect.timeoutOrElse({ duration: client.timeout, orElse: () => noAnswer("timeout") }),
    client.fetch === undefined
      ? identity
      : Effect.provideService(FetchHttpClient.Fetch, client.fetch),
    Effect.provideService(FetchHttpClient.RequestInit, {
      redirect: "manual",
      // workerd throws on `credentials`, and sends no cookies anyway.
      ...("credentials" in Request.prototype && { credentials: "omit" }),
    }),
    // The span of an HTTP client may hold the raw response, because undici's parser errors quote
    // it, and goes to a third party as a header. The operations of this package have spans of their
    // own.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
  );

/** The body as text; unread where it is in a coding, because `fetch` inflates without a bound. */
const textOf = Effect.fnUntraced(function* (
  { headers, status, stream }: HttpClientResponse.HttpClientResponse,
  limit: number,
) {
  if (isUnasked(headers["content-encoding"])) {
    const reason = "in a coding that was not asked for";
    return yield* new OAuthResponseMalformed({ status, reason });
  }
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  yield* Stream.runForEach(stream, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
    return (size += chunk.length) > limit
      ? new OAuthResponseMalformed({ status, reason: "too large" })
      : Effect.void;
  }).pipe(Effect.catchIf(isEmptyBody, () => Effect.void));
  return text + decoder.decode();
});

/** Not in a browser: it asks for codings of its own, and drops what a program asks for. */
const isUnasked = (encoding = ""): boolean => {
  if (/^(?:identity)?$/iu.test(encoding.trim())) return false;
  const headers = { "accept-encoding": "identity" };
  return new Request("https://localhost", { headers }).headers.has("accept-encoding");
};

const isEmptyBody = ({ reason }: HttpClientError.HttpClientError | OAuthResponseMalformed) =>
  (reason as { readonly _tag?: string })._tag === "EmptyBodyError";

const noAnswer = (reason: string, sent = true) => new OAuthTransportError({ reason, sent });

// The cause may hold the request, and that holds the credentials: only the system's error code is
// taken over.
const transportFailure = ({ reason }: HttpClientError.HttpClientError) => {
  const code = errorCode(reason);
  // Failures in which certainly no byte of the request was sent.
  const isUnsent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code ?? "");
  return noAnswer(code ?? "the connection failed", !isUnsent);
};

/**
 * A form body whose bytes can be read once.
 *
 * An injected `HttpClient` may retry or follow redirects, and neither can be taken off it again.
 * With this body it can do so only empty-handed: the second read throws before anything is on the
 * wire, so a single-use grant is never sent twice and a secret never reaches the target of a
 * redirect. Each adapter of Effect reads `body` exactly once per send.
 */
const singleUseForm = (params: URLSearchParams): HttpBody.HttpBody => {
  let bytes: Uint8Array | undefined = new TextEncoder().encode(String(params));
  // Getters of a class and not of the object: who prints an object reads those of its own.
  class Once extends HttpBody.Uint8Array {
    override get body(): Uint8Array {
      const once = bytes;
      bytes = undefined;
      if (once) return once;
      throw new OAuthTransportError({ reason: "the HTTP client tried to resend", sent: true });
    }

    override toJSON(): unknown {
      return "a form";
    }
  }
  return new Once(undefined, "application/x-www-form-urlencoded", bytes.length);
};
