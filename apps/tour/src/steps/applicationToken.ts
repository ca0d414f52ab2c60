/** Step: the application gets its own token, by the client credentials grant with its secret. */
import { Clock, Duration, Effect } from "effect";
import { SERVICE_SCOPES } from "../sandbox.ts";
import { check, print, type Step } from "../Step.ts";

export const applicationToken: Step = {
  title: "The application's own token, by client credentials",
  run: Effect.fn("tour.applicationToken")(function* ({ application }) {
    const { expiresAt, scopes } = yield* application.tokens;
    const now = yield* Clock.currentTimeMillis;
    const expiry =
      typeof expiresAt === "number" ? Duration.format(Duration.millis(expiresAt - now)) : expiresAt;
    yield* print(["scopes", scopes.join(" ")], ["expires", expiry]);
    const missing = SERVICE_SCOPES.filter((scope) => !scopes.includes(scope));
    yield* check(missing.length === 0, `not granted: ${missing.join(" ")}`);
    return `${scopes.length} scopes granted, without a user`;
  }),
};
