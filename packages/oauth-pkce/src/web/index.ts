/**
 * Sign-in for web applications, over the `Request` and `Response` of the web.
 *
 * @example
 * ```ts
 * import { createPublicOAuth, memoryStore } from "@game-data/oauth-pkce/promise";
 * import { createSignIn } from "@game-data/oauth-pkce/web";
 *
 * const { client } = createPublicOAuth({
 *   authUrl: "https://auth.example.com",
 *   clientId: "my-app",
 *   redirectUri: "http://127.0.0.1/callback",
 * });
 * const key = crypto.getRandomValues(new Uint8Array(32));
 * const signIn = await createSignIn({
 *   client,
 *   scopes: ["account:characters"],
 *   store: memoryStore(),
 *   keys: { current: "2026", keys: { "2026": key } },
 * });
 * const response = await signIn.handle(new Request("http://127.0.0.1/auth/login"));
 * if (response?.status !== 303) throw new Error("login redirects to the consent page");
 * if (await signIn.handle(new Request("http://127.0.0.1/other"))) throw new Error("not ours");
 * ```
 *
 * @packageDocumentation
 */
export { createSignIn, type SignIn } from "./SignIn.ts";
export type { SignInOptions } from "./SignInOptions.ts";
export type { SignedInUser, UserState } from "./currentUser.ts";
export { userGrantKey } from "./SignInSetting.ts";
export { toNext, type NextRoutes } from "./toNext.ts";
export type { UserInput } from "./userInput.ts";
export type { EndReason } from "./UserRow.ts";
export type { SessionInfo, SessionsOfUser } from "./UserSessions.ts";
