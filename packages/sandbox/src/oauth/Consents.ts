/**
 * Authorization requests from their arrival until a person answers.
 *
 * The answer is for the stored request, never for the fields of the submitted form (RFC 6749
 * §10.12). A request is answered once. A second answer while its code is unused (a double click) gets
 * the same redirect again, so there is one code, whichever of the two responses the browser follows.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import * as Schema from "effect/Schema";
import { redirectMatches, withParameters } from "../clients/Registration.ts";
import type { SandboxState } from "../State.ts";
import { OAUTH_FAILURES, type OAuthFailureReason } from "./OAuthFailure.ts";
import { type Clients, isUserScope, type RegisteredClient, scopesOf } from "../clients/Clients.ts";
import type { Form } from "../internal/encoding.ts";
import { wordsOf } from "../internal/words.ts";

/** Milliseconds that a person has to answer a request. */
const REQUEST_MILLIS = 10 * 60_000;

const RequestRow = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  redirectUri: Schema.String,
  scopes: Schema.Array(Schema.String),
  state: Schema.String,
  challenge: Schema.String,
  expiresAt: Schema.Int,
  answeredAt: Schema.NullOr(Schema.Int),
});
type RequestRow = typeof RequestRow.Type;

export interface PendingRequest extends AuthorizeRequest, RequestRow {}

export type Decision = { readonly allow: true; readonly sub: string } | { readonly allow: false };

export type Consents = ReturnType<typeof makeConsents>;

/** Makes the store of authorization requests. `forgesState`: whether a fault forges `state`. */
export const makeConsents = (sandbox: SandboxState, forgesState: () => boolean) => {
  const { clients, clock, config, grants, platform, store } = sandbox;
  const requests = store.table("requests", "id", RequestRow);
  /** The `iss` of authorization responses, if it is sent (RFC 9207). */
  const iss = config.issuer ? config.authUrl : undefined;
  /** Codes are derived from this key and the request. A repeated answer needs the code again. */
  const key = platform.random(32);
  const codeOf = ({ id }: RequestRow): string => platform.sha256(key + id, "base64url");

  const successRedirect = (request: RequestRow): string => {
    const state = forgesState() ? platform.random(16) : request.state;
    return withParameters(request.redirectUri, { code: codeOf(request), state, iss });
  };

  const issueCode = (request: RequestRow, sub: string): void => {
    const { clientId, scopes } = request;
    const grant = grants.create({ clientId, sub, scopes, grantType: "authorization_code" });
    const expiresAt = clock.now() + 1000 * Lifetimes.authorizationCode;
    grants.issueCode(codeOf(request), grant, { ...request, expiresAt });
  };

  /** Whether the same user has allowed the request before, and its code can still be used. */
  const isRepeated = (request: RequestRow, decision: Decision): boolean => {
    const code = grants.code(codeOf(request));
    return (
      decision.allow &&
      code?.redeemedAt === null &&
      code.expiresAt > clock.now() &&
      grants.grant(code.grantId)?.sub === decision.sub
    );
  };

  /** Returns the request of an id, unless it has expired. */
  const pending = (id: string): PendingRequest | undefined => {
    const row = requests.get(id);
    const client = row && clients.byId(row.clientId);
    return row === undefined || client === undefined || row.expiresAt <= clock.now()
      ? undefined
      : { ...row, client };
  };

  return {
    failureRedirect: (request: Returned, reason: OAuthFailureReason) =>
      failureRedirect(request, reason, iss),
    pending,
    /** Stores a request until it is answered, and drops expired ones. */
    open: (request: AuthorizeRequest): PendingRequest =>
      store.transact(() => {
        requests.deleteWhere((row) => row.expiresAt <= clock.now());
        const { client, ...own } = request;
        const id = platform.random(32);
        const expiresAt = clock.now() + REQUEST_MILLIS;
        const row = { ...own, id, clientId: client.clientId, expiresAt, answeredAt: null };
        requests.put(row);
        return { ...row, client };
      }),
    /** Returns the redirect for a decision, or `undefined` if the request has ended. */
    answer: (id: string, decision: Decision): string | undefined =>
      store.transact(() => {
        const request = requests.get(id);
        if (pending(id) === undefined || request === undefined) return undefined;
        if (request.answeredAt !== null)
          return isRepeated(request, decision) ? successRedirect(request) : undefined;
        requests.put({ ...request, answeredAt: clock.now() });
        if (!decision.allow) return failureRedirect(request, "Denied", iss);
        issueCode(request, decision.sub);
        return successRedirect(request);
      }),
  };
};

interface Returned {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

const failureRedirect = (
  { redirectUri, state }: Returned,
  reason: OAuthFailureReason,
  iss: string | undefined,
): string => {
  const { description, error } = OAUTH_FAILURES[reason];
  return withParameters(redirectUri, { error, error_description: description, state, iss });
};

/*
 * Validates an authorization request (§4.1, RFC 6749 §4.1.1, RFC 7636 §4.3).
 *
 * `refused`: the client or its redirect URI is unknown, so the user sees a page and is not redirected
 * (RFC 6749 §4.1.2.1). `reason`: a redirect reports the error to the client. Otherwise the user is
 * asked for consent.
 */

/** An authorization request that has been validated. */
interface AuthorizeRequest {
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

/** Syntax of a `code_challenge`: 32 bytes in base64url without padding (RFC 7636 §4.2). */
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
