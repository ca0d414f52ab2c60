/** Step: the service responds with 503 twice. The client retries, and the call succeeds. */
import { Effect } from "effect";
import { print, type Step } from "../Step.ts";

export const outage: Step = {
  title: "An outage that the client rides out",
  run: Effect.fn("tour.outage")(function* ({ sandbox, userApi }) {
    const match = { endpoint: "profile" };
    yield* Effect.promise(() =>
      sandbox.fault({
        match,
        when: { count: 2 },
        fault: { kind: "status", status: 503, retryAfter: 1 },
      }),
    );
    const { name } = yield* userApi.profile.get();
    yield* print([`the profile of ${name}, at the third attempt`]);
    // The sandbox counts the requests that have arrived, by the status of their response.
    yield* Effect.promise(() => sandbox.verify({ match, status: 503, exactly: 2 }));
    return "two responses 503, and then the profile";
  }),
};
