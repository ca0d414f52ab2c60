/**
 * From the `Authorization` header of a request to the identity behind its token.
 *
 * The request pipeline asks once per request; data endpoints, rate policies and the journal share
 * the answer. A token may be revoked or expire before the next request (§3).
 */
import type { Accounts } from "../clients/Accounts.ts";
import type { Clients } from "../clients/Clients.ts";
import type { ClientKind } from "../clients/Model.ts";
import { type Grant, type Grants, isLive, type Token } from "./Grants.ts";

/** The application and the account of a valid access token. */
export interface Identity {
  /** Grant that the token belongs to: one consent, or one use of client credentials. */
  readonly grantId: string;
  /** Hash of the token: an identifier of it that is no secret. */
  readonly tokenHash: string;
  /** Application that holds the token. */
  readonly clientId: string;
  /** Whether that application can keep a secret. */
  readonly kind: ClientKind;
  /**
   * Grant type by which the token was obtained. Under `client_credentials` the identity is the
   * application's owner (§5).
   */
  readonly grantType: Grant["grantType"];
  /** UUID of the account. */
  readonly sub: string;
  /** Name of the account. */
  readonly username: string;
  /** Scopes of this token. */
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

/** Makes the reader of bearer tokens. */
export const makeTokenVerifier = (deps: {
  readonly grants: Grants;
  readonly clients: Clients;
  readonly accounts: Accounts;
  readonly now: () => number;
}): ((authorization: string | undefined) => Credentials) => {
  const { accounts, clients, grants, now } = deps;
  /** Credentials by token, which is the same object until its row or its grant changes. */
  const known = new WeakMap<Token, Credentials>();
  const hashes = new Map<string, string>();
  return (authorization) => {
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
    const client = token === undefined ? undefined : clients.byId(token.grant.clientId);
    if (
      token === undefined ||
      client === undefined ||
      token.kind !== "access" ||
      !isLive(token, now())
    )
      return { identity: undefined, isBearer: true, tokenHash };
    const before = known.get(token);
    if (before?.identity?.kind === client.kind) return before;
    const credentials = {
      isBearer: true,
      tokenHash,
      identity: identityOf(token, client.kind, accounts),
    };
    known.set(token, credentials);
    return credentials;
  };
};

const identityOf = ({ grant, hash, scopes }: Token, kind: ClientKind, accounts: Accounts) => ({
  grantId: grant.id,
  tokenHash: hash,
  clientId: grant.clientId,
  kind,
  grantType: grant.grantType,
  sub: grant.sub,
  username: accounts.byUuid(grant.sub)?.name ?? "",
  scopes,
});

/** Whether a header asks for the bearer scheme, in any case (RFC 6750 §2.1, RFC 9110 §11.1). */
const isBearer = (authorization: string): boolean => /^bearer(?: |$)/iu.test(authorization);

/** The token of a bearer header, if it is well formed (b64token, RFC 6750 §2.1). */
const bearerToken = (authorization: string): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu.exec(authorization)?.[1];
