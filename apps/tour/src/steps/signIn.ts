/** Step: a user signs in to a public client, by the authorization code grant with PKCE. */
import { PkceFlow } from "@game-data/oauth-pkce";
import { Effect } from "effect";
import { check, print, type Step } from "../Step.ts";

const SCOPES = [
  "account:profile",
  "account:characters",
  "account:stashes",
  "account:item_filter",
  "oauth:revoke",
] as const;

export const signIn: Step = {
  title: "Sign in, as a public client with PKCE",
  run: Effect.fn("tour.signIn")(function* ({ client, sandbox, user }) {
    const { pending, url } = yield* PkceFlow.start(client, { scopes: SCOPES });
    yield* print([`${url.slice(0, 76)}…`]);
    // A program opens this URL in a browser. Here the sandbox consents for the user.
    const redirect = yield* Effect.promise(() => sandbox.consent(url));
    const callback = yield* PkceFlow.validateCallback(client, pending, redirect);
    yield* user.signIn(yield* PkceFlow.exchange(client, callback));

    const { scopes, username } = yield* user.tokens;
    const missing = SCOPES.filter((scope) => !scopes.includes(scope));
    yield* check(missing.length === 0, `not granted: ${missing.join(" ")}`);
    return `${username} granted ${scopes.join(" ")}`;
  }),
};
