/**
 * From the `Authorization` header of a request to the identity behind its token.
 *
 * The request pipeline asks once per request; data endpoints, rate policies and the journal share
 * the answer. A token may be revoked or expire before the next request (§3).
 */
import type { ClientKind } from "../clients/Registration.ts";
import type { Core } from "../Core.ts";
import { type Grant, type Grants, isLive, type Token } from "./Grants.ts";

/** The application and the account of a valid access token. */
export interface Identity {
  readonly clientId: string;
  readonly kind: ClientKind;
  /** Under `client_credentials` the account is that of the application's owner (§5). */
  readonly grantType: Grant["grantType"];
  /** UUID of the account. */
  readonly sub: string;
  readonly username: string;
  readonly scopes: ReadonlyArray<string>;
}

/** Result of reading a request's `Authorization` header. */
export interface Credentials {
  /** The identity, where the header carries a token in force. */
  readonly identity: Identity | undefined;
  /** Whether the header asks for the bearer scheme at all. */
  readonly isBearer: boolean;
  /** Hash of the token that was sent, in force or not. */
  readonly tokenHash: string | undefined;
}

/** Headers whose hash is remembered: a client sends the same one with every request. */
const KEPT_HASHES = 64;

/** What is known of a request before its token is looked at. */
export const NO_CREDENTIALS: Credentials = {
  identity: undefined,
  isBearer: false,
  tokenHash: undefined,
};

export const makeTokenVerifier = ({ accounts, clients, clock }: Core, grants: Grants) => {
  /** Credentials by token, which is the same object until its row or its grant changes. */
  const known = new WeakMap<Token, Credentials>();
  const hashes = new Map<string, string>();
  return (authorization: string | undefined): Credentials => {
    if (authorization === undefined) return NO_CREDENTIALS;
    let tokenHash = hashes.get(authorization);
    if (tokenHash === undefined) {
      if (!isBearer(authorization)) return NO_CREDENTIALS;
      const text = bearerToken(authorization);
      if (text === undefined) return { ...NO_CREDENTIALS, isBearer: true };
      if (hashes.size >= KEPT_HASHES) hashes.clear();
      hashes.set(authorization, (tokenHash = grants.hash(text)));
    }
    const token = grants.byHash(tokenHash);
    const client = token && clients.byId(token.grant.clientId);
    if (client === undefined || token?.kind !== "access" || !isLive(token, clock.now()))
      return { identity: undefined, isBearer: true, tokenHash };
    const before = known.get(token);
    if (before?.identity?.kind === client.kind) return before;
    const { clientId, grantType, sub } = token.grant;
    const username = accounts.byUuid(sub)?.name ?? "";
    const identity = {
      clientId,
      kind: client.kind,
      grantType,
      sub,
      username,
      scopes: token.scopes,
    };
    const credentials = { isBearer: true, tokenHash, identity };
    known.set(token, credentials);
    return credentials;
  };
};

/** Whether a header asks for the bearer scheme, in any case (RFC 6750 §2.1, RFC 9110 §11.1). */
const isBearer = (authorization: string): boolean => /^bearer(?: |$)/iu.test(authorization);

/** The token of a bearer header, if it is well formed (b64token, RFC 6750 §2.1). */
const bearerToken = (authorization: string): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu.exec(authorization)?.[1];
