/**
 * Client side of the Game Data API's OAuth 2.1 server: PKCE flow, grants, sessions, token stores.
 *
 * This entry runs in Node, Bun, Deno and browsers. The loopback receiver and the file store are in
 * `@game-data/oauth-pkce/node`; the same things without Effect in `@game-data/oauth-pkce/promise`.
 *
 * @packageDocumentation
 */
export * from "./Errors.ts";
export * as AuthorizedClient from "./AuthorizedClient.ts";
export * as ClientCredentials from "./ClientCredentials.ts";
export * as PendingAuthorization from "./PendingAuthorization.ts";
export * as Introspection from "./Introspection.ts";
export * as OAuthClient from "./OAuthClient.ts";
export * as OAuthHttpClient from "./OAuthHttpClient.ts";
export * as Pkce from "./Pkce.ts";
export * as PkceFlow from "./PkceFlow.ts";
export * as RefreshGrant from "./RefreshGrant.ts";
export * as Revocation from "./Revocation.ts";
export type { Opened, Sealer } from "./Sealer.ts";
export * as Session from "./Session.ts";
export * as SessionPool from "./SessionPool.ts";
export * as TokenSet from "./TokenSet.ts";
export * as TokenStore from "./TokenStore.ts";
export { safeReturnTo } from "./safeReturnTo.ts";
