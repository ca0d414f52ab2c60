/**
 * The account's profile.
 */
import { Effect } from "effect";
import { Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";

export const profile: Step = {
  title: "The profile",
  session: "user",
  scopes: ["account:profile"],
  run: Effect.fnUntraced(function* ({ captured, user }) {
    const report = yield* Report;
    const { livestream, locale, name, uuid } = yield* user.api.profile.get();
    report.facts(["name", name], ["uuid", uuid], ["locale", locale], ["stream", livestream?.name]);

    const { sub } = yield* user.session.tokens;
    const expected = captured?.uuid ?? sub ?? uuid;
    yield* assert(uuid === expected, `expected the uuid ${expected}`);
    if (captured?.uuid !== undefined) return { result: "the uuid equals the captured profile's" };
    return { result: sub === undefined ? "the token is valid" : "the uuid equals the token's" };
  }),
};
