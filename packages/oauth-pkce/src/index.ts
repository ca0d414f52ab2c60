/**
 * Client side of the Game Data API's OAuth 2.1 server: PKCE flow, grants, sessions, token stores.
 *
 * @packageDocumentation
 */
export {};
