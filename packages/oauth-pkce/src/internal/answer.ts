/**
 * Reading the answers of OAuth endpoints: success bodies, and the one table of their errors (RFC
 * 6749 §5.2).
 *
 * Only `error` drives decisions (C16). Which members a success must have is the caller's affair.
 */
import * as Effect from "effect/Effect";
import {
  ClientRejected,
  GrantInvalid,
  RequestRejected,
  type RequestError,
  ResponseMalformed,
  ScopeRejected,
  ServerUnavailable,
} from "../Errors.ts";
import type { Answer } from "./request.ts";
import { clean } from "./untrusted.ts";

/** A parsed JSON object; members are read as own properties only. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * The JSON object of a successful answer, or the typed error of any other; `challenge` is its error
 * when it has no body.
 */
export const successBody = (
  answer: Answer,
  challenge?: string,
): Effect.Effect<Body, RequestError> => {
  const { status, headers, secrets } = answer;
  const body = parseObject(answer.text);
  const sent = body?.["error"];
  const { error, ...said } = saidBy(
    typeof sent === "string" ? sent || " " : challenge,
    body?.["error_description"],
    secrets,
  );
  // A 5xx or 429 says nothing about the grant, whatever its body claims: nothing is thrown away
  // because of it (C20).
  if (
    status >= 500 ||
    status === 429 ||
    error === "server_error" ||
    error === "temporarily_unavailable"
  ) {
    const seconds = headers["retry-after"] ?? "";
    return new ServerUnavailable({
      status,
      ...(error && { error }),
      ...(/^\d{1,9}$/.test(seconds) && { retryAfter: Number(seconds) }),
    });
  }
  const code = error ?? (status === 401 ? "invalid_client" : "");
  if (code) return new (REFUSALS[code] ?? RequestRejected)({ error: code, status, ...said });
  if (!isOk(answer)) return malformed(answer, "no error code");
  return body ? Effect.succeed(body) : malformed(answer, "no JSON object");
};

/** Whether an answer is a success as far as its status goes. */
export const isOk = ({ status }: Answer) => status >= 200 && status < 300;

/** A `ResponseMalformed` for this answer. */
export const malformed = ({ status }: Answer, reason: string) =>
  new ResponseMalformed({ status, reason });

/**
 * The error code, when one was sent at all, and its description, as they may be shown next to these
 * credentials.
 */
export const saidBy = (
  error: string | null | undefined,
  sent: unknown,
  secrets: ReadonlyArray<string>,
) => {
  const description = clean(sent, secrets);
  return {
    error: error && (clean(error, secrets) ?? "unreadable_error"),
    ...(description && { description }),
  };
};

/**
 * The codes with errors of their own; all others are a `RequestRejected`. Without prototype: the
 * server picks the key.
 */
const REFUSALS: Readonly<
  Record<string, typeof GrantInvalid | typeof ClientRejected | typeof ScopeRejected>
> = {
  // @ts-expect-error
  __proto__: null,
  invalid_grant: GrantInvalid,
  invalid_client: ClientRejected,
  unauthorized_client: ClientRejected,
  invalid_scope: ScopeRejected,
};

const parseObject = (text: string): Body | undefined => {
  try {
    // Own members only, and a member called __proto__ stays without effect.
    return /^\s*\{/.test(text) ? { __proto__: null, ...JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
};
