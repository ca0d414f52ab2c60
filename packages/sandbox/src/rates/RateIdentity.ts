/**
 * Finds the identities that a request is counted against (§5 "Client types", §8).
 *
 * - `Ip`: the address of the peer.
 * - `Account`: the account of the token, whichever client obtained it.
 * - `Client`: a confidential client has its own allowance, all public clients share one pool, and a
 *   client-credentials token counts against the account that owns the application. Two applications
 *   of one owner share that allowance, then; the specification says both "individual per client"
 *   and "the owning account", and the second is the more precise sentence.
 *
 * A request without a usable token has no account and no client: only `Ip` rules apply to it.
 */
import type { RateIdentity } from "./RateCounters.ts";

/** Facts about the sender of a request, known after its credentials were checked. */
export interface Requester {
  readonly ip?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientKind?: "public" | "confidential" | undefined;
  /** The account of the token; with client credentials, the owner of the application. */
  readonly account?: string | undefined;
  readonly grant?: "authorization_code" | "client_credentials" | undefined;
}

/**
 * The one allowance of all public clients. No client id collides with it, for a client's key has a
 * prefix.
 */
const PUBLIC_POOL = "public";

/** The identities of a requester, by rule. */
export const rateIdentityOf = (requester: Requester): RateIdentity => {
  return { Ip: requester.ip, Account: requester.account, Client: clientKey(requester) };
};

const clientKey = ({ account, clientId, clientKind, grant }: Requester): string | undefined => {
  if (clientId === undefined) return undefined;
  if (clientKind === "public") return PUBLIC_POOL;
  if (grant === "client_credentials" && account !== undefined) return `owner:${account}`;
  return `client:${clientId}`;
};
