/**
 * Sends the requests of an examination, and reports each response or the reason for which a request
 * was not sent.
 */
import {
  type Realm,
  requestTarget,
  type Requests,
  responseFromWire,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract";
import { Failure } from "@game-data/terminal/Failure";
import { type PackageError, toFailure } from "@game-data/terminal/toFailure";
import { Effect } from "effect";
import { schemasOf } from "../session/recordKinds.ts";
import { checkAbsent, checkError, checkRateHeaders, checkRecord, parseBody } from "./checks.ts";
import type { Deployment, Question } from "./Deployment.ts";
import type { Exchange, Found, ReportBuilder } from "./report.ts";

/** Options of an examination. */
export interface ExamineOptions {
  readonly realm: Realm;
  /** The league whose stashes and ladders are read. Default: one that the service lists. */
  readonly league: string | undefined;
  /** Number of pages of each stream. */
  readonly pages: number;
}

/** Compares a body with what was asked for. */
export type BodyCheck = (body: unknown) => ReadonlyArray<Found>;

/** Asks the deployment and reports. */
export interface Examiner extends ExamineOptions {
  /** Whether an endpoint has the realm. If not, it is listed as not asked. */
  readonly has: (name: RouteName) => boolean;
  /**
   * Asks for a record. Returns the body in the specification's words; `undefined` if there is none.
   */
  readonly read: <Name extends RouteName>(
    name: Name,
    request: Requests[Name],
    check?: BodyCheck,
  ) => Effect.Effect<unknown, Failure>;
  /** Asks for a name that does not exist. `member` is null in the response; if left out, 404. */
  readonly readAbsent: <Name extends RouteName>(
    name: Name,
    request: Requests[Name],
    member?: string,
  ) => Effect.Effect<unknown, Failure>;
  /** Sends a bad request, which must be answered with an error of one of the statuses. */
  readonly readError: (
    endpoint: string,
    question: Question,
    statuses: ReadonlyArray<number>,
  ) => Effect.Effect<unknown, Failure>;
  /** Lists something as not asked. */
  readonly skip: (endpoint: string, reason: string) => Effect.Effect<void>;
  readonly deployment: Deployment;
}

/** Makes an examiner that writes to a report. */
export const makeExaminer = (
  deployment: Deployment,
  options: ExamineOptions,
  report: ReportBuilder,
): Examiner => {
  const { words } = deployment;

  /** Sends a request. Reports the response, or the reason for which it was not sent. */
  const ask = (
    endpoint: string,
    question: Question,
    judge: (exchange: Exchange, body: unknown) => Effect.Effect<ReadonlyArray<Found>, Failure>,
  ): Effect.Effect<unknown, Failure> =>
    Effect.gen(function* () {
      const outcome = yield* deployment
        .ask(question)
        .pipe(Effect.catch((error) => Effect.succeed({ failed: error as PackageError | Failure })));
      if ("failed" in outcome) return yield* unanswered(endpoint, question, outcome.failed);
      if (outcome.status === 403 && question.scopes.length > 0)
        return void report.notAsked(
          endpoint,
          `the service permits it to no token of this session (403): ${question.scopes.join(", ")}`,
        );
      const isAbsent = outcome.status === 404 && checkError(outcome, [404]).length === 0;
      if (isAbsent && OF_ACCOUNT.has(endpoint))
        return void report.notAsked(endpoint, "the account has none in this league (404)");
      const json = parseBody(outcome);
      const body = endpoint in routes ? responseFromWire(endpoint as RouteName, json, words) : json;
      const found = [...(yield* judge(outcome, body)), ...checkRateHeaders(outcome)];
      const policy = outcome.headers.get("x-rate-limit-policy");
      report.asked(endpoint, outcome.request, policy, found);
      return outcome.status === 200 ? body : undefined;
    });

  const unanswered = (endpoint: string, { target }: Question, error: PackageError | Failure) => {
    const failed = error instanceof Failure ? error : toFailure(error);
    if (NOT_PERMITTED.has(failed.code) || tagOf(error) === "InvalidScope")
      return Effect.sync(() => report.notAsked(endpoint, failed.message));
    // Before the first response the address or the settings are wrong, not the service.
    if (report.requests === 0 || STOPS.has(failed.code)) return Effect.fail(failed);
    return Effect.sync(() =>
      report.asked(endpoint, `GET ${target}`, null, [
        {
          in: "body",
          at: "",
          kind: "no-response",
          expected: "a complete response",
          actual: failed.message,
        },
      ]),
    );
  };

  const questionOf = <Name extends RouteName>(name: Name, request: Requests[Name]): Question => {
    const { route, scopes }: Route = routes[name];
    const isGame2 = (request as { readonly realm?: string }).realm === "game2";
    const target = requestTarget(name, request, words);
    return { target, scopes, route: isGame2 ? `${route} game2` : route };
  };

  const skip = (endpoint: string, reason: string) =>
    Effect.sync(() => report.notAsked(endpoint, reason));

  return {
    ...options,
    deployment,
    skip,
    has: (name) => {
      const { params, query }: Route = routes[name];
      const realms = (params["realm"] ?? query?.["realm"]) as ReadonlyArray<string> | undefined;
      const has = options.realm === "pc" || realms?.includes(options.realm) === true;
      if (!has) report.notAsked(name, `it does not have the realm ${options.realm}`);
      return has;
    },
    read: (name, request, check = () => []) =>
      ask(name, questionOf(name, request), (exchange, body) =>
        Effect.map(schemasOf(name), (schemas) => {
          const found = checkRecord(exchange, schemas, body);
          return exchange.status === 200 ? [...found, ...check(body)] : found;
        }),
      ),
    readAbsent: (name, request, member) =>
      ask(name, questionOf(name, request), (exchange, body) =>
        Effect.succeed(checkAbsent(exchange, member, body)),
      ),
    readError: (endpoint, question, statuses) =>
      ask(endpoint, question, (exchange) => Effect.succeed(checkError(exchange, statuses))),
  };
};

const tagOf = (error: { readonly _tag: string }): string => error._tag;

/** A token for the scopes cannot be had: the endpoint is not asked. */
const NOT_PERMITTED: ReadonlySet<string> = new Set(["not-signed-in", "scope-missing"]);

/**
 * Endpoints of data that an account may lack in a league: a list cannot be null there
 * (docs/choices.md).
 */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  "stashes.list",
  "guildStashes.list",
  "leagueAccounts.get",
]);

/** Going on would only make it worse, or fail in the same way. */
const STOPS: ReadonlySet<string> = new Set([
  "rate-limited",
  "setting-invalid",
  "setting-missing",
  "client-rejected",
  "token-store-failed",
  "internal",
]);
