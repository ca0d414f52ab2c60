/**
 * Authorization requests between the moment a browser brings them and the moment a person answers.
 *
 * What is answered is the record kept here, never the fields of the form that comes back (RFC 6749
 * §10.12). A request is answered once. A second answer within the life of its unused code (a double
 * click) gets the same redirect again: one code, whichever of the two responses the browser
 * follows.
 */
import { withParameters } from "../clients/Registration.ts";
import { LIFETIMES } from "../contract.ts";
import type { Core } from "../Core.ts";
import type { AuthorizeRequest } from "./authorizeRequest.ts";
import type { Grants } from "./Grants.ts";
import { OAUTH_FAILURES, type OAuthFailureReason } from "./OAuthErrors.ts";
import type { OAuthTables } from "./tables.ts";

/** Lifetime of a pending request: the time that a person has to answer. */
const REQUEST_MILLIS = 10 * 60_000;

export interface PendingRequest extends AuthorizeRequest {
  readonly id: string;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
}

export type Decision = { readonly allow: true; readonly sub: string } | { readonly allow: false };

export class Consents {
  readonly #core: Core;
  readonly #requests: OAuthTables["requests"];
  readonly #grants: Grants;
  readonly #forgesState: () => boolean;
  /** RFC 9207. */
  readonly #iss: string | undefined;
  /**
   * Codes follow from it and the request, so that the answer can be given again though only a hash
   * is stored.
   */
  readonly #key: string;

  /** `forgesState`: whether redirects carry a state that nobody sent (a fault). */
  constructor(core: Core, tables: OAuthTables, grants: Grants, forgesState: () => boolean) {
    this.#core = core;
    this.#requests = tables.requests;
    this.#grants = grants;
    this.#forgesState = forgesState;
    this.#iss = core.config.issuer ? core.config.authUrl : undefined;
    this.#key = core.platform.random(32);
  }

  failureRedirect(
    { redirectUri, state }: { readonly redirectUri: string; readonly state: string | undefined },
    reason: OAuthFailureReason,
  ): string {
    const { description, error } = OAUTH_FAILURES[reason];
    const iss = this.#iss;
    return withParameters(redirectUri, { error, error_description: description, state, iss });
  }

  /** The request of an id, unless it is over. */
  pending(id: string): PendingRequest | undefined {
    const { clients, clock } = this.#core;
    const row = this.#requests.get(id);
    const client = row && clients.byId(row.clientId);
    if (row === undefined || client === undefined || row.expiresAt <= clock.now()) return undefined;
    return { ...row, client, scopes: row.scopes.split(" ") };
  }

  /** Keeps a request until it is answered, and forgets those nobody answered. */
  open(request: AuthorizeRequest): PendingRequest {
    const { clock, platform, store } = this.#core;
    const now = clock.now();
    const own = { id: platform.random(32), expiresAt: now + REQUEST_MILLIS, answeredAt: null };
    const { client, scopes, ...kept } = request;
    return store.transact(() => {
      this.#requests.deleteUpTo("expiresAt", now);
      const { clientId } = client;
      this.#requests.put({ ...own, ...kept, clientId, scopes: scopes.join(" ") });
      return { ...request, ...own };
    });
  }

  /**
   * The redirect that follows from a decision; undefined if the request is unknown, expired or
   * answered.
   */
  answer(id: string, decision: Decision): string | undefined {
    const { clock, store } = this.#core;
    return store.transact(() => {
      const request = this.pending(id);
      if (request === undefined) return undefined;
      if (request.answeredAt !== null)
        return this.#isRepeated(request, decision) ? this.#successRedirect(request) : undefined;
      this.#requests.put({ ...this.#requests.get(id)!, answeredAt: clock.now() });
      if (!decision.allow) return this.failureRedirect(request, "Denied");
      this.#issueCode(request, decision.sub);
      return this.#successRedirect(request);
    });
  }

  #codeOf({ id }: PendingRequest): string {
    return this.#core.platform.hmac(this.#key, id);
  }

  #successRedirect(request: PendingRequest): string {
    const state = this.#forgesState() ? this.#core.platform.random(16) : request.state;
    const code = this.#codeOf(request);
    return withParameters(request.redirectUri, { code, state, iss: this.#iss });
  }

  #issueCode(request: PendingRequest, sub: string): void {
    const { client, scopes } = request;
    const of = { clientId: client.clientId, sub, scopes };
    const grant = this.#grants.create({ ...of, grantType: "authorization_code" });
    const expiresAt = this.#core.clock.now() + LIFETIMES.authorizationCode;
    this.#grants.issueCode(this.#codeOf(request), grant, { ...request, expiresAt });
  }

  /** Whether a request was answered so already, and its code could still be used. */
  #isRepeated(request: PendingRequest, decision: Decision): boolean {
    const code = this.#grants.code(this.#codeOf(request));
    return (
      decision.allow &&
      code?.redeemedAt === null &&
      code.expiresAt > this.#core.clock.now() &&
      code.grant.sub === decision.sub
    );
  }
}
