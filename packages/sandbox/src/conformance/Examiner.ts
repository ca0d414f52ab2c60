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
import * as Effect from "effect/Effect";
import {
  checkAbsent,
  checkError,
  checkRateHeaders,
  checkRecord,
  parseBody,
  responseSchemas,
} from "./checks.ts";
import type { Deployment, Question } from "./Deployment.ts";
import { foundAt, type Exchange, type Found, type Observed } from "./report.ts";

/** Options of an examination. */
export interface ExamineOptions {
  /** Default: `pc`. */
  readonly realm: Realm;
  /** The league whose stashes and ladders are read. Default: one that the service lists. */
  readonly league: string | undefined;
  /** Number of pages of each stream. Default: 2. */
  readonly pages: number;
}

export type BodyCheck = (body: unknown) => ReadonlyArray<Found>;

/** Asks the deployment and reports. */
export type Examiner<E> = ReturnType<typeof makeExaminer<E>>;

export const makeExaminer = <E>(
  deployment: Deployment<E>,
  options: ExamineOptions,
  report: Array<Observed>,
) => {
  const { words } = deployment;
  const ask = asker(deployment, report);
  const questionOf = <Name extends RouteName>(name: Name, request: Requests[Name]): Question => {
    const { route, scopes }: Route = routes[name];
    const isGame2 = (request as { readonly realm?: string }).realm === "game2";
    const target = requestTarget(name, request, words);
    return { target, scopes, route: isGame2 ? `${route} game2` : route };
  };
  return {
    ...options,
    deployment,
    /** Lists something as not asked. */
    skip: (endpoint: string, reason: string): Effect.Effect<void> =>
      Effect.sync(() => void report.push({ endpoint, notAsked: reason })),
    /** Whether an endpoint has the realm. If not, it is listed as not asked. */
    has: (name: RouteName): boolean => {
      const { params, query }: Route = routes[name];
      const realms = (params["realm"] ?? query?.["realm"]) as ReadonlyArray<string> | undefined;
      const has = options.realm === "pc" || realms?.includes(options.realm) === true;
      if (!has)
        report.push({ endpoint: name, notAsked: `it does not have the realm ${options.realm}` });
      return has;
    },
    /**
     * Asks for a record. Returns the body in the specification's words; `undefined` if there is none.
     */
    read: <Name extends RouteName>(
      name: Name,
      request: Requests[Name],
      check: BodyCheck = () => [],
    ) =>
      ask(name, questionOf(name, request), (exchange, body) => {
        const found = checkRecord(exchange, responseSchemas(name), body);
        return exchange.status === 200 ? [...found, ...check(body)] : found;
      }),
    /** Asks for a name that does not exist. `member` is null in the response; if left out, 404. */
    readAbsent: <Name extends RouteName>(name: Name, request: Requests[Name], member?: string) =>
      ask(name, questionOf(name, request), (exchange, body) => checkAbsent(exchange, member, body)),
    /** Sends a bad request, which must be answered with an error of one of the statuses. */
    readError: (endpoint: string, question: Question, statuses: ReadonlyArray<number>) =>
      ask(endpoint, question, (exchange) => checkError(exchange, statuses)),
  };
};

type Judge = (exchange: Exchange, body: unknown) => ReadonlyArray<Found>;

/** Sends a request. Reports the response, or the reason for which there is none. */
const asker = <E>(deployment: Deployment<E>, report: Array<Observed>) =>
  Effect.fnUntraced(function* (endpoint: string, question: Question, judge: Judge) {
    const outcome = yield* deployment.ask(question);
    if ("reason" in outcome) {
      const { kind, reason } = outcome;
      const request = `GET ${question.target}`;
      report.push(
        kind === "not permitted"
          ? { endpoint, notAsked: reason }
          : { endpoint, request, policy: null, found: [noResponse(reason)] },
      );
      return undefined;
    }
    const isRoute = endpoint in routes;
    const { scopes } = question;
    if (outcome.status === 403 && isRoute && scopes.length > 0) {
      const which = scopes.join(", ");
      const reason = `the service permits it to no token of this session (403): ${which}`;
      return void report.push({ endpoint, notAsked: reason });
    }
    const isAbsent = outcome.status === 404 && checkError(outcome, [404]).length === 0;
    if (isAbsent && OF_ACCOUNT.has(endpoint))
      return void report.push({ endpoint, notAsked: "the account has none in this league (404)" });
    const json = parseBody(outcome);
    const body = isRoute ? responseFromWire(endpoint as RouteName, json, deployment.words) : json;
    const policy = outcome.headers.get("x-rate-limit-policy");
    const found = [...judge(outcome, body), ...checkRateHeaders(outcome)];
    report.push({ endpoint, request: outcome.request, policy, found });
    return outcome.status === 200 ? body : undefined;
  });

const noResponse = (reason: string): Found =>
  foundAt(["body", ""], "no-response", "a complete response", reason);

/**
 * Endpoints of data that an account may lack in a league: a list cannot be null there
 * (docs/choices.md).
 */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  "stashes.list",
  "guildStashes.list",
  "leagueAccounts.get",
]);
