/**
 * Reading the answers of OAuth endpoints: success bodies, and the one table of their errors (RFC 6749 §5.2).
 *
 * Only `error` drives decisions (C16). Which members a success must have is the caller's affair.
 */
import { Effect } from "effect";
import {
  ClientRejected,
  GrantInvalid,
  InsufficientScope,
  RequestRejected,
  type RequestError,
  ResponseMalformed,
  ScopeRejected,
  ServerUnavailable,
} from "../Errors.ts";
import type { Answer } from "./request.ts";
import { cleanCode, cleanDescription } from "./untrusted.ts";

/** A parsed JSON object; members are read as own properties only. */
export type Body = Readonly<Record<string, unknown>>;

/** The JSON object of a successful answer, or the typed error of any other. */
export const successBody = (answer: Answer): Effect.Effect<Body, RequestError> => {
  const body = parseObject(answer.text);
  const error = errorOf(answer, body);
  if (error !== undefined) return Effect.fail(error);
  return body === undefined ? malformed(answer, "it is no JSON object") : Effect.succeed(body);
};

/** For endpoints whose success has no body: the typed error of any answer that isn't 2xx. */
export const successOnly = (answer: Answer): Effect.Effect<void, RequestError> => {
  const error = isOk(answer.status) ? undefined : errorOf(answer, parseObject(answer.text));
  return error === undefined ? Effect.void : Effect.fail(error);
};

/** A `ResponseMalformed` for this answer. */
export const malformed = ({ status }: Answer, reason: string) =>
  Effect.fail(new ResponseMalformed({ status, reason }));

const isOk = (status: number) => status >= 200 && status < 300;

const parseObject = (text: string): Body | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    // Own members only: a member called __proto__ stays without effect.
    return Object.assign(Object.create(null), value);
  } catch {
    return undefined;
  }
};

const errorOf = (answer: Answer, body: Body | undefined): RequestError | undefined => {
  const { status, headers, secrets } = answer;
  const challenge = headers["www-authenticate"];
  const sent =
    typeof body?.["error"] === "string" ? body["error"] : challengeParam(challenge, "error");
  const error = sent === undefined ? undefined : cleanCode(sent, secrets);
  const description = cleanDescription(body?.["error_description"], secrets);
  const details = description === undefined ? {} : { description };
  // A 5xx or 429 says nothing about the grant, whatever its body claims: nothing is thrown away because of it (C20).
  if (status >= 500 || status === 429)
    return new ServerUnavailable({
      status,
      ...retryAfter(headers["retry-after"]),
      ...(error !== undefined && { error }),
    });
  switch (error) {
    case undefined:
      break;
    case "invalid_grant":
      return new GrantInvalid(details);
    case "invalid_client":
    case "unauthorized_client":
      return new ClientRejected({ error, ...details });
    case "invalid_scope":
      return new ScopeRejected(details);
    case "insufficient_scope":
      return insufficientScope(answer);
    case "server_error":
    case "temporarily_unavailable":
      return new ServerUnavailable({ status, ...retryAfter(headers["retry-after"]), error });
    default:
      return new RequestRejected({ error, status, ...details });
  }
  if (isOk(status)) return undefined;
  if (status === 401) return new ClientRejected({ error: "invalid_client", ...details });
  return new ResponseMalformed({ status, reason: "it is an error without an OAuth error code" });
};

/** The `InsufficientScope` that a 403 stands for; `scope` of the challenge says what is missing (RFC 6750 §3). */
export const insufficientScope = ({ headers, secrets }: Pick<Answer, "headers" | "secrets">) => {
  const scope = challengeParam(headers["www-authenticate"], "scope");
  return new InsufficientScope(scope === undefined ? {} : { scope: cleanCode(scope, secrets) });
};

/** A quoted or bare parameter of a `WWW-Authenticate` challenge. */
export const challengeParam = (challenge: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="?([^",]*)`, "i").exec((challenge ?? "").slice(0, 2000))?.[1];

// Seconds or an HTTP date, which is meant relative to the server's own clock (its Date header isn't needed for a hint).
const retryAfter = (value: string | undefined): { readonly retryAfter?: number } =>
  value !== undefined && /^\d{1,9}$/.test(value.trim()) ? { retryAfter: Number(value) } : {};
