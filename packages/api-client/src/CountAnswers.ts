/**
 * Counts the answers that calls take: for progress, and to say what a step cost.
 */
import * as Effect from "effect/Effect";
import { ResponseListener } from "./CallOptions.ts";

/**
 * Runs calls, and counts every answer of the service on the way; `onAnswer` is told each time. A
 * listener around it hears them too.
 */
export const countAnswers = Effect.fnUntraced(function* <A, E, R>(
  calls: Effect.Effect<A, E, R>,
  onAnswer?: (answers: number) => void,
) {
  const outer = yield* ResponseListener;
  let answers = 0;
  const value = yield* Effect.provideService(calls, ResponseListener, (info) => {
    outer?.(info);
    answers += 1;
    onAnswer?.(answers);
  });
  return { value, answers };
});
