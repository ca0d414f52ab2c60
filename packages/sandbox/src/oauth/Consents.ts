/**
 * Authorization requests between the moment a browser brings them and the moment a person answers.
 *
 * The answer is for the stored request, never for the fields of the submitted form (RFC 6749
 * §10.12). A request is answered once. A second answer while its code is unused (a double click) gets
 * the same redirect again, so there is one code, whichever of the two responses the browser follows.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import * as Schema from "effect/Schema";
import { withParameters } from "../clients/Registration.ts";
import type { SandboxState } from "../State.ts";
import type { AuthorizeRequest } from "./authorizeRequest.ts";
import { OAUTH_FAILURES, type OAuthFailureReason } from "./OAuthFailure.ts";

/** The time that a person has to answer. */
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

/** `forgesState` says whether redirects carry another state than the request did (a fault). */
export const makeConsents = (sandbox: SandboxState, forgesState: () => boolean) => {
  const { clients, clock, config, grants, platform, store } = sandbox;
  const requests = store.table("requests", "id", RequestRow);
  /** RFC 9207. */
  const iss = config.issuer ? config.authUrl : undefined;
  /** Codes follow from it and the request, because an answer is repeated though only a hash is stored. */
  const key = platform.random(32);
  const codeOf = ({ id }: RequestRow): string => platform.hmac(key, id);

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

  /** Whether a request was answered in the same way before, and its code could still be used. */
  const isRepeated = (request: RequestRow, decision: Decision): boolean => {
    const code = grants.code(codeOf(request));
    return (
      decision.allow &&
      code?.redeemedAt === null &&
      code.expiresAt > clock.now() &&
      grants.grant(code.grantId)?.sub === decision.sub
    );
  };

  /** The request of an id, unless it is over. */
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
    /** The redirect that follows from a decision; undefined if the request is over. */
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
