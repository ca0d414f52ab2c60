/**
 * Reading the answers of OAuth endpoints: success bodies, and the one table of their errors (RFC 6749 §5.2).
 *
 * Only `error` drives decisions (C16). Which members a success must have is the caller's affair.
 */
import * as Effect from "effect/Effect";
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
import { clean } from "./untrusted.ts";

/** A parsed JSON object; members are read as own properties only. */
export type Body = Readonly<Record<string, unknown>>;

/** The JSON object of a successful answer, or the typed error of any other. */
export const successBody = (answer: Answer): Effect.Effect<Body, RequestError> => {
  const body = parseObject(answer.text);
  const error = errorOf(answer, body);
  if (error) return Effect.fail(error);
  return body ? Effect.succeed(body) : malformed(answer, "it is no JSON object");
};

/** For endpoints whose success has no body: the typed error of any answer that isn't 2xx. */
export const successOnly = (answer: Answer): Effect.Effect<void, RequestError> => {
  const error = isOk(answer) ? undefined : errorOf(answer, parseObject(answer.text));
  return error ? Effect.fail(error) : Effect.void;
};

/** A `ResponseMalformed` for this answer. */
export const malformed = ({ status }: Answer, reason: string) =>
  Effect.fail(new ResponseMalformed({ status, reason }));

/** The codes with errors of their own; all others are a `RequestRejected`. */
const REFUSALS = {
  invalid_grant: GrantInvalid,
  invalid_client: ClientRejected,
  unauthorized_client: ClientRejected,
  invalid_scope: ScopeRejected,
};

const isOk = ({ status }: Answer) => status >= 200 && status < 300;

const parseObject = (text: string): Body | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    // Own members only: a member called __proto__ stays without effect.
    return typeof value === "object" && value && !Array.isArray(value)
      ? Object.assign(Object.create(null), value)
      : undefined;
  } catch {
    return undefined;
  }
};

const errorOf = (answer: Answer, body: Body | undefined): RequestError | undefined => {
  const { status, headers, secrets } = answer;
  const sent = body?.["error"];
  const said =
    typeof sent === "string" ? sent || " " : challengeParam(headers["www-authenticate"], "error");
  const error = said && (clean(said, secrets) ?? "unreadable_error");
  const description = clean(body?.["error_description"], secrets);
  // A 5xx or 429 says nothing about the grant, whatever its body claims: nothing is thrown away because of it (C20).
  if (
    status >= 500 ||
    status === 429 ||
    error === "server_error" ||
    error === "temporarily_unavailable"
  ) {
    const seconds = headers["retry-after"];
    return new ServerUnavailable({
      status,
      ...(error && { error }),
      ...(/^\d{1,9}$/.test(seconds ?? "") && { retryAfter: Number(seconds) }),
    });
  }
  if (error === "insufficient_scope") return insufficientScope(answer);
  const code = error ?? (status === 401 ? "invalid_client" : undefined);
  if (code) {
    const Refusal = Object.hasOwn(REFUSALS, code)
      ? REFUSALS[code as keyof typeof REFUSALS]
      : RequestRejected;
    return new Refusal({ error: code, status, ...(description && { description }) });
  }
  return isOk(answer)
    ? undefined
    : new ResponseMalformed({ status, reason: "it is an error without an error code" });
};

/** The `InsufficientScope` that a 403 stands for; `scope` of the challenge says what is missing (RFC 6750 §3). */
export const insufficientScope = ({ headers, secrets }: Pick<Answer, "headers" | "secrets">) => {
  const scope = clean(challengeParam(headers["www-authenticate"], "scope"), secrets);
  return new InsufficientScope(scope ? { scope } : {});
};

/** A quoted or bare parameter of a `WWW-Authenticate` challenge. */
export const challengeParam = (challenge: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="?([^",]*)`, "i").exec((challenge ?? "").slice(0, 2000))?.[1];
