/**
 * Runs a request through the steps of the sandbox, in this order: host, route, identity, faults,
 * rate limits, scopes, handler, headers, journal.
 *
 * A fault models the network and the edge in front of the service, so it runs before the rate
 * limits: what it answers by itself counts against no limit. A refusal by a limit is the service's
 * own response, and faults may still alter it. The control plane is neither limited nor journalled,
 * and no fault can lock a test out of it.
 */
import { ErrorCode } from "../contract.ts";
import type { Faults } from "../faults/Faults.ts";
import * as PerformFaults from "../faults/performFaults.ts";
import { HttpDate } from "../internal/instants.ts";
import { type Journal, noFacts, type Recorded, secretsIn } from "../journal/Journal.ts";
import type { Credentials } from "../oauth/TokenVerifier.ts";
import type { RateDecision } from "../rates/RateCounters.ts";
import { addRateHeaders } from "../rates/RateHeaders.ts";
import type { RateLimits } from "../rates/RateLimits.ts";
import { misdirectedRequest, unknownPath } from "./fallbacks.ts";
import type { HostCheck } from "./hostCheck.ts";
import { listenerOf } from "./Listener.ts";
import {
  empty,
  json,
  pathOf,
  queryOf,
  type RequestInput,
  type ResponseOutput,
  type WireEffect,
} from "./messages.ts";
import type { RequestContext, Route, RouteMatch, Router } from "./Router.ts";

/** Dependencies of the pipeline. */
export interface PipelineParts {
  readonly checkHost: HostCheck;
  readonly now: () => number;
  /** Real time since the start in milliseconds. */
  readonly monotonic: () => number;
  /** The id of the client that a header of HTTP Basic names, if one is registered under it. */
  readonly clientOf: (authorization: string | undefined) => string | undefined;
  readonly verify: (authorization: string | undefined) => Credentials;
  readonly rates: RateLimits;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly routers: { readonly auth: Router<Route>; readonly data: Router<Route> };
}

/** Rate decision and faults of a request. */
interface Outcome {
  decision: RateDecision | undefined;
  /** The decision whose headers are not among those of the response yet. */
  unsent: RateDecision | undefined;
  faults: ReadonlyArray<string>;
}

/** Answers requests to the OAuth server and the data API. */
export const makePipeline = (parts: PipelineParts): ((request: RequestInput) => ResponseOutput) => {
  const { checkHost, clientOf, faults, journal, monotonic, now, rates, routers, verify } = parts;
  const date = new HttpDate();
  const known = new Map<Route, RouteNames>();
  const namesOf = (match: RouteMatch<Route> | undefined): RouteNames => {
    if (match === undefined) return UNNAMED;
    let names = known.get(match.route);
    if (names === undefined) known.set(match.route, (names = routeNames(match.route)));
    return names;
  };

  const handle = (request: RequestInput): ResponseOutput => {
    const begun = monotonic();
    const at = now();
    const authorization = request.header("authorization");
    const credentials = verify(authorization);
    const listener = request.listener as "auth" | "data";
    const isHere = listenerOf(request.url) === listener;
    const match = isHere ? routers[listener].find(request.method, pathOf(request.url)) : undefined;
    const facts = noFacts();
    facts.sendsSecret = credentials.isBearer ? false : authorization !== undefined;
    facts.client = credentials.identity?.clientId ?? clientOf(authorization);
    const context: RequestContext = {
      request,
      now: at,
      params: match?.params ?? {},
      credentials,
      facts,
    };
    const outcome: Outcome = { decision: undefined, unsent: undefined, faults: [] };
    const { refused } = checkHost(request.header("host"));
    let response: ResponseOutput;
    if (refused !== undefined) response = misdirectedRequest(listener, refused);
    else response = throughFaults(context, match, outcome, isHere);
    const headers: Record<string, string> = { ...response.headers };
    if (outcome.unsent !== undefined) addRateHeaders(headers, outcome.unsent);
    // Node would write the real time; whoever waits for the next hour waits by this header.
    headers["date"] = date.at(now());
    const retryAfter = headers["retry-after"];
    const { name, template } = namesOf(match);
    const path = pathOf(request.url);
    const query = queryOf(request.url);
    const entry: Recorded = {
      id: 0,
      at,
      elapsedMillis: begun,
      listener,
      method: request.method,
      path,
      route: template ?? null,
      endpoint: name ?? null,
      parameters: name === undefined ? {} : parametersOf(query, context.params),
      request: requestKey(request),
      connection: request.connection,
      status: PerformFaults.isUnanswered(response) ? null : response.status,
      durationMillis: 0,
      clientId: facts.client ?? null,
      account: credentials.identity?.username ?? null,
      tokenHash: credentials.tokenHash,
      scopes: credentials.identity?.scopes ?? [],
      facts,
      secretsInUrl: query === "" ? [] : secretsIn(new URLSearchParams(query).keys()),
      userAgent: request.header("user-agent")?.slice(0, 200) ?? null,
      retryAfterMillis: retryAfter === undefined ? null : retryAfterMillis(retryAfter, at),
      policy: outcome.decision?.policy ?? null,
      limited: outcome.decision?.allowed === false,
      faults: outcome.faults,
      bytes: 0,
      isWhole: false,
      isEnded: false,
    };
    journal.write(entry);
    return {
      ...response,
      headers,
      onEnd: ({ bytes, isAnswered, isWhole }) => {
        entry.bytes = bytes;
        entry.isWhole = isWhole;
        if (!isAnswered) entry.status = null;
        entry.durationMillis = monotonic() - begun;
        journal.end(entry);
      },
    };
  };

  const throughFaults = (
    context: RequestContext,
    match: RouteMatch<Route> | undefined,
    outcome: Outcome,
    isHere: boolean,
  ): ResponseOutput => {
    if (faults.isEmpty) return throughLimits(context, match, outcome, isHere);
    const { credentials, facts, request } = context;
    const { endpoint, group, template } = namesOf(match);
    const plan = faults.plan({
      method: request.method,
      path: pathOf(request.url),
      group,
      endpoint,
      route: template,
      clientId: facts.client,
      accountName: credentials.identity?.username,
      accountUuid: credentials.identity?.sub,
      changeId: changeIdOf(group, request.url, context.params),
    });
    if (plan === undefined) return throughLimits(context, match, outcome, isHere);
    outcome.faults = plan.fired.map(({ id }) => id);
    const faulty: PerformFaults.FaultContext = {
      plan,
      hasSocket: request.hasSocket,
      isOAuth: group === "oauth",
      now: context.now,
    };
    const { delays, response } = PerformFaults.replaceResponse(faulty);
    if (response !== undefined) return delayed(response, delays);
    // Faults may change the headers of a limit, so they have to be there.
    const limited = withRateHeaders(throughLimits(context, match, outcome, isHere), outcome);
    const altered = PerformFaults.alterResponse(limited, faulty);
    PerformFaults.correctFacts(facts, plan);
    return delayed(altered, delays);
  };

  const throughLimits = (
    context: RequestContext,
    match: RouteMatch<Route> | undefined,
    outcome: Outcome,
    isHere: boolean,
  ): ResponseOutput => {
    const { request } = context;
    const listener = request.listener as "auth" | "data";
    if (match === undefined)
      return unknownPath(listener, request, isHere ? routers[listener] : undefined);
    const decision = decide(context, match);
    outcome.decision = decision;
    outcome.unsent = decision;
    if (decision?.allowed === false) return refusal(match.route);
    if (decision !== undefined && isPermittedProbe(context, match.route)) return empty(204);
    return match.route.handle(context);
  };

  const decide = (
    { credentials: { identity }, request }: RequestContext,
    match: RouteMatch<Route>,
  ): RateDecision | undefined => {
    const { endpoint, group } = namesOf(match);
    if (group === undefined || endpoint === undefined) return undefined;
    return rates.decide({
      group,
      endpoint,
      isProbe: request.method === "HEAD",
      requester: {
        ip: request.ip,
        clientId: identity?.clientId,
        clientKind: identity?.kind,
        account: identity?.sub,
        grant: identity?.grantType,
      },
    });
  };

  return handle;
};

