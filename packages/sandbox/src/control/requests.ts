/** Helpers for the handlers of the control plane: checked bodies, and refusals. */
import { RatePolicyInvalid, RegistrationRejected } from "../Errors.ts";
import { controlError } from "../http/fallbacks.ts";
import type { Headers, RequestInput, ResponseOutput } from "../http/messages.ts";
import {
  type Document,
  formatIssues,
  type Issue,
  issuesOf,
  nearestOf,
} from "../internal/document.ts";
import { depthOf, MOST_DEPTH, withoutStrings } from "../internal/depth.ts";
import { utf8Text } from "../internal/encoding.ts";
import { DURATION_UNITS, parseDuration, parseInstant } from "../internal/instants.ts";

/** Answers a request to the control plane; with nothing to say, by 204. */
export type ControlHandler = (
  request: RequestInput,
  params: Readonly<Record<string, string>>,
) => ResponseOutput | undefined;

/** A route of the control plane. */
export interface ControlRoute {
  readonly method: string;
  readonly template: string;
  readonly handle: ControlHandler;
}

/** Makes a route. */
export const route = (method: string, template: string, handle: ControlHandler): ControlRoute => ({
  method,
  template,
  handle,
});

/** For answers that carry secrets. */
export const NO_STORE: Headers = { "cache-control": "no-store" };

/** A request that the control plane refuses. */
class Rejected {
  readonly issues: ReadonlyArray<Issue>;
  constructor(issues: ReadonlyArray<Issue>) {
    this.issues = issues;
  }
}

/** Refuses a request with 400, the place that is wrong, and what may have been meant. */
export const rejected = (reason: string, pointer = "", nearest?: string): never => {
  const message = `${reason}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  return rejectAll([{ pointer, message, ...(nearest === undefined ? {} : { nearest }) }]);
};

/** Refuses a request with 400 and every place that is wrong. */
export const rejectAll = (issues: ReadonlyArray<Issue>): never => {
  throw new Rejected(issues);
};

/** Makes the response to a handler's exception. */
export const failureResponse = (cause: unknown, log: (message: string, cause: unknown) => void) => {
  if (cause instanceof Rejected)
    return controlError(formatIssues(cause.issues), 400, { issues: cause.issues });
  if (cause instanceof RatePolicyInvalid || cause instanceof RegistrationRejected)
    return controlError(cause.message, 400, {
      issues: [{ pointer: cause.at, message: cause.reason }],
    });
  log("a request to the control plane failed", cause);
  return controlError("the sandbox failed to answer; its log says why", 500);
};

/** Parses the JSON of a body. */
export const readJson = (request: RequestInput): unknown => {
  const text = utf8Text(request.body);
  if (text !== undefined && depthOf(withoutStrings(text)) > MOST_DEPTH)
    return rejected(`the body is nested deeper than ${MOST_DEPTH} levels`);
  try {
    return text === undefined ? rejected("the body is not UTF-8") : (JSON.parse(text) as unknown);
  } catch (cause) {
    if (cause instanceof Rejected) throw cause;
    return rejected("the body is not JSON");
  }
};

/** The value, if it fits the document; else the request is refused with every place. */
export const checked = <A>(document: Document<A>, value: unknown): A => {
  const issues = issuesOf(document, value);
  return issues.length > 0 ? rejectAll(issues) : (value as A);
};

/** Refuses a name that nothing has, with the nearest one that something has. */
export const rejectName = (
  pointer: string,
  member: string,
  value: string,
  names: ReadonlyArray<string>,
): never =>
  rejected(
    `there is no ${member} ${JSON.stringify(value)}`,
    pointer,
    nearestOf(value, [...new Set(names)]),
  );

/** The instant in milliseconds. */
export const instantOf = (text: string, pointer: string): number =>
  parseInstant(text) ?? rejected(`${JSON.stringify(text)} is no instant in ISO 8601`, pointer);

/** The duration in milliseconds. */
export const durationOf = (text: string, pointer: string): number => {
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?) *([a-z]*)$/iu.exec(text) ?? [];
  const nearest = nearestOf(unit, DURATION_UNITS);
  const meant = count === undefined || nearest === undefined ? undefined : `${count} ${nearest}`;
  return rejected(`${JSON.stringify(text)} is no duration such as "31 seconds"`, pointer, meant);
};
