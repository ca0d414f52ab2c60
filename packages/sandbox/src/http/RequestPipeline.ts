/**
 * Runs every request to the OAuth server and the data API through journal, faults and rate limits,
 * then through the service.
 *
 * One middleware, because all three need the endpoint and the client. Order matters: faults model
 * the network and the edge, so they run before rate limits.
 *
 * A path of another listener, or a foreign `Host`, is refused here as well: journalled, at the virtual
 * time, and counted by no limit. Requests to the control plane are neither limited nor journalled,
 * and no fault can lock a test out of it; they only pass its guard.
 */
import { ErrorCode } from "@game-data/contract";
import type * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Layer from "effect/Layer";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerError from "effect/http/HttpServerError";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { Clients } from "../clients/Clients.ts";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { SandboxConfig } from "../Config.ts";
import { Faults } from "../faults/Faults.ts";
import * as PerformFaults from "../faults/performFaults.ts";
import { type HostCheckResult, makeHostCheck } from "./hostCheck.ts";
import { misdirectedRequest, withNotFound, unknownPath } from "./fallbacks.ts";
import { CurrentListener, type Listener, listenerOf } from "./Listener.ts";
import { Journal, shownParameters } from "../journal/Journal.ts";
import { type Identity, TokenVerifier } from "../oauth/TokenVerifier.ts";
import type { RateDecision } from "../rates/RateCounters.ts";
import { rateHeaders } from "../rates/RateHeaders.ts";
import { RateLimits } from "../rates/RateLimits.ts";
import * as ControlGuard from "../control/ControlGuard.ts";
import { type RouteMatch, RouteTable } from "./RouteTable.ts";

type Response = HttpServerResponse.HttpServerResponse;

/** The pipeline as a global middleware of the sandbox's router. */
export const RequestPipeline: Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter
  | SandboxConfig
  | SandboxClock
  | Clients
  | TokenVerifier
  | RateLimits
  | Faults
  | Journal
> = HttpRouter.middleware(
  Effect.gen(function* () {
    const config = yield* SandboxConfig;
    const clock = yield* SandboxClock;
    const clients = yield* Clients;
    const verifier = yield* TokenVerifier;
    const rates = yield* RateLimits;
    const faults = yield* Faults;
    const journal = yield* Journal;
    const table = new RouteTable();
    const date = new HttpDate();
    const checkHost = makeHostCheck(config, config.hosts);

    /**
     * Everything that is told from the request alone. A path of another listener is no endpoint here.
     */
    const readContext = (
      request: HttpServerRequest.HttpServerRequest,
      listener: "auth" | "data",
    ): RequestContext => {
      const { authorization } = request.headers;
      const identity = verifier.identify(authorization);
      const isHere = listenerOf(request.url) === listener;
      return {
        request,
        listener,
        isHere,
        identity,
        match: isHere ? table.match(request.method, request.url) : undefined,
        at: clock.nowUnsafe(),
        clientId: identity?.clientId ?? registered(basicUser(authorization)),
      };
    };

    /**
     * A name that no client is registered under may be anything, a secret in the wrong place too.
     */
    const registered = (name: string | undefined): string | undefined =>
      name === undefined ? undefined : clients.byId(name)?.clientId;

    const decide = ({ identity, match, request }: RequestContext): RateDecision | undefined =>
      match === undefined
        ? undefined
        : rates.decide({
            group: match.route.group,
            endpoint: match.route.endpoint,
            isProbe: request.method === "HEAD",
            requester: {
              ip: addressOf(request),
              clientId: identity?.clientId,
              clientKind: identity?.kind,
              account: identity?.sub,
              grant: identity?.grantType,
            },
          });

    const write = (
      context: RequestContext,
      outcome: Outcome,
      status: number | null,
      durationMillis: number,
    ) =>
      journal.write({
        at: context.at,
        listener: context.listener,
        method: context.request.method,
        route: context.match?.route.template ?? null,
        endpoint: context.match?.route.name ?? null,
        parameters: shownParameters(Object.entries(context.match?.parameters ?? {})),
        status,
        durationMillis,
        clientId: context.clientId ?? null,
        account: context.identity?.username ?? null,
        policy: outcome.decision?.policy ?? null,
        limited: outcome.decision?.allowed === false,
        faults: outcome.faults,
      });

    return (service) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const listener = yield* CurrentListener;
        const host = checkHost(request);
        if (listener === "control") return yield* control(request, host, service);
        const { monotonicTimeNanosUnsafe } = yield* Clock.Clock;
        const begun = monotonicTimeNanosUnsafe();
        const context = readContext(request, listener);
        const outcome: Outcome = { decision: undefined, faults: [] };
        const answered =
          host.refused === undefined
            ? pass(context, outcome, here(context, service))
            : Effect.succeed(misdirectedRequest(listener, host.refused));
        return yield* answered.pipe(
          Effect.onExit((exit) =>
            Effect.map(statusOf(exit), (status) => {
              const millis = Number(monotonicTimeNanosUnsafe() - begun) / 1e6;
              write(context, outcome, status, millis);
            }),
          ),
          // Node would write the real time; whoever waits for the next hour waits by this header.
          Effect.map(HttpServerResponse.setHeader("date", date.at(clock.nowUnsafe()))),
        );
      });

    function pass<E, R>(
      context: RequestContext,
      outcome: Outcome,
      service: Effect.Effect<Response, E, R>,
    ) {
      return Effect.gen(function* () {
        const plan = faults.plan({
          method: context.request.method,
          path: context.request.url.split("?", 1)[0] ?? "/",
          group: context.match?.route.group,
          endpoint: context.match?.route.endpoint,
          route: context.match?.route.template,
          clientId: context.clientId,
          accountName: context.identity?.username,
          accountUuid: context.identity?.sub,
          changeId: changeIdOf(context.match),
        });
        if (plan === undefined) return yield* answer(context, outcome, service);
        outcome.faults = plan.fired.map(({ id }) => id);
        const faulty: PerformFaults.FaultContext = {
          plan,
          request: context.request,
          isOAuth: context.match?.route.group === "oauth",
          now: context.at,
        };
        const instead = yield* PerformFaults.replaceResponse(faulty);
        if (instead !== undefined) return instead;
        return yield* PerformFaults.alterResponse(yield* answer(context, outcome, service), faulty);
      });
    }

    function answer<E, R>(
      context: RequestContext,
      outcome: Outcome,
      service: Effect.Effect<Response, E, R>,
    ) {
      const decision = decide(context);
      outcome.decision = decision;
      if (decision === undefined) return service;
      const headers = rateHeaders(decision);
      if (!decision.allowed) return Effect.succeed(refusal(context, headers));
      if (isPermittedProbe(context))
        return Effect.succeed(HttpServerResponse.empty({ status: 204, headers }));
      return Effect.map(service, HttpServerResponse.setHeaders(headers));
    }
  }),
  { global: true },
);

