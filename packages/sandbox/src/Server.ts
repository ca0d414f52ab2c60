/**
 * Answers every request to the OAuth server and the data API: identifies the caller, performs faults,
 * counts the request against the rate limits, and writes the journal.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as Response from "effect/http/HttpServerResponse";
import * as Option from "effect/Option";
import type { SandboxState } from "./State.ts";
import { makeAnswerData } from "./data/answerData.ts";
import { filterHandlers, openFilters } from "./data/filterHandlers.ts";
import type { WordsTranslation } from "./data/words.ts";
import { worldHandlers } from "./data/worldHandlers.ts";
import { FaultRules, type Fired, NONE_FIRED } from "./faults/FaultRules.ts";
import * as Faults from "./faults/perform.ts";
import { compress, makeAcceptedCoding } from "./http/compress.ts";
import { type HostCheck, makeCors, makeHostCheck } from "./http/origins.ts";
import {
  type DataFailure,
  dataFailure,
  misdirected,
  unknownAuthPath,
  unknownDataPath,
} from "./http/errors.ts";
import {
  type Actor,
  type Credentials,
  type Exchange,
  type Incoming,
  NO_CREDENTIALS,
} from "./http/Exchange.ts";
import { findEndpoint, METHODS, splitUrl } from "./http/routes.ts";
import { entryOf, Journal, noFacts, noteResponse, type Recorded } from "./journal/Journal.ts";
import { basicCredentials, makeMisplacedSecrets, makeVerify } from "./oauth/authenticate.ts";
import { OAuthFailure, refuse } from "./oauth/OAuthFailure.ts";
import { makePages } from "./oauth/pages.ts";
import { makeTokenEndpoints } from "./oauth/tokenEndpoints.ts";
import { makeTokenGrants } from "./oauth/TokenGrants.ts";
import { identities, RateLimits } from "./rates/RateLimits.ts";
import { rateProfiles } from "./rates/RatePolicies.ts";
import { WorldModel } from "./world/WorldModel.ts";

type Answer = Response.HttpServerResponse;
type Failure = OAuthFailure | DataFailure;

export type Server = ReturnType<typeof makeServer>;

export const makeServer = (state: SandboxState, words?: WordsTranslation) => {
  const { accounts, clock, config, platform, store } = state;
  const faults = new FaultRules(clock.now);
  const world = new WorldModel({
    seed: config.seed,
    worldStart: state.worldStart,
    accounts: accounts.all,
    options: config.world,
    now: clock.now,
  });
  const filters = openFilters(store, accounts, world);
  const answerData = makeAnswerData(
    { ...worldHandlers(world, accounts), ...filterHandlers(filters, world, words) },
    words,
  );
  const tokenGrants = makeTokenGrants(state);
  const tokens = makeTokenEndpoints(state, tokenGrants);
  const pages = makePages(state, () => faults.forgesState());
  const context: ServerContext = {
    state,
    words,
    faults,
    rates: new RateLimits(
      typeof config.rates === "string" ? rateProfiles[config.rates] : config.rates,
    ),
    journal: new Journal(config.journal),
    startedAt: platform.monotonic(),
    verify: makeVerify(state),
    misplacedSecrets: makeMisplacedSecrets(state),
    checkHost: makeHostCheck(config),
    cors: makeCors(config.tokenOrigins),
    acceptedCoding: makeAcceptedCoding(platform),
    answer: (exchange) => {
      const { listener, match, method, path } = exchange;
      if (listener === "data")
        return match === undefined
          ? Effect.fail(unknownDataPath(exchange, config.controlUrl))
          : answerData(exchange);
      if (match === undefined)
        return TOKEN_ENDPOINT.test(path) && METHODS.includes(method)
          ? tokens.wrongMethod(exchange)
          : Effect.succeed(unknownAuthPath(exchange, config.controlUrl));
      switch (match.name) {
        case "oauth.token":
          return tokens.token(exchange);
        case "oauth.revoke":
          return tokens.revoke(exchange);
        case "oauth.introspect":
          return tokens.introspect(exchange);
        default:
          return pages(exchange);
      }
    },
  };
  const { checkHost, journal, rates, startedAt } = context;
  const respond = makeRespond(context);
  const parts = { state, words, checkHost, faults, rates, journal, startedAt };
  return { ...parts, tokenGrants, answerData, respond };
};

const TOKEN_ENDPOINT = /^\/oauth\/token(?:\/revoke|\/introspect)?$/u;

interface ServerContext {
  readonly state: SandboxState;
  readonly words: WordsTranslation | undefined;
  readonly faults: FaultRules;
  readonly rates: RateLimits;
  readonly journal: Journal;
  /** Start of the sandbox, in milliseconds of the platform's monotonic clock. */
  readonly startedAt: number;
  readonly verify: (authorization: string) => Credentials;
  readonly misplacedSecrets: ReturnType<typeof makeMisplacedSecrets>;
  readonly checkHost: HostCheck;
  readonly cors: ReturnType<typeof makeCors>;
  readonly acceptedCoding: ReturnType<typeof makeAcceptedCoding>;
  /** Calls the endpoint's handler, without faults and rate limits. */
  readonly answer: (exchange: Exchange) => Effect.Effect<Answer, Failure>;
}

