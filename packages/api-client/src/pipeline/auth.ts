/**
 * The auth step: obtains the access token, checks its scopes, and renews it once after a 401.
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, TransportError, Unauthorized } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { Call, Step } from "./Call.ts";

export const auth: Step = (call, next) => {
  const { credentials } = call.account;
  if (credentials === undefined) return next(call);
  const withToken = (source: Effect.Effect<AccessToken, CredentialsError>) =>
    Effect.flatMap(readToken(call, source), (token): Effect.Effect<unknown, GameApiError> => {
      call.token = token;
      const missing = missingScopes(call);
      return missing.length > 0 ? Effect.fail(insufficientScope(call, missing)) : next(call);
    });
  const { renew } = credentials;
  const first = withToken(credentials.current);
  if (renew === undefined) return first;
  return Effect.matchEffect(first, {
    onSuccess: Effect.succeed,
    onFailure: (error) => {
      const isRefused = error._tag === "Unauthorized" && error.kind === "refused";
      if (!isRefused || call.isRenewed || !call.token) return Effect.fail(error);
      call.isRenewed = true;
      return withToken(renew(call.token.token));
    },
  });
};

const readToken = (
  call: Call,
  source: Effect.Effect<AccessToken, CredentialsError>,
): Effect.Effect<AccessToken, Unauthorized | TransportError> =>
  Effect.flatMap(
    Effect.mapError(source, ({ isRetryable, detail, cause }) =>
      isRetryable
        ? new TransportError({ ...callInfo(call), kind: "token", detail, cause })
        : new Unauthorized({ ...callInfo(call), kind: "no-token", detail, cause }),
    ),
    // Fetch quotes a header value that it refuses, and with it the token, in its error.
    (access) =>
      TOKEN.test(Redacted.value(access.token))
        ? Effect.succeed(access)
        : Effect.fail(
            new Unauthorized({
              ...callInfo(call),
              kind: "no-token",
              detail: "not a bearer token",
            }),
          ),
  );

/**
 * Characters that a header can hold (RFC 6750 §2.1, and leniently any other printable one). A token
 * read from a file may end with a line break.
 */
const TOKEN = /^[\x21-\x7e]+$/u;

const missingScopes = ({ request, token }: Call): ReadonlyArray<string> => {
  const granted = token?.scopes;
  return granted === undefined ? [] : request.scopes.filter((scope) => !granted.includes(scope));
};

const insufficientScope = (call: Call, missing: ReadonlyArray<string>) =>
  new Forbidden({
    ...callInfo(call),
    kind: "scope",
    scopesNeeded: call.request.scopes,
    scopesMissing: missing,
  });
