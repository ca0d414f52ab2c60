/**
 * Tokens from their beginning to their end: the user's through the code flow with PKCE, the
 * application's with its secret.
 */
import { toFailure } from "@game-data/terminal/toFailure";
import * as Report from "../report/Report.ts";
import { must, refused } from "../report/runSteps.ts";
import {
  applicationOf,
  signInByBrowser,
  signInThrough,
  tokenFacts,
  userOf,
} from "../ApiSession.ts";
import { RefreshGrant, Revocation } from "@game-data/oauth-pkce";
import { approveConsent } from "@game-data/sandbox/approveConsent";
import { Effect, Redacted } from "effect";
import type { TourStep } from "../Tour.ts";

/** A person consents, and the public client exchanges the code. */
export const signIn: TourStep = {
  title: "Sign in, as a public client with PKCE",
  speaker: "user",
  run: Effect.fnUntraced(function* (tour) {
    const { sandbox } = tour;
    const user = userOf(tour);
    if (sandbox === undefined)
      yield* signInByBrowser(user, (url) =>
        Report.say("Open this page in your browser, and consent there:", "", url, ""),
      );
    else {
      Report.say(
        "No browser takes part: the tour itself plays the person and consents through the sandbox's",
        "control plane (POST /control/authorize). Everything else is the real flow.",
      );
      yield* signInThrough(user, (url) => Effect.promise(() => approveConsent(sandbox, url)));
    }
    Report.facts(...(yield* tokenFacts(user)));
    const { scopes, username } = yield* user.session.tokens;
    const missing = user.scopes.filter((scope) => !scopes.includes(scope));
    // An empty list says that the server did not tell.
    const isEnough = scopes.length === 0 || missing.length === 0;
    yield* must(isEnough, `not granted: ${missing.join(" ")}`);
    return { proof: `${username ?? "somebody"} consented, and the code became a token` };
  }),
};

/** The application speaks for itself. */
export const signInApplication: TourStep = {
  title: "The application's own token, by client credentials",
  speaker: "application",
  run: Effect.fnUntraced(function* (tour) {
    const application = applicationOf(tour);
    Report.facts(...(yield* tokenFacts(application)));
    const { scopes } = yield* application.session.tokens;
    const granted = application.scopes.filter((scope) => scopes.includes(scope)).length;
    return { proof: `${granted} of ${application.scopes.length} scopes granted, without a user` };
  }),
};

/** Refreshed, revoked, and then refused by both servers. */
export const token: TourStep = {
  title: "The token refreshed, revoked, refused",
  speaker: "user",
  scopes: ["oauth:revoke", "account:profile"],
  run: Effect.fnUntraced(function* (tour) {
    const { api, client, session, withToken } = userOf(tour);
    const { accessToken: first, refreshToken } = yield* session.tokens;
    if (refreshToken === undefined) return { leftOut: "there is no refresh token" };
    const next = yield* session.renew(first);
    yield* must(Redacted.value(next) !== Redacted.value(first), "the token is the same");
    yield* api.profile.get();
    const second = yield* session.tokens;

    yield* session.signOut({ revoke: Revocation.using(second.accessToken) });
    const { profile } = yield* withToken(second.accessToken);
    const denied = yield* refused(profile.get(), "Unauthorized", "the revoked token still works");
    const again = RefreshGrant.request(client, second);
    const ended = yield* refused(again, "InvalidGrant", "the revoked refresh token still works");
    const { code, detail, status } = denied;
    Report.facts(
      ["refreshed", "another access token, and the data API takes it"],
      ["revoked", "refresh token and access token"],
      ["the data API", `Unauthorized, HTTP ${status}, code ${code}: ${detail}`],
      ["the OAuth server", `InvalidGrant: ${toFailure(ended).message}`],
    );
    return { proof: "what was revoked opens nothing any more" };
  }),
};
