/**
 * The steps of the pipeline, in the order in which `RequestPipeline` chains them, and the exchange
 * that travels through them.
 *
 * Exchange and answer are read-only: what a step learns is in the exchange that it hands on, or in
 * the answer that it returns. Only `facts`, which handlers fill for the journal, is written while
 * it travels.
 */
import { ErrorCode } from "../contract.ts";
import type { Clients } from "../clients/Clients.ts";
import type { FaultRules } from "../faults/FaultRules.ts";
import * as PerformFaults from "../faults/performFaults.ts";
import { basicCredentials } from "../oauth/ClientAuthentication.ts";
import type { Credentials } from "../oauth/TokenVerifier.ts";
import {
  addRateHeaders,
  type RateDecision,
  rateIdentityOf,
  type RateLimits,
} from "../rates/RateLimits.ts";
import { misdirectedRequest, NO_STORE, unknownPath } from "./fallbacks.ts";
import type { HostCheck } from "./hostCheck.ts";
import { withoutWords } from "./Listener.ts";
import { empty, json, pathOf, queryOf, type ResponseOutput, type WireEffect } from "./messages.ts";
import type { RequestContext, Route, RouteMatch, Router } from "./Router.ts";

/** The names of a route: only endpoints of the contract have any. */
interface RouteNames {
  /** `group.endpoint`. */
  readonly name?: string;
  readonly group?: string;
  readonly endpoint?: string;
  /** The path template, without the words of its parameters. */
  readonly template?: string;
}

export interface NamedRoute extends Route {
  readonly names: RouteNames;
}

export interface Exchange extends RequestContext {
  readonly listener: "auth" | "data";
  /** Whether the path belongs to the listener that the request came to. */
  readonly isHere: boolean;
  readonly match: RouteMatch<NamedRoute> | undefined;
  readonly names: RouteNames;
}

/** A response, and who had a hand in it. */
export interface Answer {
  readonly response: ResponseOutput;
  /** Absent where the request was answered before anybody looked at its token. */
  readonly credentials?: Credentials;
  readonly decision?: RateDecision | undefined;
  /** Ids of the faults that fired. */
  readonly faults?: ReadonlyArray<string>;
}

/** Answers an exchange, or asks the next step. */
export type Step = (exchange: Exchange, next: (exchange: Exchange) => Answer) => Answer;

/** Chains steps in their order; `last` answers what none of them does. */
export const compose = (
  steps: ReadonlyArray<Step>,
  last: (exchange: Exchange) => Answer,
): ((exchange: Exchange) => Answer) =>
  steps.reduceRight<(exchange: Exchange) => Answer>(
    (next, step) => (exchange) => step(exchange, next),
    last,
  );

export const named = (route: Route): NamedRoute => {
  const { name, template } = route;
  if (name === undefined) return { ...route, names: UNNAMED };
  const [group, endpoint] = name.split(".") as [string, string];
  return { ...route, names: { name, group, endpoint, template: withoutWords(template) } };
};

export const UNNAMED: RouteNames = {};

/** Refuses a request under a name that is not the sandbox's, before anybody looks at its token. */
export const refuseForeignHost =
  (checkHost: HostCheck): Step =>
  (exchange, next) => {
    const { refused } = checkHost(exchange.request.header("host"));
    if (refused === undefined) return next(exchange);
    return { response: misdirectedRequest(exchange.listener, refused) };
  };

/** Finds out who asks: the identity behind the token, or the client that HTTP Basic names. */
export const identify =
  (verify: (authorization: string | undefined) => Credentials, clients: Clients): Step =>
  (exchange, next) => {
    const authorization = exchange.request.header("authorization");
    const credentials = verify(authorization);
    const { facts } = exchange;
    facts.sendsSecret = !credentials.isBearer && authorization !== undefined;
    facts.client = credentials.identity?.clientId ?? basicClient(clients, authorization);
    return { credentials, ...next({ ...exchange, credentials }) };
  };

/** A name that no client is registered under may be anything, a secret in the wrong place too. */
const basicClient = (clients: Clients, authorization = ""): string | undefined => {
  const name = /^basic /iu.test(authorization) ? basicCredentials(authorization)?.id : undefined;
  return name === undefined ? undefined : clients.byId(name)?.clientId;
};

