/**
 * Parses responses of OAuth endpoints: success bodies, and the table of their errors (RFC 6749
 * §5.2).
 *
 * Only `error` drives decisions (C16). Callers check which members a success must have.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import {
  InvalidClient,
  InvalidGrant,
  RequestRejected,
  type RequestError,
  OAuthResponseMalformed,
  InvalidScope,
  ServerUnavailable,
} from "../Errors.ts";
import { parseObject, type JsonObject } from "./json.ts";
import type { OAuthResponse } from "./request.ts";
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import { sanitize } from "./sanitize.ts";

/**
 * Returns the JSON object of a successful response, or the typed error of any other. `challenge` is
 * the error code of a response without a body, `grant` the grant that
 * the request held.
 */
export const parseSuccess = (
  response: OAuthResponse,
  challenge?: string,
  grant?: InvalidGrant["grant"],
): Effect.Effect<JsonObject, RequestError> => {
  const { status, headers, secrets } = response;
  const body = parseObject(response.text);
  const sent = body?.["error"];
  const { error, ...said } = errorFromBody(
    typeof sent === "string" ? sent || " " : challenge,
    body?.["error_description"],
    secrets,
  );
  // A 5xx or 429 says nothing about the grant, whatever its body claims: the tokens are kept (C20).
  if (
    status >= 500 ||
    status === 429 ||
    error === "server_error" ||
    error === "temporarily_unavailable"
  ) {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wait = retryAfterMillis(headers, now);
      return new ServerUnavailable({
        status,
        ...(error && { error }),
        ...(wait !== undefined && { retryAfter: Duration.millis(wait) }),
      });
    });
  }
  const code = error ?? (status === 401 ? "invalid_client" : "");
  if (code === "invalid_grant")
    return new InvalidGrant({ error: code, status, ...said, ...(grant && { grant }) });
  if (code) return new (ERRORS_BY_CODE[code] ?? RequestRejected)({ error: code, status, ...said });
  if (!isOk(response)) return malformed(response, "no error code");
  return body ? Effect.succeed(body) : malformed(response, "no JSON object");
};

/** Whether the status is 2xx. */
export const isOk = ({ status }: OAuthResponse) => status >= 200 && status < 300;

/** Makes an `OAuthResponseMalformed` for this response. */
export const malformed = ({ status }: OAuthResponse, reason: string) =>
  new OAuthResponseMalformed({ status, reason });

/**
 * Fields of an OAuth error response: its code, if it has one, and the description. Both are
 * sanitized against these credentials.
 */
export const errorFromBody = (
  error: string | null | undefined,
  sent: unknown,
  secrets: ReadonlyArray<string>,
) => {
  const description = sanitize(sent, secrets);
  return {
    error: error && (sanitize(error, secrets) ?? "unreadable_error"),
    ...(description && { description }),
  };
};

/**
 * Maps error codes to their errors; any other code is a `RequestRejected`. It has no prototype,
 * because the server chooses the key.
 */
const ERRORS_BY_CODE: Readonly<Record<string, typeof InvalidClient | typeof InvalidScope>> = {
  // @ts-expect-error
  __proto__: null,
  invalid_client: InvalidClient,
  unauthorized_client: InvalidClient,
  invalid_scope: InvalidScope,
};
