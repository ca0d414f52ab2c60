/**
 * From the `Authorization` header of a request to the identity behind its token.
 *
 * The request pipeline asks once per request; data endpoints, rate policies and the journal share
 * the answer. A token may be revoked or expire before the next request (§3).
 */
import type { Accounts } from "../clients/Accounts.ts";
import type { Clients } from "../clients/Clients.ts";
import type { ClientKind } from "../clients/Model.ts";
import { type Grant, type Grants, isLive } from "./Grants.ts";

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
   * How the token came to be; under `client_credentials` the identity is the application's owner
   * (§5).
   */
  readonly grantType: Grant["grantType"];
  /** UUID of the account. */
  readonly sub: string;
  /** Name of the account. */
  readonly username: string;
  /** Scopes of this token. */
  readonly scopes: ReadonlyArray<string>;
}

/** What a request's `Authorization` header comes to. */
export interface Credentials {
  /** The identity, where the header carries a token in force. */
  readonly identity: Identity | undefined;
  /** Whether the header asks for the bearer scheme at all. */
  readonly isBearer: boolean;
  /** Hash of the token that was sent, in force or not. */
  readonly tokenHash: string | undefined;
}

const NONE: Credentials = { identity: undefined, isBearer: false, tokenHash: undefined };

/** Makes the reader of bearer tokens. */
export const makeTokenVerifier =
  (deps: {
    readonly grants: Grants;
    readonly clients: Clients;
    readonly accounts: Accounts;
    readonly now: () => number;
  }) =>
  (authorization: string | undefined): Credentials => {
    if (authorization === undefined || !isBearer(authorization)) return NONE;
    const token = bearerToken(authorization);
    if (token === undefined) return { ...NONE, isBearer: true };
    const tokenHash = deps.grants.hash(token);
    const found = deps.grants.byHash(tokenHash);
    const client = found === undefined ? undefined : deps.clients.byId(found.grant.clientId);
    if (
      found === undefined ||
      client === undefined ||
      found.kind !== "access" ||
      !isLive(found, deps.now())
    )
      return { identity: undefined, isBearer: true, tokenHash };
    const { grant, scopes } = found;
    return {
      isBearer: true,
      tokenHash,
      identity: {
        grantId: grant.id,
        tokenHash,
        clientId: grant.clientId,
        kind: client.kind,
        grantType: grant.grantType,
        sub: grant.sub,
        username: deps.accounts.byUuid(grant.sub)?.name ?? "",
        scopes,
      },
    };
  };

/** Whether a header asks for the bearer scheme, in any case (RFC 6750 §2.1, RFC 9110 §11.1). */
const isBearer = (authorization: string): boolean => /^bearer(?: |$)/iu.test(authorization);

/** The token of a bearer header, if it is well formed (b64token, RFC 6750 §2.1). */
const bearerToken = (authorization: string): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu.exec(authorization)?.[1];
