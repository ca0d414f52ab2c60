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
import { rateHeaders } from "../rates/RateHeaders.ts";
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

/** What the pipeline works with. */
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

/** What became of a request. */
interface Outcome {
  decision: RateDecision | undefined;
  faults: ReadonlyArray<string>;
}

/** Answers requests to the OAuth server and the data API. */
export const makePipeline = (parts: PipelineParts): ((request: RequestInput) => ResponseOutput) => {
  const { checkHost, clientOf, faults, journal, monotonic, now, rates, routers, verify } = parts;
  const date = new HttpDate();

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
    const outcome: Outcome = { decision: undefined, faults: [] };
    const { refused } = checkHost(request.header("host"));
    let response: ResponseOutput;
    if (refused !== undefined) response = misdirectedRequest(listener, refused);
    else response = throughFaults(context, match, outcome, isHere);
    const retryAfter = response.headers["retry-after"];
    const isNamed = match?.route.name !== undefined;
    const parameters = isNamed ? parametersOf(request.url, context.params) : {};
    const entry: Recorded = {
      id: 0,
      at,
      elapsedMillis: begun,
      listener,
      method: request.method,
      path: pathOf(request.url),
      route: isNamed ? (match?.route.template.replace(PATTERN, "") ?? null) : null,
      endpoint: match?.route.name ?? null,
      parameters,
      request: requestKey(request),
      connection: request.connection,
      status: PerformFaults.isUnanswered(response) ? null : response.status,
      durationMillis: 0,
      clientId: facts.client ?? null,
      account: credentials.identity?.username ?? null,
      tokenHash: credentials.tokenHash,
      scopes: credentials.identity?.scopes ?? [],
      facts,
      secretsInUrl: secretsIn(namesIn(request.url)),
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
      // Node would write the real time; whoever waits for the next hour waits by this header.
      headers: { ...response.headers, date: date.at(now()) },
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
    const { credentials, facts, request } = context;
    const [group, endpoint] = match?.route.name?.split(".") ?? [];
    const plan = faults.plan({
      method: request.method,
      path: pathOf(request.url),
      group,
      endpoint,
      route:
        match?.route.name === undefined ? undefined : match.route.template.replace(PATTERN, ""),
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
    const altered = PerformFaults.alterResponse(
      throughLimits(context, match, outcome, isHere),
      faulty,
    );
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
    const decision = decide(context, match.route);
    outcome.decision = decision;
    if (decision === undefined) return match.route.handle(context);
    const headers = rateHeaders(decision);
    if (!decision.allowed) return refusal(match.route, headers);
    if (isPermittedProbe(context, match.route)) return empty(204, headers);
    const response = match.route.handle(context);
    return { ...response, headers: { ...response.headers, ...headers } };
  };

  const decide = (
    { credentials: { identity }, request }: RequestContext,
    { name }: Route,
  ): RateDecision | undefined => {
    if (name === undefined) return undefined;
    const at = name.indexOf(".");
    return rates.decide({
      group: name.slice(0, at),
      endpoint: name.slice(at + 1),
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

const PATTERN = /\([^)]*\)/gu;

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
const refusal = ({ name }: Route, headers: Readonly<Record<string, string>>): ResponseOutput =>
  json(
    name?.startsWith("oauth.") === true
      ? { error: "temporarily_unavailable", error_description: "Rate limit exceeded" }
      : { error: { code: ErrorCode.RateLimitExceeded, message: "Rate limit exceeded" } },
    429,
    { ...headers, "cache-control": "no-store" },
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
  url: string,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const query = queryOf(url);
  if (query === "") return params;
  const all: Record<string, string> = {};
  const search = new URLSearchParams(query);
  for (const [name, value] of search) if (search.getAll(name).length === 1) all[name] = value;
  return { ...all, ...params };
};

const namesIn = (url: string): Iterable<string> => {
  const query = queryOf(url);
  return query === "" ? [] : new URLSearchParams(query).keys();
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