/**
 * Carries out the faults that fire. A fault models the network and the edge in front of the
 * service: what it answers by itself counts against no limit, and it may alter a refusal.
 */
export const applyFaults =
  (faults: FaultRules): Step =>
  (exchange, next) => {
    const plan = faults.isEmpty ? undefined : faults.plan(targetOf(exchange));
    if (plan === undefined) return next(exchange);
    const { facts, names, now, request } = exchange;
    const isOAuth = names.group === "oauth";
    const faulty = { plan, hasSocket: request.hasSocket, isOAuth, now };
    const fired = plan.fired.map(({ id }) => id);
    const { delays, response } = PerformFaults.replaceResponse(faulty);
    if (response !== undefined) return { response: delayed(response, delays), faults: fired };
    const answer = next(exchange);
    const altered = PerformFaults.alterResponse(answer.response, faulty);
    PerformFaults.correctFacts(facts, plan);
    return { ...answer, response: delayed(altered, delays), faults: fired };
  };

export type Routers = Readonly<Record<"auth" | "data", Router<NamedRoute>>>;

export const refuseUnknownPath =
  (routers: Routers): Step =>
  (exchange, next) => {
    const { isHere, listener, match, request } = exchange;
    if (match !== undefined) return next(exchange);
    return { response: unknownPath(listener, request, isHere ? routers[listener] : undefined) };
  };

/** Counts a request against its policies, refuses it, and writes their headers. */
export const countByLimits =
  (rates: RateLimits): Step =>
  (exchange, next) => {
    const decision = decide(rates, exchange);
    if (decision === undefined) return next(exchange);
    const { response } = !decision.allowed
      ? { response: refusal(exchange) }
      : isPermittedProbe(exchange)
        ? { response: empty(204) }
        : next(exchange);
    const headers: Record<string, string> = { ...response.headers };
    addRateHeaders(headers, decision);
    return { response: { ...response, headers }, decision };
  };

const decide = (rates: RateLimits, { credentials, names, now, request }: Exchange) => {
  const { endpoint, group } = names;
  if (group === undefined || endpoint === undefined) return undefined;
  const identity = rateIdentityOf(request.ip, credentials.identity);
  return rates.decide({ group, endpoint, isProbe: request.method === "HEAD", now, identity });
};

export const targetOf = ({
  credentials: { identity },
  facts,
  names,
  params,
  request,
}: Exchange) => ({
  method: request.method,
  path: pathOf(request.url),
  group: names.group,
  endpoint: names.endpoint,
  route: names.template,
  grantType: grantTypeOf(request, names.name),
  clientId: facts.client,
  accountName: identity?.username,
  accountUuid: identity?.sub,
  changeId: changeIdOf(names.group, request.url, params),
});

/** The grant type of a token request; faults choose by it before its handler reads the form. */
const grantTypeOf = ({ body }: Exchange["request"], name: string | undefined): string | undefined =>
  name === "oauth.token"
    ? (new URLSearchParams(new TextDecoder().decode(body)).get("grant_type") ?? undefined)
    : undefined;

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

const delayed = (response: ResponseOutput, delays: ReadonlyArray<WireEffect>): ResponseOutput =>
  delays.length === 0 ? response : { ...response, wire: [...delays, ...(response.wire ?? [])] };

/**
 * A `HEAD` on a data endpoint by somebody who may use it: answered with the rate headers alone, and
 * not counted. Anything else about it (no token, no scope) is for the service to say.
 */
const isPermittedProbe = ({ credentials: { identity }, match, request }: Exchange): boolean =>
  request.method === "HEAD" &&
  request.listener === "data" &&
  identity !== undefined &&
  (match?.route.scopes ?? []).every((scope) => identity.scopes.includes(scope));

/** 429: the error body of the listener (§7, and RFC 6749 §5.2 for the OAuth endpoints). */
const refusal = ({ names: { group } }: Exchange): ResponseOutput =>
  json(
    group === "oauth"
      ? { error: "temporarily_unavailable", error_description: "Rate limit exceeded" }
      : { error: { code: ErrorCode.RateLimitExceeded, message: "Rate limit exceeded" } },
    429,
    NO_STORE,
  );
