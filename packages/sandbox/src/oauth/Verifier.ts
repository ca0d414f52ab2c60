/** Reads the `Authorization` header of a request and finds the identity behind its token (§5). */
import { type Credentials, NO_CREDENTIALS } from "../http/Exchange.ts";
import type { SandboxState } from "../State.ts";

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
