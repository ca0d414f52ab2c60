/**
 * The application signs in by itself: client credentials with its secret.
 */
import { Effect } from "effect";
import { Report } from "../report.ts";
import type { Step } from "../Tour.ts";
import { tokenFacts } from "./tokenFacts.ts";

export const applicationToken: Step = {
  title: "The application's own token, by client credentials",
  session: "application",
  run: Effect.fnUntraced(function* ({ application }) {
    const report = yield* Report;
    const { scopes } = yield* application.session.tokens;
    report.facts(...(yield* tokenFacts(application)));
    const granted = application.scopes.filter((scope) => scopes.includes(scope)).length;
    return { result: `${granted} of ${application.scopes.length} scopes granted, without a user` };
  }),
};
