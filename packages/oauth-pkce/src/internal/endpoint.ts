/**
 * One POST to an OAuth endpoint: a form out, a JSON object or a typed error in (RFC 6749 §5).
 *
 * It uses `fetch`, not the application's `HttpClient`, which may retry, follow redirects and trace:
 * that is right for data and wrong for single-use credentials. Redirects are never followed, nothing
 * is retried, no cookies are sent, and the response is bounded in time and size.
 */
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Schedule from "effect/Schedule";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import {
  InvalidClient,
  InvalidGrant,
  InvalidScope,
  OAuthResponseMalformed,
  OAuthTransportError,
  RequestRejected,
  ServerUnavailable,
  UnexpectedRedirect,
  type RequestError,
} from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { errorCode } from "./errorCode.ts";
import { sanitize } from "./sanitize.ts";

/** A form. `undefined` members are left out; redacted members count as credentials. */
export type Form = Readonly<Record<string, string | Redacted.Redacted | undefined>>;

/** A JSON object. Its members are read as own properties only. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface OAuthResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The credentials of the request in clear, to find out whether the response repeats them. */
  readonly secrets: ReadonlyArray<string>;
}

export const post = Effect.fnUntraced(
  function* (
    client: OAuthClient,
    path: string,
    form: Form,
    bearer?: Redacted.Redacted,
  ): Effect.fn.Return<OAuthResponse, RequestError> {
    const fetch = client.fetch ?? (yield* FetchHttpClient.Fetch);
    const url = new URL(client.authUrl + path).href;
    const { body, secrets } = encodeForm(client, form, bearer);
    const headers = {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      // A token needs no compression.
      "accept-encoding": "identity",
      ...(client.userAgent && { "user-agent": client.userAgent }),
      ...(bearer && { authorization: `Bearer ${Redacted.value(bearer)}` }),
    };
    const { response, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const init = { method: "POST", headers, body, redirect: "manual", signal } as const;
        // workerd throws on `credentials`, and sends no cookies anyway.
        const noCookies = "credentials" in Request.prototype && ({ credentials: "omit" } as const);
        const received = await fetch(url, { ...init, ...noCookies });
        return { response: received, text: await readText(received, MAX_RESPONSE_BYTES) };
      },
      catch: transportError,
    });
    const { status } = response;
    // Browsers hide a redirect behind status 0. A `fetch` that followed a redirect has another URL.
    const isElsewhere = response.url && response.url !== url;
    if (!status || (status >= 300 && status < 400) || isElsewhere)
      return yield* new UnexpectedRedirect({ status });
    if (text === undefined)
      return yield* new OAuthResponseMalformed({ status, reason: "too large" });
    return { status, headers: response.headers, text, secrets };
  },
  (effect, client) =>
    Effect.timeoutOrElse(effect, {
      duration: client.timeout,
      orElse: () => new OAuthTransportError({ reason: "timeout", sent: true }),
    }),
);

const encodeForm = (client: OAuthClient, form: Form, bearer: Redacted.Redacted | undefined) => {
  const secrets: Array<string> = bearer ? [Redacted.value(bearer)] : [];
  const body = new URLSearchParams({ client_id: client.clientId });
  for (const [name, value] of Object.entries({ ...form, client_secret: client.clientSecret })) {
    const text = Redacted.isRedacted(value) ? Redacted.value(value) : value;
    if (text) body.set(name, text);
    if (text && Redacted.isRedacted(value)) secrets.push(text);
  }
  return { body: String(body), secrets };
};

/** A token response has a few hundred bytes. */
const MAX_RESPONSE_BYTES = 65_536;

/** Reads a body piece by piece. Returns `undefined` if it is longer than `limit`. */
const readText = async (response: Response, limit: number): Promise<string | undefined> => {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

/** Omits the cause, which may quote the request with its credentials. Keeps only its code. */
const transportError = (cause: unknown) => {
  const code = errorCode(cause);
  // After these codes no byte of the request was sent.
  const isUnsent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code ?? "");
  return new OAuthTransportError({ reason: code ?? "the connection failed", sent: !isUnsent });
};

