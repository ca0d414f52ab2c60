/**
 * Paths of the OAuth server below `{auth_url}` (§4.1). A test holds them against the contract's
 * endpoints.
 */
export const AUTHORIZE = "/oauth/authorize";
export const TOKEN = "/oauth/token";
export const REVOKE = "/oauth/token/revoke";
export const INTROSPECT = "/oauth/token/introspect";
