/**
 * What becomes of an access token: its scopes are checked before anything is sent.
 */
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, TransportError, Unauthorized } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { Call, Outcome } from "./Call.ts";

/** Takes the token of a source over into the call; gives the failure of one that cannot be used. */
export const takeToken = (
  call: Call,
  source: Exit.Exit<AccessToken, CredentialsError>,
): Outcome | undefined => {
  if (Exit.isFailure(source)) return Exit.mapError(source, (error) => noToken(call, error));
  const { scopes, token } = source.value;
  // Fetch quotes a header value that it refuses, and with it the token, in its error.
  if (!TOKEN.test(Redacted.value(token)))
    return Exit.fail(noToken(call, { isRetryable: false, detail: "not a bearer token" }));
  call.token = source.value;
  const { scopes: scopesNeeded } = call.request;
  const scopesMissing = scopes ? scopesNeeded.filter((scope) => !scopes.includes(scope)) : [];
  return scopesMissing.length > 0
    ? Exit.fail(new Forbidden({ ...callInfo(call), kind: "scope", scopesNeeded, scopesMissing }))
    : undefined;
};

const noToken = (call: Call, { cause, detail, isRetryable }: CredentialsError) => {
  const facts = { ...callInfo(call), detail, ...(cause !== undefined && { cause }) };
  return isRetryable
    ? new TransportError({ ...facts, kind: "token" })
    : new Unauthorized({ ...facts, kind: "no-token" });
};

/**
 * Characters that a header can hold (RFC 6750 §2.1, and leniently any other printable one). A token
 * read from a file may end with a line break.
 */
const TOKEN = /^[\x21-\x7e]+$/u;
