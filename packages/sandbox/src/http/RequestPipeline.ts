/**
 * Runs a request through the steps of the sandbox, and keeps what happened in the journal.
 *
 * The control plane is neither limited nor journalled, and no fault can lock a test out of it.
 */
import { ErrorCode } from "../contract.ts";
import type { Core } from "../Core.ts";
import type { FaultRules } from "../faults/FaultRules.ts";
import type { Log } from "../internal/log.ts";
import { type Journal, noFacts } from "../journal/Journal.ts";
import type { Recorded } from "../journal/JournalEntry.ts";
import { reasonOf, secretsIn } from "../journal/shown.ts";
import { type Credentials, NO_CREDENTIALS } from "../oauth/TokenVerifier.ts";
import type { RateLimits } from "../rates/RateLimits.ts";
import { dataError } from "./fallbacks.ts";
import { makeHostCheck } from "./hostCheck.ts";
import { listenerOf } from "./Listener.ts";
import {
  isUnanswered,
  pathOf,
  queryOf,
  type RequestInput,
  type ResponseOutput,
} from "./messages.ts";
import {
  type Answer,
  applyFaults,
  compose,
  countByLimits,
  type Exchange,
  identify,
  refuseForeignHost,
  refuseUnknownPath,
  type Routers,
  UNNAMED,
} from "./steps.ts";

interface PipelineParts {
  readonly verify: (authorization: string | undefined) => Credentials;
  readonly rates: RateLimits;
  readonly faults: FaultRules;
  readonly journal: Journal;
  /** When the sandbox began, in the platform's monotonic milliseconds. */
  readonly begun: number;
}

export const makePipeline = (
  { clients, clock, config, parts, platform }: Core,
  { begun, faults, journal, rates, verify }: PipelineParts,
  routers: Routers,
): ((request: RequestInput) => ResponseOutput) => {
  const date = new HttpDate();
  const run = compose(
    [
      refuseForeignHost(makeHostCheck(config, config.hosts)),
      identify(verify, clients),
      applyFaults(faults),
      refuseUnknownPath(routers),
      countByLimits(rates),
    ],
    (exchange) => ({ response: exchange.match!.route.handle(exchange) }),
  );

  const exchangeOf = (request: RequestInput): Exchange => {
    const listener = request.listener as "auth" | "data";
    const match = routers[listener].find(request.method, pathOf(request.url));
    return {
      request,
      listener,
      isHere: match !== undefined || listenerOf(request.url) === listener,
      match,
      names: match?.route.names ?? UNNAMED,
      params: match?.params ?? {},
      now: clock.now(),
      credentials: NO_CREDENTIALS,
      facts: noFacts(),
    };
  };

  return (request) => {
    const received = platform.monotonic();
    const exchange = exchangeOf(request);
    const answer = safely(run, exchange, parts.log);
    const { response } = answer;
    // Node would write the real time; whoever waits for the next hour waits by this header.
    const headers = { ...response.headers, date: date.at(exchange.now) };
    const entry = entryOf(exchange, answer, received, begun);
    journal.write(entry);
    return {
      ...response,
      headers,
      onEnd: ({ bytes, isAnswered, isWhole }) => {
        entry.bytes = bytes;
        entry.isWhole = isWhole;
        if (!isAnswered) entry.status = null;
        entry.durationMillis = platform.monotonic() - received;
        journal.end(entry);
      },
    };
  };
};

/** Writes HTTP dates (RFC 9110 §5.6.7), each once a second. */
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

/** What the steps answer; a failure of theirs must not end the process. */
const safely = (run: (exchange: Exchange) => Answer, exchange: Exchange, log: Log): Answer => {
  try {
    return run(exchange);
  } catch (cause) {
    log("the sandbox failed to answer", cause);
    const message = "The sandbox failed to answer; its log says why.";
    return { response: dataError(500, ErrorCode.InternalError, message) };
  }
};

/** The request as the journal keeps it, while its response is under way. */
const entryOf = (
  { facts, listener, names, now, params, request }: Exchange,
  { credentials = NO_CREDENTIALS, decision, faults = [], response }: Answer,
  received: number,
  begun: number,
): Recorded => {
  // One flat list: a spread in it costs more than all of its members.
  const { identity, tokenHash } = credentials;
  const query = queryOf(request.url);
  return {
    id: 0,
    at: now,
    elapsedMillis: received - begun,
    listener,
    method: request.method,
    path: pathOf(request.url),
    query,
    route: names.template ?? null,
    endpoint: names.name ?? null,
    parameters: names.name === undefined ? {} : parametersOf(query, params),
    request: requestKey(request),
    connection: request.connection,
    status: isUnanswered(response) ? null : response.status,
    reason: reasonOf(response),
    durationMillis: 0,
    clientId: facts.client ?? null,
    account: identity?.username ?? null,
    tokenHash,
    scopes: identity?.scopes ?? [],
    facts,
    secretsInUrl: secretsIn(namesIn(query)),
    secretsInCookie: secretsIn(cookieNames(request.header("cookie"))),
    byControl: request.actor !== undefined,
    userAgent: shortened(request.header("user-agent")),
    retryAfterMillis: retryAfterMillis(response.headers["retry-after"]),
    policy: decision?.policy ?? null,
    limited: decision?.allowed === false,
    faults,
    bytes: 0,
    isWhole: false,
    isEnded: false,
  };
};

const shortened = (text: string | undefined): string | null => text?.slice(0, 200) ?? null;

const namesIn = (query: string): Iterable<string> =>
  query === "" ? [] : new URLSearchParams(query).keys();

const cookieNames = (header: string | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : header.split(";").map((pair) => pair.split("=", 1)[0]!.trim());

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

/** Of a wait in seconds; a fault may say anything else, which the audit does not measure. */
const retryAfterMillis = (value: string | undefined): number | null =>
  value !== undefined && /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) * 1000 : null;
