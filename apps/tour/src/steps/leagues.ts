/**
 * The leagues of the game, with the application's token.
 */
import { Limits } from "@game-data/contract";
import { Effect } from "effect";
import { Report } from "../report.ts";
import type { Step } from "../Tour.ts";

export const leagues: Step = {
  title: "The leagues",
  session: "application",
  scopes: ["service:leagues"],
  run: Effect.fnUntraced(function* ({ application }) {
    const report = yield* Report;
    const all = yield* application.api.leagues.list({ limit: Limits.leagues.max });
    report.table(
      ["league", "began", "ends", "rules"],
      all.map(({ endAt, id, rules, startAt }) => [
        id,
        startAt?.slice(0, 10),
        endAt?.slice(0, 10) ?? "",
        (rules ?? []).map(({ name }) => name).join(", "),
      ]),
      10,
    );

    // A full page says nothing about the leagues behind it.
    const counts = all.length < Limits.leagues.max ? { counts: { leagues: all.length } } : {};
    return { result: `${all.length} leagues`, ...counts };
  }),
};
