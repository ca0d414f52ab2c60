/** Step: lists the leagues of the game, with the application's token. */
import { Limits } from "@game-data/contract";
import { Effect } from "effect";
import { check, print, type Step } from "../Step.ts";

export const leagues: Step = {
  title: "The leagues",
  run: Effect.fn("tour.leagues")(function* ({ applicationApi }) {
    const all = yield* applicationApi.leagues.list({ limit: Limits.leagues.max });
    yield* print(
      ...all
        .slice(0, 8)
        .map(({ endAt, id, startAt }) => [
          id,
          `from ${startAt?.slice(0, 10)}`,
          endAt == null ? "" : `to ${endAt.slice(0, 10)}`,
        ]),
    );
    yield* check(
      all.some(({ id }) => id === "Standard"),
      "the permanent league is missing",
    );
    return `${all.length} leagues`;
  }),
};
