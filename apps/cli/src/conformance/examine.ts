/**
 * Examines a deployment: sends requests that only read, and compares each response with the
 * contract.
 *
 * Nothing is changed. An endpoint that cannot be asked (no token for its scope, an account without
 * characters) is listed with the reason. Requests go out one after the other, within the rate
 * limits.
 */
import { Effect } from "effect";
import { required, type Settings } from "../config/Settings.ts";
import { openDeployment } from "./Deployment.ts";
import { type ExamineOptions, makeExaminer } from "./Examiner.ts";
import { askEverything } from "./questions.ts";
import { type ConformanceReport, ReportBuilder } from "./report.ts";

/** Examines a deployment. Fails if no request could be sent at all. */
export const examine = Effect.fnUntraced(function* (from: Settings, options: ExamineOptions) {
  const report = new ReportBuilder();
  yield* askEverything(makeExaminer(yield* openDeployment(from), options, report));
  const endpoints = report.build();
  return {
    baseUrl: yield* required(from, "baseUrl"),
    realm: options.realm,
    requests: report.requests,
    deviations: endpoints.reduce((sum, { deviations }) => sum + deviations.length, 0),
    endpoints,
  } satisfies ConformanceReport;
});
