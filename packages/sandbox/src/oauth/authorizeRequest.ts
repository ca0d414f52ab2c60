/**
 * Validates an authorization request (§4.1, RFC 6749 §4.1.1, RFC 7636 §4.3).
 *
 * `refused`: the client or its redirect URI is unknown, so the user sees a page and is not redirected
 * (RFC 6749 §4.1.2.1). `reason`: a redirect reports the error to the client. Otherwise the user is
 * asked for consent.
 */
import { type Clients, isUserScope, type RegisteredClient, scopesOf } from "../clients/Clients.ts";
import { redirectMatches } from "../clients/Registration.ts";
import type { Form } from "./form.ts";
import type { OAuthFailureReason } from "./OAuthFailure.ts";
import { wordsOf } from "../internal/words.ts";

/** An authorization request that is known to be well formed. */
export interface AuthorizeRequest {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly scopes: ReadonlyArray<string>;
  readonly state: string;
  readonly challenge: string;
}

type AuthorizeResult =
  | { readonly refused: string }
  | {
      readonly redirectUri: string;
      readonly state: string | undefined;
      readonly reason: OAuthFailureReason;
    }
  | AuthorizeRequest;

const PARAMETERS = wordsOf(`
  client_id response_type scope state redirect_uri code_challenge code_challenge_method
`);

/** base64url without padding of 32 bytes (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9\-_]{43}$/u;

/** Validates the query of an authorization request; `undefined` is an unreadable query. */
export const validateAuthorizeRequest = (
  query: Form | undefined,
  clients: Clients,
): AuthorizeResult => {
  if (query === undefined) return { refused: "The request is not readable." };
  const value = (name: string): string | undefined =>
    query.repeated.has(name) ? undefined : query.values.get(name);
  const client = clients.byId(value("client_id") ?? "");
  if (client === undefined) return { refused: "The application is not registered here." };
  const redirectUri = value("redirect_uri");
  if (
    redirectUri === undefined ||
    !client.redirectUris.some((uri) => redirectMatches(client.kind, uri, redirectUri))
  )
    return { refused: "The address to return to is not registered for this application." };

  const state = value("state");
  const failed = (reason: OAuthFailureReason) => ({ redirectUri, state, reason });
  if (PARAMETERS.some((name) => query.repeated.has(name))) return failed("ParameterRepeated");
  if (state === undefined) return failed("StateMissing");
  const responseType = value("response_type");
  if (responseType === undefined) return failed("ParameterMissing");
  if (responseType !== "code") return failed("ResponseTypeUnknown");
  if (!client.grants.includes("authorization_code")) return failed("CodeGrantForbidden");

  const challenge = value("code_challenge");
  if (challenge === undefined) return failed("ParameterMissing");
  if (value("code_challenge_method") !== "S256") return failed("ChallengeMethodUnknown");
  if (!CHALLENGE.test(challenge)) return failed("ChallengeMalformed");

  const scope = value("scope");
  if (scope === undefined) return failed("ParameterMissing");
  const scopes = scopesOf(scope);
  if (!isUserScope(client, scopes)) return failed("ScopeInvalid");
  return { client, redirectUri, scopes, state, challenge };
};
