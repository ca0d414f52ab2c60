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
import { utf8Text } from "../internal/encoding.ts";
import { parseDuration, parseInstant } from "../internal/instants.ts";

/** Answers a request to the control plane. */
export type ControlHandler = (
  request: RequestInput,
  params: Readonly<Record<string, string>>,
) => ResponseOutput;

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
  readonly reason: string;
  readonly issues: ReadonlyArray<Issue>;
  readonly status: number;
  constructor(reason: string, issues: ReadonlyArray<Issue> = [], status = 400) {
    this.reason = reason;
    this.issues = issues;
    this.status = status;
  }
}

/** Refuses a request with 400 and a reason. */
export const rejected = (reason: string): never => {
  throw new Rejected(reason);
};

/** Makes the response to a handler's exception. */
export const failureResponse = (cause: unknown, log: (message: string, cause: unknown) => void) => {
  if (cause instanceof Rejected)
    return controlError(
      cause.reason,
      cause.status,
      cause.issues.length === 0 ? {} : { issues: cause.issues },
    );
  if (cause instanceof RatePolicyInvalid || cause instanceof RegistrationRejected)
    return controlError(cause.message);
  log("a request to the control plane failed", cause);
  return controlError("the sandbox failed to answer; its log says why", 500);
};

/** Parses the JSON of a body. */
export const readJson = (request: RequestInput): unknown => {
  const text = utf8Text(request.body);
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
  if (issues.length > 0) throw new Rejected(formatIssues(issues), issues);
  return value as A;
};

/** Refuses a name that nothing has, with the nearest one that something has. */
export const rejectName = (
  pointer: string,
  member: string,
  value: string,
  names: ReadonlyArray<string>,
): never => {
  const nearest = nearestOf(value, names);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  const message = `there is no ${member} ${JSON.stringify(value)}${hint}`;
  throw new Rejected(`${pointer}: ${message}`, [
    { pointer, message, ...(nearest === undefined ? {} : { nearest }) },
  ]);
};

/** The instant in milliseconds. */
export const instantOf = (text: string): number =>
  parseInstant(text) ?? rejected(`${JSON.stringify(text)} is no instant in ISO 8601`);

/** The duration in milliseconds. */
export const durationOf = (text: string): number =>
  parseDuration(text) ?? rejected(`${JSON.stringify(text)} is no duration such as "31 seconds"`);
