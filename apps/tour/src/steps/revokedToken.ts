/** Step: the user's token is refreshed, revoked, and then rejected by both servers. */
import { TokenCall, TokenRequest } from "@game-data/oauth-pkce";
import { Effect } from "effect";
import { check, expectError, print, type Step } from "../Step.ts";

export const revokedToken: Step = {
  title: "The token refreshed, revoked, rejected",
  run: Effect.fn("tour.revokedToken")(function* ({ apiWithToken, client, user, userApi }) {
    const before = yield* user.tokens;
    yield* user.renew(before.accessToken);
    const tokens = yield* user.tokens;
    yield* check(tokens.accessToken !== before.accessToken, "the token is the old one");
    yield* userApi.profile.get();

    yield* user.signOut({ revoke: TokenCall.revokeUsing(tokens.accessToken) });
    const { profile } = yield* apiWithToken(tokens.accessToken);
    const unauthorized = yield* expectError(profile.get(), "Unauthorized");
    const refresh = TokenRequest.refresh(client, tokens);
    const invalidGrant = yield* expectError(refresh, "InvalidGrant");
    yield* print(["data API", unauthorized.message], ["OAuth server", invalidGrant.message]);
    return "both servers reject the revoked tokens";
  }),
};
