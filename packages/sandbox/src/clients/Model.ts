/** Words of §4.1 and §5 about clients. */

/** Whether a client can keep a secret (§5). */
export type ClientKind = "public" | "confidential";

/** The grants of §4.1. */
export type GrantType = "authorization_code" | "client_credentials" | "refresh_token";
