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
export class Consents {
  readonly #deps: ConsentsDeps;
  /**
   * Codes follow from it and the request, so that the answer can be given again though only a hash
   * is stored.
   */
  readonly #key: string;

  constructor(deps: ConsentsDeps) {
    this.#deps = deps;
    this.#key = deps.platform.random(32);
  }

  /** The redirect that reports a failure. */
  failureRedirect(
    redirectUri: string,
    state: string | undefined,
    reason: OAuthFailureReason,
  ): string {
    const { description, error } = OAUTH_FAILURES[reason];
    const iss = this.#deps.issuer;
    return withParameters(redirectUri, { error, error_description: description, state, iss });
  }

  /** The request of an id, unless it is over. */
  pending(id: string): PendingRequest | undefined {
    const { clients, now, tables } = this.#deps;
    const row = tables.requests.get(id);
    const client = row === undefined ? undefined : clients.byId(row.clientId);
    if (row === undefined || client === undefined || row.expiresAt <= now()) return undefined;
    return { ...row, client, scopes: row.scopes.split(" ") };
  }

  /** Keeps a request until it is answered, and forgets those nobody answered. */
  open(request: AuthorizeRequest): PendingRequest {
    const { now, platform, store, tables } = this.#deps;
    return store.transact(() => {
      const { challenge, client, redirectUri, scopes, state } = request;
      const own = { id: platform.random(32), expiresAt: now() + REQUEST_MILLIS, answeredAt: null };
      tables.requests.deleteUpTo("expiresAt", now());
      tables.requests.put({
        ...own,
        clientId: client.clientId,
        redirectUri,
        scopes: scopes.join(" "),
        state,
        challenge,
      });
      return { ...request, ...own };
    });
  }

  /**
   * The redirect that follows from a decision; undefined if the request is unknown, expired or
   * answered.
   */
  answer(id: string, decision: Decision): string | undefined {
    const { now, store, tables } = this.#deps;
    return store.transact(() => {
      const request = this.pending(id);
      if (request === undefined) return undefined;
      if (request.answeredAt !== null) return this.#repeated(request, decision);
      tables.requests.put({ ...tables.requests.get(id)!, answeredAt: now() });
      if (!decision.allow)
        return this.failureRedirect(request.redirectUri, request.state, "Denied");
      this.#issueCode(request, decision.sub);
      return this.#successRedirect(request);
    });
  }

  #codeOf(id: string): string {
    return this.#deps.platform.hmac(this.#key, id);
  }

  #successRedirect(request: PendingRequest): string {
    const { forgesState, issuer, platform } = this.#deps;
    return withParameters(request.redirectUri, {
      code: this.#codeOf(request.id),
      state: forgesState() ? platform.random(16) : request.state,
      iss: issuer,
    });
  }

  #issueCode(request: PendingRequest, sub: string): void {
    const { grants, now } = this.#deps;
    const grant = grants.create({
      clientId: request.client.clientId,
      sub,
      scopes: request.scopes,
      grantType: "authorization_code",
    });
    const expiresAt = now() + LIFETIMES.authorizationCode;
    grants.issueCode(this.#codeOf(request.id), grant, { ...request, expiresAt });
  }

  /** The redirect of a request that was already answered, while its code could still be used. */
  #repeated(request: PendingRequest, decision: Decision): string | undefined {
    if (!decision.allow) return undefined;
    const code = this.#deps.grants.code(this.#codeOf(request.id));
    const isUsable =
      code !== undefined &&
      code.redeemedAt === null &&
      code.expiresAt > this.#deps.now() &&
      code.grant.sub === decision.sub;
    return isUsable ? this.#successRedirect(request) : undefined;
  }
}

interface ConsentsDeps {
  readonly store: Store;
  readonly tables: OAuthTables;
  readonly platform: Platform;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly now: () => number;
  /** The value of `iss`, if responses carry one (RFC 9207). */
  readonly issuer: string | undefined;
  /** Whether redirects carry a state that nobody sent (a fault). */
  readonly forgesState: () => boolean;
}
