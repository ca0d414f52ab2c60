/**
 * The end of a token: renewed, revoked, refused.
 */
import { RefreshGrant } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import * as Report from "../Report.ts";
import { must, type Step, TourFailure, userOf } from "../Tour.ts";

/** Refreshed, revoked, and then refused by both servers. */
export const token: Step = {
  title: "The token refreshed, revoked, refused",
  speaker: "user",
  scopes: ["oauth:revoke", "account:profile"],
  run: Effect.fnUntraced(function* (tour) {
    const { api, client, session, withToken } = userOf(tour);
    const first = yield* session.tokens;
    if (first.refreshToken === undefined) return { leftOut: "there is no refresh token" };
    const next = yield* session.renew(first.accessToken);
    yield* must(
      Redacted.value(next) !== Redacted.value(first.accessToken),
      "the token is the same",
    );
    yield* api.profile.get();
    const second = yield* session.tokens;

    yield* session.signOut({ revokeUsing: second.accessToken });
    const refused = yield* (yield* withToken(second.accessToken)).profile.get().pipe(
      Effect.flatMap(() => new TourFailure({ message: "a revoked token still opens the profile" })),
      Effect.catchTag("Unauthorized", Effect.succeed),
    );
    const ended = yield* RefreshGrant.request(client, second).pipe(
      Effect.flatMap(() => new TourFailure({ message: "a revoked refresh token is still taken" })),
      Effect.catchTag("GrantInvalid", Effect.succeed),
    );
    Report.facts(
      ["refreshed", "another access token, and the data API takes it"],
      ["revoked", "refresh token and access token"],
      [
        "the data API",
        `${refused._tag}, HTTP ${refused.status}, code ${refused.code}: ${refused.detail}`,
      ],
      ["the OAuth server", `${ended._tag}: ${ended.message}`],
    );
    return { proof: "what was revoked opens nothing any more" };
  }),
};
