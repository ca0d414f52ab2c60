/**
 * Client side of the Game Data API's OAuth 2.1 server: PKCE flow, token requests, sessions, stores.
 *
 * This entry runs in Node, Bun, Deno and browsers. The loopback receiver and the file store are in
 * `@game-data/oauth-pkce/node`, and everything without Effect is in `@game-data/oauth-pkce/promise`.
 *
 * @packageDocumentation
 */
export * from "./Errors.ts";
export * as OAuthClient from "./OAuthClient.ts";
export * as PkceFlow from "./PkceFlow.ts";
export type { Sealer } from "./TokenStore.ts";
export * as Session from "./Session.ts";
export * as SessionPool from "./SessionPool.ts";
export * as TokenCall from "./TokenCall.ts";
export * as TokenRequest from "./TokenRequest.ts";
export * as TokenSet from "./TokenSet.ts";
export * as TokenStore from "./TokenStore.ts";
export { safeReturnTo } from "./safeReturnTo.ts";
