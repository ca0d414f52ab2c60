/**
 * Examines a service of the Game Data API: sends requests that only read, and compares each
 * response with the contract. For operators of a service, or of an imitation.
 *
 * Nothing is changed. An endpoint that cannot be requested (no token for its scope, an account
 * without characters) is listed with the reason. Requests go out one after the other.
 *
 * ```ts
 * import { startSandbox } from "@game-data/sandbox";
 * import { examine } from "@game-data/sandbox/conformance";
 * import { Effect } from "effect";
 *
 * const sandbox = await startSandbox();
 * const { deviations } = await Effect.runPromise(
 *   examine({ baseUrl: sandbox.baseUrl, tokenFor: (scopes) => sandbox.token({ scopes }) }),
 * );
 * console.log(deviations); // 0
 * await sandbox.close();
 * ```
 */
import * as Effect from "effect/Effect";
import { type Deployment, type ExamineOptions, makeExaminer } from "./Examiner.ts";
import { askEverything } from "./questions.ts";
import { type ConformanceReport, endpointsOf, type Observed } from "./report.ts";

export type { Deployment, ExamineOptions } from "./Examiner.ts";
export type { ConformanceReport, ContractDeviation, EndpointReport } from "./report.ts";

/** Examines a service. Never fails, because a missing response counts as a deviation. */
export const examine = Effect.fnUntraced(function* (
  deployment: Deployment,
  { league, pages = 2, realm = "pc" }: Partial<ExamineOptions> = {},
) {
  const observed: Array<Observed> = [];
  yield* askEverything(makeExaminer(deployment, { league, pages, realm }, observed));
  const endpoints = endpointsOf(observed);
  return {
    deviations: endpoints.reduce((sum, { deviations }) => sum + deviations.length, 0),
    endpoints,
  } satisfies ConformanceReport;
});
