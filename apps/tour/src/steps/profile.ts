/** Step: reads the profile of the account that signed in. */
import { Effect } from "effect";
import { check, print, type Step } from "../Step.ts";

export const profile: Step = {
  title: "The profile",
  run: Effect.fn("tour.profile")(function* ({ user, userApi }) {
    const { locale, name, uuid } = yield* userApi.profile.get();
    yield* print(["name", name], ["uuid", uuid], ["locale", locale ?? ""]);
    const { sub } = yield* user.tokens;
    yield* check(uuid === sub, `the token belongs to ${sub}`);
    return "the uuid equals the token's";
  }),
};
