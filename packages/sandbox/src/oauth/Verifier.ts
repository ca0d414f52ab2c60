/** Reads the `Authorization` header of a request and finds the identity behind its token (§5). */
import type { ClientKind } from "../clients/Registration.ts";
import type { SandboxState } from "../State.ts";
import type { Grant } from "./Grants.ts";

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

export interface Credentials {
  /** The identity, if the header carries a token in force. */
  readonly identity: Identity | undefined;
  /** Whether the header names the bearer scheme at all. */
  readonly isBearer: boolean;
  /** Hash of the token that was sent, in force or not. */
  readonly tokenHash: string | undefined;
}

export const NO_CREDENTIALS: Credentials = {
  identity: undefined,
  isBearer: false,
  tokenHash: undefined,
};

/** The bearer scheme in any case, and a b64token (RFC 6750 §2.1, RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu;

export const makeVerify =
  ({ accounts, clients, grants }: Pick<SandboxState, "accounts" | "clients" | "grants">) =>
  (authorization: string): Credentials => {
    const isBearer = /^bearer(?: |$)/iu.test(authorization);
    const text = BEARER.exec(authorization)?.[1];
    if (text === undefined) return { ...NO_CREDENTIALS, isBearer };
    const tokenHash = grants.hash(text);
    const token = grants.token(tokenHash);
    const grant = token && grants.grant(token.grantId);
    const client = grant && clients.byId(grant.clientId);
    if (client === undefined || token?.kind !== "access" || !grants.isLive(token))
      return { identity: undefined, isBearer, tokenHash };
    const { clientId, grantType, sub } = grant!;
    const { kind } = client;
    const username = accounts.byUuid(sub)?.name ?? "";
    const identity = { clientId, kind, grantType, sub, username, scopes: token.scopes };
    return { identity, isBearer, tokenHash };
  };
