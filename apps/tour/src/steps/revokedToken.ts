/**
 * The user's token: refreshed, revoked, and then rejected by both servers.
 */
import { RefreshGrant, Revocation } from "@game-data/oauth-pkce";
import { Effect, Redacted } from "effect";
import { Report } from "../report.ts";
import { assert, expectError, type Step } from "../Tour.ts";

export const revokedToken: Step = {
  title: "The token refreshed, revoked, rejected",
  session: "user",
  scopes: ["oauth:revoke", "account:profile"],
  run: Effect.fnUntraced(function* ({ user }) {
    const report = yield* Report;
    const { api, apiWithToken, client, session } = user;
    const { accessToken, refreshToken } = yield* session.tokens;
    if (refreshToken === undefined) return { skipped: "there is no refresh token" };

    const renewed = yield* session.renew(accessToken);
    yield* assert(
      Redacted.value(renewed) !== Redacted.value(accessToken),
      "the token is unchanged",
    );
    yield* api.profile.get();
    const tokens = yield* session.tokens;

    yield* session.signOut({ revoke: Revocation.using(tokens.accessToken) });
    const { profile } = yield* apiWithToken(tokens.accessToken);
    const unauthorized = yield* expectError(
      profile.get(),
      "Unauthorized",
      "the revoked token still works",
    );
    const invalidGrant = yield* expectError(
      RefreshGrant.request(client, tokens),
      "InvalidGrant",
      "the revoked refresh token still works",
    );
    const { code, detail, status } = unauthorized;
    report.facts(
      ["refreshed", "a new access token, which the data API accepts"],
      ["revoked", "the refresh token and the access token"],
      ["data API", `Unauthorized, HTTP ${status}, code ${code}: ${detail}`],
      ["OAuth server", `InvalidGrant: ${invalidGrant.message}`],
    );
    return { result: "both servers reject the revoked tokens" };
  }),
};