/** The service as a listener shows it: nothing of the paths of other listeners. */
const here = <E, R>(
  {
    listener,
    isHere,
    request,
  }: Pick<RequestContext, "isHere" | "request"> & { readonly listener: Listener },
  service: Effect.Effect<Response, E, R>,
): Effect.Effect<Response, E, R> =>
  isHere
    ? withNotFound(service, listener, request)
    : Effect.succeed(unknownPath(listener, request));

/** The control plane behind its guard. */
const control = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  host: HostCheckResult,
  service: Effect.Effect<Response, E, R>,
): Effect.Effect<Response, E, R> => {
  if (host.refused !== undefined)
    return Effect.succeed(misdirectedRequest("control", host.refused));
  const reason = ControlGuard.rejectionReason(request, host.origin);
  if (reason !== undefined) return Effect.succeed(ControlGuard.refuse(reason));
  const isHere = listenerOf(request.url) === "control";
  return here({ listener: "control", isHere, request }, service);
};

/** HTTP dates (RFC 9110 §5.6.7), written once a second. */
class HttpDate {
  #second = -1;
  #text = "";

  at(millis: number): string {
    const second = Math.floor(millis / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}

/** A request as the gate sees it. */
interface RequestContext {
  readonly request: HttpServerRequest.HttpServerRequest;
  /** The listener at whose address it arrived. */
  readonly listener: "auth" | "data";
  /** Whether its path is one of that listener. */
  readonly isHere: boolean;
  readonly identity: Identity | undefined;
  readonly match: RouteMatch | undefined;
  readonly at: number;
  readonly clientId: string | undefined;
}

/** What became of it. */
interface Outcome {
  decision: RateDecision | undefined;
  faults: ReadonlyArray<string>;
}

/**
 * A `HEAD` on a data endpoint by somebody who may use it: answered with the rate headers alone, and
 * not counted. Anything else about it — no token, no scope — is for the service to say.
 */
const isPermittedProbe = ({ identity, match, request }: RequestContext): boolean =>
  request.method === "HEAD" &&
  match !== undefined &&
  match.route.group !== "oauth" &&
  identity !== undefined &&
  match.route.scopes.every((scope) => identity.scopes.includes(scope));

/**
 * 429: the error body of the listener that was asked (§7, and RFC 6749 §5.2 for the OAuth endpoints).
 */
const refusal = ({ match }: RequestContext, headers: Readonly<Record<string, string>>): Response =>
  HttpServerResponse.jsonUnsafe(
    match?.route.group === "oauth"
      ? { error: "temporarily_unavailable", error_description: "Rate limit exceeded" }
      : { error: { code: ErrorCode.RateLimitExceeded, message: "Rate limit exceeded" } },
    { status: 429, headers: { ...headers, "cache-control": "no-store" } },
  );

/** The address of the peer. In a sandbox without a port everybody is the same machine. */
const addressOf = (request: HttpServerRequest.HttpServerRequest): string =>
  request.remoteAddress._tag === "Some" ? request.remoteAddress.value : "127.0.0.1";

/**
 * The id that a page of a stream is asked for by: a query parameter of one stream, a path segment
 * of the other.
 */
const changeIdOf = (match: RouteMatch | undefined): string | undefined => {
  const isStream =
    match?.route.group === "publicStashTabs" || match?.route.group === "currencyExchange";
  const id = isStream ? match.parameters["id"] : undefined;
  return typeof id === "string" ? id : undefined;
};

/**
 * The user of basic credentials: a client id, with client authentication at the token endpoints
 * (RFC 6749 §2.3.1).
 */
const basicUser = (authorization: string | undefined): string | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/iu.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const user = Buffer.from(encoded, "base64").toString("utf8").split(":", 1)[0] ?? "";
  try {
    return decodeURIComponent(user.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};

/** The status that a request ends with, also where Effect makes an answer out of a failure. */
const statusOf = <E>(exit: Exit.Exit<Response, E>): Effect.Effect<number | null> => {
  if (Exit.isSuccess(exit))
    return Effect.succeed(exit.value === PerformFaults.connectionReset ? null : exit.value.status);
  return isAbandoned(exit.cause)
    ? Effect.succeed(null)
    : Effect.map(HttpServerError.causeResponse(exit.cause), ([response]) => response.status);
};

const isAbandoned = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.every((reason) => reason._tag === "Interrupt");