/** Makes the function that answers requests. For the control plane, `actor` is the user. */
const makeRespond =
  (context: ServerContext) =>
  (listener: Exchange["listener"], incoming: Incoming, actor?: Actor): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const { checkHost, state, cors, journal } = context;
      const received = state.platform.monotonic();
      const exchange = openExchange(context, listener, incoming, actor);
      const { refused } = checkHost(exchange.headers.host);
      if (refused === undefined) identify(context, exchange);
      const preflight = refused === undefined ? cors.preflight(exchange) : undefined;
      if (preflight !== undefined) return Effect.succeed(cors.expose(exchange, preflight));
      const entry = entryOf(exchange, received - context.startedAt);
      journal.write(entry);
      const fired =
        refused === undefined && !context.faults.isEmpty
          ? context.faults.fire(targetOf(state, exchange))
          : NONE_FIRED;
      entry.faults = fired.faults.map(({ id }) => id);
      const end = (isWhole: boolean, isAnswered: boolean): void =>
        journal.end(entry, {
          isWhole: isWhole && !fired.isCut,
          isAnswered,
          durationMillis: state.platform.monotonic() - received,
        });
      const answered =
        refused === undefined
          ? reply(context, exchange, entry, fired)
          : Effect.succeed(misdirected(exchange, refused));
      const finished = Effect.flatMap(answered, finish(context, exchange, entry, fired));
      const { wire } = exchange.connection;
      wire?.onEnd(({ isAnswered, isWhole }) => end(isWhole, isAnswered));
      return wire === undefined
        ? Effect.onExit(finished, (exit) => Effect.sync(() => end(true, exit._tag === "Success")))
        : finished;
    });

/** Adds CORS and date headers to an answer, compresses it, and applies faults to its bytes. */
const finish =
  (
    { acceptedCoding, cors, state: { platform } }: ServerContext,
    exchange: Exchange,
    entry: Recorded,
    fired: Fired,
  ) =>
  (answer: Answer): Effect.Effect<Answer> => {
    const response = cors
      .expose(exchange, answer)
      .pipe(Response.setHeader("date", httpDate(exchange.now)));
    noteResponse(entry, response);
    const accepted = exchange.headers["accept-encoding"] ?? "";
    const coding = fired.needsGzip ? "gzip" : acceptedCoding(accepted, response);
    const coded =
      coding === undefined ? Effect.succeed(response) : compress(platform, coding, response);
    return fired === NONE_FIRED
      ? coded
      : coded.pipe(
          Effect.flatMap((sent) => Faults.transmit(sent, fired, exchange)),
          Effect.catch(Respondable.toResponse),
        );
  };

const openExchange = (
  { state, words }: ServerContext,
  listener: Exchange["listener"],
  { body, connection, headers, method, url }: Incoming,
  actor: Actor | undefined,
): Exchange => {
  const sent = splitUrl(url);
  const isNeutral = words === undefined || listener === "auth";
  const [path, query] = isNeutral ? sent : splitUrl(words.urlFromWire(url));
  return {
    method,
    headers,
    body,
    connection,
    listener,
    path,
    sentPath: sent[0],
    query,
    match: findEndpoint(listener, method, path),
    now: state.clock.now(),
    actor,
    credentials: NO_CREDENTIALS,
    facts: noFacts(),
  };
};

/** Resolves the caller: the token's identity, or the client id of HTTP Basic. */
const identify = (context: ServerContext, exchange: Exchange): void => {
  const { state, misplacedSecrets, verify } = context;
  const { facts, headers, listener } = exchange;
  const { authorization } = headers;
  if (authorization !== undefined) exchange.credentials = verify(authorization);
  const { identity, isBearer } = exchange.credentials;
  const basic =
    authorization === undefined || isBearer ? undefined : basicCredentials(authorization);
  if (listener === "data") facts.misplaced.push(...misplacedSecrets(exchange, basic?.secret));
  facts.sendsSecret = authorization !== undefined && !isBearer;
  // Ignore a client id that is not registered, because it may be a misplaced secret.
  facts.client = identity?.clientId ?? state.clients.byId(basic?.id ?? "")?.clientId;
};