export const parseObject = (text: string): JsonObject | undefined => {
  try {
    // Without a prototype, a member named `__proto__` has no effect.
    return /^\s*\{/.test(text) ? { __proto__: null, ...JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
};

export const isOk = ({ status }: OAuthResponse) => status >= 200 && status < 300;

export const malformed = ({ status }: OAuthResponse, reason: string) =>
  new OAuthResponseMalformed({ status, reason });

/**
 * Returns the JSON object of a successful response, or fails with the error of any other. `challenge`
 * is the error code of a `WWW-Authenticate` header, for a response without a body.
 */
export const parseSuccess = (
  response: OAuthResponse,
  grant?: InvalidGrant["grant"],
  challenge?: string,
): Effect.Effect<JsonObject, RequestError> => {
  const { status, secrets } = response;
  const body = parseObject(response.text);
  const named = body?.["error"];
  const code = typeof named === "string" ? named || " " : challenge;
  if (isOk(response) && body && code === undefined) return Effect.succeed(body);
  const { error, ...described } = describeError(code, body?.["error_description"], secrets);
  // A 5xx or 429 says nothing about the grant, whatever its body claims, so tokens are kept.
  const isBusy = /^(server_error|temporarily_unavailable)$/.test(error ?? "");
  if (status >= 500 || status === 429 || isBusy) return unavailable(response, error);
  const reported = error ?? (status === 401 ? "invalid_client" : undefined);
  if (!reported) return malformed(response, isOk(response) ? "no JSON object" : "no error code");
  return rejection({ error: reported, status, ...described }, grant);
};

const rejection = (
  fields: { readonly error: string; readonly status: number; readonly description?: string },
  grant: InvalidGrant["grant"],
) => {
  const { error } = fields;
  if (error === "invalid_grant") return new InvalidGrant({ ...fields, ...(grant && { grant }) });
  if (error === "invalid_scope") return new InvalidScope(fields);
  return /^(invalid|unauthorized)_client$/.test(error)
    ? new InvalidClient(fields)
    : new RequestRejected(fields);
};

const unavailable = ({ headers, status }: OAuthResponse, error: string | undefined) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const wait = retryAfterMillis(Object.fromEntries(headers), now);
    return new ServerUnavailable({
      status,
      ...(error && { error }),
      ...(wait !== undefined && { retryAfter: Duration.millis(wait) }),
    });
  });

/** Returns code and description of an OAuth error, sanitized against these credentials. */
export const describeError = (
  error: string | null | undefined,
  description: unknown,
  secrets: ReadonlyArray<string>,
): { readonly error?: string; readonly description?: string } => {
  const text = sanitize(description, secrets);
  return {
    ...(error && { error: sanitize(error, secrets) ?? "unreadable_error" }),
    ...(text && { description: text }),
  };
};

/** If the server requests a longer wait, the request fails and the caller decides. */
const MAX_WAIT = Duration.seconds(30);

const retryAfter = (error: RequestError) =>
  (error._tag === "ServerUnavailable" && error.retryAfter) || Duration.zero;

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.setInputType<RequestError>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed(Duration.max(duration, retryAfter(input))),
  ),
);

/** Retries transient failures, at most twice, and never sooner than `Retry-After` requests. */
export const retryTransient = <A, R>(
  request: Effect.Effect<A, RequestError, R>,
): Effect.Effect<A, RequestError, R> =>
  Effect.retry(request, {
    schedule: backoff,
    times: 2,
    while: (error) =>
      error._tag === "OAuthTransportError" ||
      (error._tag === "ServerUnavailable" &&
        Duration.isLessThanOrEqualTo(retryAfter(error), MAX_WAIT)),
  });
