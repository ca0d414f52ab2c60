/**
 * A user signs in: the authorization code grant with PKCE, as a public client.
 */
import { PkceFlow } from "@game-data/oauth-pkce";
import { signIn as signInByBrowser } from "@game-data/oauth-pkce/node";
import { controlOf } from "@game-data/sandbox/control";
import { Host } from "@game-data/terminal/Host";
import { Effect } from "effect";
import { Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";
import { tokenFacts } from "./tokenFacts.ts";

export const signIn: Step = {
  title: "Sign in, as a public client with PKCE",
  session: "user",
  run: Effect.fnUntraced(function* ({ sandbox, user }) {
    const report = yield* Report;
    const { client, session } = user;
    const scopes = user.scopes as ReadonlyArray<PkceFlow.UserScope>;

    if (sandbox === undefined) {
      const { stdout } = yield* Host;
      const show = (url: string) =>
        Effect.sync(() => report.say("Open this page in your browser and consent:", "", url, ""));
      const open = stdout.isTTY === true ? {} : { open: () => Effect.void };
      yield* session.signIn(yield* signInByBrowser(client, { scopes, show, ...open }));
    } else {
      report.say(
        "No browser is involved: the tour approves the consent page through the sandbox's",
        "control plane (POST /control/authorize). Everything else is the real flow.",
      );
      const { pending, url } = yield* PkceFlow.start(client, { scopes });
      const redirect = yield* Effect.promise(() => controlOf(sandbox).consent(url));
      const callback = yield* PkceFlow.validateCallback(client, pending, redirect);
      yield* session.signIn(yield* PkceFlow.exchange(client, callback));
    }

    const tokens = yield* session.tokens;
    report.facts(...(yield* tokenFacts(user)));
    // An empty list means that the server did not return the granted scopes.
    const missing = scopes.filter((scope) => !tokens.scopes.includes(scope));
    const isComplete = tokens.scopes.length === 0 || missing.length === 0;
    yield* assert(isComplete, `not granted: ${missing.join(" ")}`);
    return { result: `${tokens.username ?? "A user"} consented, and the code became a token` };
  }),
};
