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
import type { Identity } from "../oauth/TokenVerifier.ts";
import type { RateIdentity } from "./RateLimits.ts";

type Holder = Pick<Identity, "clientId" | "kind" | "grantType" | "sub">;

/**
 * The one allowance of all public clients. No client id collides with it, for a client's key has a
 * prefix.
 */
const PUBLIC_POOL = "public";

/** The identities of the sender of a request, by rule. */
export const rateIdentityOf = (ip: string, holder: Holder | undefined): RateIdentity => ({
  Ip: ip,
  Account: holder?.sub,
  Client: holder === undefined ? undefined : clientKey(holder),
});

const clientKey = ({ clientId, grantType, kind, sub }: Holder): string => {
  if (kind === "public") return PUBLIC_POOL;
  return grantType === "client_credentials" ? `owner:${sub}` : `client:${clientId}`;
};
