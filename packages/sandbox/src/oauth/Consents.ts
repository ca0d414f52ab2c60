/**
 * Authorization requests between the moment a browser brings them and the moment a person answers.
 *
 * What is answered is the record kept here, never the fields of the form that comes back (RFC 6749
 * §10.12). A request is answered once. A second answer within the life of its unused code (a double
 * click) gets the same redirect again: one code, whichever of the two responses the browser
 * follows.
 */
import type { Clients } from "../clients/Clients.ts";
import { withParameters } from "../clients/RedirectRules.ts";
import { LIFETIMES } from "../contract.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store } from "../store/Store.ts";
import type { AuthorizeRequest } from "./authorizeRequest.ts";
import type { Grants } from "./Grants.ts";
import { OAUTH_FAILURES, type OAuthFailureReason } from "./OAuthErrors.ts";
import type { OAuthTables } from "./tables.ts";

/** Lifetime of a pending request: the time that a person has to answer. */
const REQUEST_MILLIS = 10 * 60_000;

/** A request that waits for its answer. */
export interface PendingRequest extends AuthorizeRequest {
  readonly id: string;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
}

/** The person's answer. */
export type Decision = { readonly allow: true; readonly sub: string } | { readonly allow: false };

/** The pending requests of a store. */
export type Consents = ReturnType<typeof makeConsents>;

/**
 * The pending requests of `store`; `issuer` is the value of `iss`, if responses carry one (RFC
 * 9207).
 */
export const makeConsents = (deps: {
  readonly store: Store;
  readonly tables: OAuthTables;
  readonly platform: Platform;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly now: () => number;
  readonly issuer: string | undefined;
  /** Whether redirects carry a state that nobody sent (a fault). */
  readonly forgesState: () => boolean;
}) => {
  const { store, clients, grants, now, issuer, platform } = deps;
  const { requests } = deps.tables;
  /**
   * Codes follow from it and the request, so that the answer can be given again though only a hash
   * is stored.
   */
  const key = platform.random(32);
  const codeOf = (id: string) => platform.hmac(key, id);

  const failureRedirect = (
    redirectUri: string,
    state: string | undefined,
    reason: OAuthFailureReason,
  ): string =>
    withParameters(redirectUri, {
      error: OAUTH_FAILURES[reason].error,
      error_description: OAUTH_FAILURES[reason].description,
      state,
      iss: issuer,
    });

  const successRedirect = (request: PendingRequest): string =>
    withParameters(request.redirectUri, {
      code: codeOf(request.id),
      state: deps.forgesState() ? platform.random(16) : request.state,
      iss: issuer,
    });

  const pending = (id: string): PendingRequest | undefined => {
    const row = requests.get(id);
    const client = row === undefined ? undefined : clients.byId(row.clientId);
    if (row === undefined || client === undefined || row.expiresAt <= now()) return undefined;
    return { ...row, client, scopes: row.scopes.split(" ") };
  };

  const issueCode = (request: PendingRequest, sub: string): void => {
    const grant = grants.create({
      clientId: request.client.clientId,
      sub,
      scopes: request.scopes,
      grantType: "authorization_code",
    });
    grants.issueCode({
      code: codeOf(request.id),
      grant,
      redirectUri: request.redirectUri,
      challenge: request.challenge,
      expiresAt: now() + LIFETIMES.authorizationCode,
    });
  };

  /** The redirect of a request that was already answered, while its code could still be used. */
  const repeated = (request: PendingRequest, decision: Decision): string | undefined => {
    if (!decision.allow) return undefined;
    const code = grants.code(codeOf(request.id));
    const isUsable =
      code !== undefined &&
      code.redeemedAt === null &&
      code.expiresAt > now() &&
      code.grant.sub === decision.sub;
    return isUsable ? successRedirect(request) : undefined;
  };

  return {
    failureRedirect,
    pending,

    /** Keeps a request until it is answered, and forgets those nobody answered. */
    open: (request: AuthorizeRequest): PendingRequest =>
      store.transact(() => {
        const id = platform.random(32);
        const expiresAt = now() + REQUEST_MILLIS;
        requests.deleteUpTo("expiresAt", now());
        requests.put({
          id,
          clientId: request.client.clientId,
          redirectUri: request.redirectUri,
          scopes: request.scopes.join(" "),
          state: request.state,
          challenge: request.challenge,
          expiresAt,
          answeredAt: null,
        });
        return { ...request, id, expiresAt, answeredAt: null };
      }),

    /**
     * The redirect that follows from a decision; undefined if the request is unknown, expired or
     * answered.
     */
    answer: (id: string, decision: Decision): string | undefined =>
      store.transact(() => {
        const request = pending(id);
        if (request === undefined) return undefined;
        if (request.answeredAt !== null) return repeated(request, decision);
        requests.put({ ...requests.get(id)!, answeredAt: now() });
        if (!decision.allow) return failureRedirect(request.redirectUri, request.state, "Denied");
        issueCode(request, decision.sub);
        return successRedirect(request);
      }),
  };
};
