/**
 * A route of the control plane: its address, the documents that it takes and answers with, and its
 * handler. The same rows answer requests (`ControlPlane`) and are documented (`openApi`).
 */
import type { Scenario } from "../audit/scenarios.ts";
import * as Schema from "effect/Schema";
import type { Core } from "../Core.ts";
import { RegistrationRejected } from "../Errors.ts";
import { controlError, queryOf, type RequestInput, type ResponseOutput } from "../http/messages.ts";
import { depthOf, MOST_DEPTH, withoutStrings } from "../internal/depth.ts";
import { formatIssues, type Issue, issuesOf } from "../internal/issues.ts";
import { nearestOf } from "../internal/nearest.ts";
import { parseJson, utf8Text } from "../internal/encoding.ts";
import type { Log } from "../internal/log.ts";
import type { Service } from "../Service.ts";

/** What the handlers of the control plane work on. */
export interface Plane {
  readonly core: Core;
  readonly service: Service;
  readonly scenarios: Scenarios;
}

export interface Scenarios {
  /** Starts a scenario, or one like it with a set-up or steps of one's own. */
  start(body: Pick<Scenario, "name"> & Partial<Scenario>): Scenario;
  isRunning(name: string): boolean;
  clear(): void;
  /** Stops all, removes their faults, and puts back the policies that one of them has replaced. */
  undo(): void;
}

/** What a request brings to a handler: its body and its query are checked. */
interface Asked<Body> {
  readonly request: RequestInput;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly body: Body;
}

/** What a request of the control plane itself brings, to its own routes or in the place of a client. */
export const INTERNAL = {
  header: (): string | undefined => undefined,
  body: new Uint8Array(),
  ip: "",
} as const;

interface Documents<Body> {
  /** Type by the name of a parameter; others are refused then. */
  readonly query?: Readonly<Record<string, "string" | "integer">>;
  readonly body?: Schema.Codec<Body>;
  /** Any JSON by default. */
  readonly result?: Schema.Top;
  /** Status of success, 200 by default. */
  readonly status?: 200 | 201 | 204;
}

export interface ControlRoute extends Documents<any> {
  readonly method: string;
  /** Below `/control`, such as `/faults/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** The value to answer with as JSON, a whole response as `Sent`, or nothing. */
  readonly handle: (plane: Plane, asked: Asked<any>) => unknown;
}

export const routesOf =
  (tag: string) =>
  <Body = undefined>(
    address: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`,
    summary: string,
    documents: Documents<Body>,
    handle: (plane: Plane, asked: Asked<Body>) => unknown,
  ): ControlRoute => {
    const [method = "", path = ""] = address.split(" ");
    return { ...documents, method, path, tag, summary, handle };
  };

/** A response that is more than a value as JSON. */
export class Sent {
  readonly response: ResponseOutput;
  constructor(response: ResponseOutput) {
    this.response = response;
  }
}

export class Refusal {
  readonly status: number;
  readonly reason: string;
  readonly issues: ReadonlyArray<Issue>;
  constructor(status: number, reason: string, issues: ReadonlyArray<Issue> = []) {
    this.status = status;
    this.reason = reason;
    this.issues = issues;
  }
}

export const notFound = (reason: string): never => {
  throw new Refusal(404, reason);
};

/** Refuses a request with 400, the place that is wrong, and what may have been meant. */
export const rejected = (reason: string, pointer = "", nearest?: string): never => {
  const message = `${reason}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  return rejectAll([{ pointer, message, ...(nearest === undefined ? {} : { nearest }) }]);
};

/** Refuses a request with 400 and every place that is wrong. */
export const rejectAll = (issues: ReadonlyArray<Issue>): never => {
  throw new Refusal(400, formatIssues(issues), issues);
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

/** The refusal that a handler's exception is; undefined where it is a failure of the sandbox. */
export const refusalOf = (cause: unknown): Refusal | undefined => {
  if (cause instanceof Refusal) return cause;
  return cause instanceof RegistrationRejected
    ? new Refusal(400, cause.message, [{ pointer: cause.at, message: cause.reason }])
    : undefined;
};

export const failureResponse = (cause: unknown, log: Log): ResponseOutput => {
  const refusal = refusalOf(cause);
  if (refusal === undefined) log("a request to the control plane failed", cause);
  const { issues, reason, status } =
    refusal ?? new Refusal(500, "the sandbox failed to answer; its log says why");
  return controlError(reason, status, issues.length === 0 ? {} : { issues });
};

const readJson = ({ body }: RequestInput): unknown => {
  const text = utf8Text(body) ?? rejected("the body is not UTF-8");
  if (depthOf(withoutStrings(text)) > MOST_DEPTH)
    rejected(`the body is nested deeper than ${MOST_DEPTH} levels`);
  const value = parseJson(text);
  return value === undefined ? rejected("the body is not JSON") : value;
};

/** The body of a request, if it fits the document; members where none has a meaning do not. */
export const readBody = <A>(document: Schema.Codec<A> | undefined, request: RequestInput): A => {
  if (document !== undefined) return checked(document, readJson(request));
  if (request.body.length > 0) checked(NO_MEMBERS, readJson(request));
  return undefined as A;
};

const NO_MEMBERS = Schema.Record(Schema.String, Schema.Never);

const checked = <A>(document: Schema.Codec<A>, value: unknown): A => {
  const issues = issuesOf(document, value);
  return issues.length > 0 ? rejectAll(issues) : (value as A);
};

/** The parameters of a query, each a known one of its type. */
export const readQuery = (url: string, types: ControlRoute["query"]): Asked<unknown>["query"] => {
  const search = types === undefined ? [] : new URLSearchParams(queryOf(url));
  return Object.fromEntries(
    [...search].map(([name, value]) => {
      const pointer = `?${name}`;
      if (!Object.hasOwn(types!, name)) rejectName(pointer, "parameter", name, Object.keys(types!));
      if (types![name] === "string") return [name, value];
      if (!/^\d{1,15}$/u.test(value)) rejected(`${name} is no whole number`, pointer);
      return [name, Number(value)];
    }),
  );
};