/**
 * Returns the answer with the effects of its faults. The response of a fault counts against no
 * limit, because it is that of the network in front of the service.
 */
const reply = (
  context: ServerContext,
  exchange: Exchange,
  entry: Recorded,
  fired: Fired,
): Effect.Effect<Answer> => {
  const served = Effect.suspend(() => limited(context, exchange, entry));
  return (fired === NONE_FIRED ? served : withFaults(served, fired, exchange)).pipe(
    Effect.catchCause(failed(exchange)),
  );
};

const withFaults = Effect.fnUntraced(function* (
  served: Effect.Effect<Answer, Failure>,
  fired: Fired,
  exchange: Exchange,
) {
  const replaced = yield* Faults.replace(fired, exchange);
  if (replaced !== undefined) return replaced;
  const response = yield* served.pipe(Effect.catch(Respondable.toResponse));
  Faults.correctFacts(exchange, fired);
  return Faults.alter(response, fired);
});

/** Answers a request, or refuses it by its rate policy. Adds the policy's headers to both. */
const limited = (
  { answer, rates }: ServerContext,
  exchange: Exchange,
  entry: Recorded,
): Effect.Effect<Answer, Failure> => {
  const { connection, credentials, listener, match, method, now } = exchange;
  const decision =
    match?.name &&
    rates.decide(
      { endpoint: match.name, isProbe: method === "HEAD" },
      identities(connection.ip, credentials.identity),
      now,
    );
  if (!decision) return answer(exchange);
  entry.policy = decision.policy;
  entry.limited = !decision.allowed;
  const served = decision.allowed ? answer(exchange) : LIMITED[listener];
  return served.pipe(
    Effect.catch(Respondable.toResponse),
    Effect.map(Response.setHeaders(decision.headers)),
  );
};

/** Turns a failure into a response. Logs a defect, which must not end the process. */
const failed =
  (exchange: Exchange) =>
  (cause: Cause.Cause<Failure>): Effect.Effect<Answer> => {
    const failure = Cause.findErrorOption(cause);
    if (Option.isSome(failure)) return Respondable.toResponse(failure.value);
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
    const response = Respondable.toResponse(
      exchange.listener === "auth"
        ? new OAuthFailure({ reason: "ServerError" })
        : dataFailure("InternalError", "Internal error"),
    );
    return Effect.andThen(Effect.logError("the sandbox failed to answer", cause), response);
  };

/** 429 with the error body of each listener (§7, RFC 6749 §5.2). */
const LIMITED: Readonly<Record<Exchange["listener"], Effect.Effect<Answer, Failure>>> = {
  auth: refuse("RateLimited"),
  data: Effect.fail(dataFailure("RateLimitExceeded", "Rate limit exceeded")),
};

const targetOf = ({ clients }: SandboxState, exchange: Exchange) => {
  const { body, credentials, facts, match, method, query, sentPath } = exchange;
  // Reads the form, because faults match it before the handler runs.
  const isOAuth = match?.name?.startsWith("oauth.") === true;
  const sent = !isOAuth ? "" : method === "POST" ? new TextDecoder().decode(body) : query;
  const form = new URLSearchParams(sent);
  return {
    method,
    path: sentPath,
    endpoint: match?.name,
    route: match?.name === undefined ? undefined : match.template,
    clientId: facts.client ?? clients.byId(form.get("client_id") ?? "")?.clientId,
    grantType: form.get("grant_type") ?? undefined,
    account: credentials.identity?.username,
    accountId: credentials.identity?.sub,
    changeId: changeIdOf(match?.name, match?.params["id"], query),
  };
};

/** Returns the change id in a request for a page of a stream. */
const changeIdOf = (
  endpoint: string | undefined,
  id: string | undefined,
  query: string,
): string | undefined => {
  if (endpoint?.startsWith("currencyExchange.") === true) return id;
  if (endpoint?.startsWith("publicStashTabs.") !== true) return undefined;
  return new URLSearchParams(query).get("id") ?? undefined;
};

let second = -1;
let date = "";

/** Formats the virtual time as a `Date` header (RFC 9110 §5.6.7). Node's own has the real time. */
const httpDate = (millis: number): string => {
  const at = Math.floor(millis / 1000);
  if (at !== second) [second, date] = [at, new Date(at * 1000).toUTCString()];
  return date;
};
