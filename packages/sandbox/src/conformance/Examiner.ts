/** Sends the requests of an examination, and reports each response, or why a request was not sent. */
import {
  identityWords,
  type Realm,
  type Requests,
  requestTarget,
  responseFromWire,
  type Route,
  type RouteName,
  routes,
  type Scope,
  type Words,
} from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { parseJson, readBody } from "../internal/encoding.ts";
import { checkAbsent, checkError, checkRateHeaders, checkRecord } from "./checks.ts";
import { type BodyCheck, type Exchange, type Found, foundAt, type Observed } from "./report.ts";

/** A GET request that an examination sends. */
export interface Question {
  /** Path and query, in the deployment's words. */
  readonly target: string;
  /** Scopes of the token. If empty, the request is sent without a token. */
  readonly scopes: ReadonlyArray<Scope>;
  /** Token to send instead of a token with `scopes`, such as an unknown token. */
  readonly token?: string;
}

/** Realm, league and number of pages that an examination reads. */
export interface ExamineOptions {
  /** Realm of the requests. Default: `pc`. */
  readonly realm: Realm;
  /** The league whose stashes and ladders are read. Default: one that the service lists. */
  readonly league: string | undefined;
  /** Number of pages of each stream. Default: 2. */
  readonly pages: number;
}

type Judge = (exchange: Exchange, body: unknown) => ReadonlyArray<Found>;

/** The parameters of a request without its realm, or the reason for which it cannot be sent. */
type Asked<Name extends RouteName> = Omit<Requests[Name], "realm"> | string;

export type Examiner = ReturnType<typeof makeExaminer>;

export const makeExaminer = (
  deployment: Deployment,
  options: ExamineOptions,
  report: Array<Observed>,
) => {
  const { words = identityWords } = deployment;
  const skip = (endpoint: string, reason: string): Effect.Effect<undefined> =>
    Effect.sync(() => void report.push({ endpoint, notAsked: reason }));

  /** Sends a request. Returns the body of a 200 in the specification's words, else `undefined`. */
  const ask = Effect.fnUntraced(function* (endpoint: string, question: Question, judge: Judge) {
    const { scopes, target } = question;
    const token = question.token ?? (yield* tokenOf(deployment, scopes));
    if (token === undefined && scopes.length > 0)
      return yield* skip(endpoint, `no token for ${scopes.join(", ")}`);
    const sent = yield* Effect.result(send(deployment, target, token));
    if (Result.isFailure(sent)) {
      const reason = String(sent.failure.cause);
      const lost = foundAt(["body", ""], "no-response", "a complete response", reason);
      return void report.push({ endpoint, request: `GET ${target}`, found: [lost] });
    }
    const outcome = sent.success;
    const isRoute = endpoint in routes;
    if (outcome.status === 403 && isRoute && scopes.length > 0) {
      const reason = `the service permits it to no token of this session (403): ${scopes.join(", ")}`;
      return yield* skip(endpoint, reason);
    }
    if (OF_ACCOUNT.has(endpoint) && checkError(outcome, [404]).length === 0)
      return yield* skip(endpoint, "the account has none in this league (404)");
    const body = isRoute
      ? responseFromWire(endpoint as RouteName, outcome.body, words)
      : outcome.body;
    const found = [...judge(outcome, body), ...checkRateHeaders(outcome)];
    report.push({ endpoint, request: `GET ${target}`, found });
    return outcome.status === 200 ? body : undefined;
  });

  const askEndpoint = <Name extends RouteName>(name: Name, asked: Asked<Name>, judge: Judge) => {
    const { params, query, scopes }: Route = routes[name];
    const { realm } = options;
    const realms = (params["realm"] ?? query?.["realm"]) as ReadonlyArray<string> | undefined;
    if (realm !== "pc" && realms?.includes(realm) === false)
      return skip(name, `it does not have the realm ${realm}`);
    if (typeof asked === "string") return skip(name, asked);
    const named = realm === "pc" || realms === undefined ? asked : { ...asked, realm };
    const target = requestTarget(name, named as Requests[Name], words);
    return ask(name, { target, scopes }, judge);
  };

  return {
    ...options,
    deployment,
    skip,
    /** Requests a record, and checks the response. */
    read: <Name extends RouteName>(name: Name, asked: Asked<Name>, check: BodyCheck = () => []) =>
      askEndpoint(name, asked, (exchange, body) => [
        ...checkRecord(exchange, name, body),
        ...(exchange.status === 200 ? check(body) : []),
      ]),
    /**
     * Requests a name that does not exist. The response must have null as `member`, or be a 404 if
     * `member` is undefined.
     */
    readAbsent: <Name extends RouteName>(name: Name, asked: Asked<Name>, member?: string) =>
      askEndpoint(name, asked, (exchange, body) => checkAbsent(exchange, member, body)),
    /** Sends a bad request, which must be answered with an error of a status. */
    readError: (endpoint: string, question: Question, status: number) =>
      ask(endpoint, question, (exchange) => checkError(exchange, [status])),
  };
};

/** Endpoints that are 404 without data, because a list cannot be null (docs/choices.md). */
const OF_ACCOUNT = new Set(["stashes.list", "guildStashes.list", "leagueAccounts.get"]);

/** A service to examine, and the source of its access tokens. */
export interface Deployment {
  readonly baseUrl: string;
  /** Resolves to an access token for exactly these scopes; `undefined` if there is none. */
  readonly tokenFor: (scopes: ReadonlyArray<Scope>) => Promise<string | undefined>;
  /** The deployment's words for realms and fields. Default: the specification's. */
  readonly words?: Words;
  /** Sends the requests, and waits for rate limits if the service has any. Default: the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Requests a token. Returns `undefined` if there is none, or if `tokenFor` rejects. */
export const tokenOf = ({ tokenFor }: Deployment, scopes: ReadonlyArray<Scope>) =>
  scopes.length === 0
    ? Effect.undefined
    : Effect.promise(() => tokenFor(scopes).catch(() => undefined));

/** Sends a request. Succeeds with the response as it arrived, of any status. */
const send = (
  { baseUrl, fetch: sendRequest = fetch }: Deployment,
  target: string,
  token: string | undefined,
) =>
  Effect.tryPromise(async (): Promise<Exchange> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await sendRequest(new Request(`${baseUrl}${target}`, { headers }));
    const { headers: received, status } = response;
    const bytes = await readBody(response, MAX_BYTES);
    if (bytes === undefined) throw new RangeError(`The body has more than ${MAX_BYTES} bytes.`);
    return { status, headers: received, body: parseJson(new TextDecoder().decode(bytes)) };
  });

/** Maximum size of a body after decompression, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