/** The names of a route: only endpoints of the contract have any. */
interface RouteNames {
  readonly name: string | undefined;
  readonly group: string | undefined;
  readonly endpoint: string | undefined;
  /** The path template, without the words of its parameters. */
  readonly template: string | undefined;
}

const UNNAMED: RouteNames = {
  name: undefined,
  group: undefined,
  endpoint: undefined,
  template: undefined,
};

const routeNames = ({ name, template }: Route): RouteNames => {
  if (name === undefined) return UNNAMED;
  const at = name.indexOf(".");
  return {
    name,
    group: name.slice(0, at),
    endpoint: name.slice(at + 1),
    template: template.replace(/\([^)]*\)/gu, ""),
  };
};

const withRateHeaders = (response: ResponseOutput, outcome: Outcome): ResponseOutput => {
  if (outcome.unsent === undefined) return response;
  const headers = { ...response.headers };
  addRateHeaders(headers, outcome.unsent);
  outcome.unsent = undefined;
  return { ...response, headers };
};

const delayed = (response: ResponseOutput, delays: ReadonlyArray<WireEffect>): ResponseOutput =>
  delays.length === 0 ? response : { ...response, wire: [...delays, ...(response.wire ?? [])] };

/**
 * A `HEAD` on a data endpoint by somebody who may use it: answered with the rate headers alone, and
 * not counted. Anything else about it (no token, no scope) is for the service to say.
 */
const isPermittedProbe = (
  { credentials: { identity }, request }: RequestContext,
  { scopes = [] }: Route,
): boolean =>
  request.method === "HEAD" &&
  request.listener === "data" &&
  identity !== undefined &&
  scopes.every((scope) => identity.scopes.includes(scope));

/** 429: the error body of the listener (§7, and RFC 6749 §5.2 for the OAuth endpoints). */
const refusal = ({ name }: Route): ResponseOutput =>
  json(
    name?.startsWith("oauth.") === true
      ? { error: "temporarily_unavailable", error_description: "Rate limit exceeded" }
      : { error: { code: ErrorCode.RateLimitExceeded, message: "Rate limit exceeded" } },
    429,
    { "cache-control": "no-store" },
  );

/** The id that a page of a stream is asked for by. */
const changeIdOf = (
  group: string | undefined,
  url: string,
  params: Readonly<Record<string, string>>,
): string | undefined => {
  if (group === "currencyExchange") return params["id"];
  if (group !== "publicStashTabs") return undefined;
  return new URLSearchParams(queryOf(url)).get("id") ?? undefined;
};

/** Parameters of path and query by name; one that comes twice is left out. */
const parametersOf = (
  query: string,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  if (query === "") return params;
  const all: Record<string, string> = {};
  const search = new URLSearchParams(query);
  for (const [name, value] of search) if (search.getAll(name).length === 1) all[name] = value;
  return { ...all, ...params };
};

/** Equal for equal requests. The body counts by its length and a hash; none of it is kept. */
const requestKey = ({ body, method, url }: RequestInput): string => {
  let hash = 0x811c9dc5;
  for (const byte of body) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${method} ${url} ${body.length} ${hash >>> 0}`;
};

const retryAfterMillis = (value: string, now: number): number | null => {
  if (/^\d+(?:\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
};
