/**
 * The control plane: everything about a running sandbox that a test may want to change or see.
 *
 * It has an address of its own, so that the API under test stays clean. On loopback it has no
 * authentication: an `Origin`, which browsers send with everything that changes something, has to
 * be the control plane's own, and programs send none. No CORS header is ever sent. Beyond loopback
 * every request carries the control key as a bearer token.
 *
 * Documents are strict: an unknown member, endpoint, client or account is 400 with its place.
 */
import { type Core, WORLD_START } from "../Core.ts";
import type { RegisteredClient } from "../clients/Clients.ts";
import { OAUTH_ROUTES, ROUTES } from "../contract.ts";
import type { DataPart } from "../data/DataPart.ts";
import { RatePolicyInvalid, RegistrationRejected } from "../Errors.ts";
import { type Fault, type FaultMatch, FaultRule } from "../faults/Fault.ts";
import { matches } from "../faults/FaultRules.ts";
import { controlError, misdirectedRequest, unknownPath } from "../http/fallbacks.ts";
import { makeHostCheck } from "../http/hostCheck.ts";
import { listenerOf } from "../http/Listener.ts";
import {
  empty,
  type Headers,
  json,
  pathOf,
  queryOf,
  type RequestInput,
  type ResponseOutput,
} from "../http/messages.ts";
import { Router } from "../http/Router.ts";
import {
  type Document,
  formatIssues,
  type Issue,
  issuesOf,
  list,
  nearestOf,
} from "../internal/document.ts";
import { timingSafeEqual, utf8Text } from "../internal/encoding.ts";
import { isoInstant, isWritable, parseDuration, parseInstant } from "../internal/instants.ts";
import type { Journal, JournalEntry, JournalFilter } from "../journal/Journal.ts";
import { rateProfiles } from "../rates/RateProfiles.ts";
import type { Service } from "../Service.ts";
import type { Snapshot } from "../store/Store.ts";
import {
  AuthorizeBody,
  ClientBody,
  ClockChange,
  type ClockReading,
  PolicyChange,
  SandboxSnapshot,
  TokensBody,
  VerifyBody,
} from "./documents.ts";

/** A request that the control plane refuses. */
class Rejected {
  readonly reason: string;
  readonly issues: ReadonlyArray<Issue>;
  readonly status: number;
  constructor(reason: string, issues: ReadonlyArray<Issue> = [], status = 400) {
    this.reason = reason;
    this.issues = issues;
    this.status = status;
  }
}

const rejected = (reason: string): never => {
  throw new Rejected(reason);
};

type ControlHandler = (
  request: RequestInput,
  params: Readonly<Record<string, string>>,
) => ResponseOutput;

interface ControlRoute {
  readonly method: string;
  readonly template: string;
  readonly handle: ControlHandler;
}

/** Builds the control plane of an application. */
export const makeControlPlane = (
  application: Core,
  { faults, journal, oauth, rates }: Service,
  data: DataPart,
): ((request: RequestInput) => ResponseOutput) => {
  const { clock, config, parts, store } = application;
  const checkHost = makeHostCheck(config, config.hosts);

  const reading = (): ClockReading => ({
    now: isoInstant(clock.now()),
    frozen: clock.state.frozen,
  });

  const checkNames = (match: FaultMatch, pointer: string): void => {
    const { account, clientId, endpoint, route } = match;
    const accounts = application.accounts.all.flatMap(({ name, uuid }) => [name, uuid]);
    const clients = application.clients.all().map((client) => client.clientId);
    const known: ReadonlyArray<readonly [string, string | undefined, ReadonlyArray<string>]> = [
      ["endpoint", endpoint, ENDPOINT_KEYS],
      ["clientId", clientId, clients],
      ["account", account, accounts],
      [
        "route",
        route,
        [...TEMPLATES, ...data.routes.map(({ template }) => plainTemplate(template))],
      ],
    ];
    for (const [member, value, names] of known)
      if (value !== undefined && !names.includes(value))
        rejectName(`${pointer}/${member}`, member, value, names);
  };

  const checkRule = ({ fault, match, when }: FaultRule, pointer: string): void => {
    for (const text of [when?.from, when?.until]) if (text !== undefined) instantOf(text);
    if (match !== undefined) checkNames(match, `${pointer}/match`);
    if (fault.kind === "changeId" && fault.mode === "set" && fault.id === undefined)
      rejected('a changeId fault with mode "set" needs an id');
    checkHeaders(headersOf(fault));
  };

  const addFaults: ControlHandler = (request) => {
    const body = readJson(request);
    const rules: ReadonlyArray<FaultRule> = Array.isArray(body)
      ? checked(list(FaultRule), body)
      : [checked(FaultRule, body)];
    rules.forEach((rule, index) => checkRule(rule, Array.isArray(body) ? `/${index}` : ""));
    return json({ faults: rules.map((rule) => faults.add(rule)) });
  };

  const changeClock: ControlHandler = (request) => {
    const change = checked(ClockChange, readJson(request));
    if (Object.keys(change).length === 0)
      rejected("name one of set, advance, freeze, unfreeze, reset");
    // Everything is read before anything is done: a request with one bad member changes nothing.
    const instant = change.set === undefined ? undefined : instantOf(change.set);
    const duration = change.advance === undefined ? undefined : durationOf(change.advance);
    if (!isWritable((instant ?? clock.now()) + (duration ?? 0)))
      rejected("the clock stays within the years 0 to 9999");
    if (change.reset === true) clock.reset();
    // Standing still comes first, so that what follows is exact to the millisecond.
    if (change.freeze === true) clock.freeze();
    if (instant !== undefined) clock.set(instant);
    if (duration !== undefined) clock.advance(duration);
    if (change.unfreeze === true) clock.resume();
    return json(reading());
  };

  const replacePolicies: ControlHandler = (request) => {
    const change = checked(PolicyChange, readJson(request));
    const policies = "profile" in change ? rateProfiles[change.profile] : change;
    for (const name of Object.keys(policies.endpoints))
      if (name !== "*" && !ENDPOINT_KEYS.includes(name))
        rejectName(`/endpoints/${name}`, "endpoint", name, ENDPOINT_KEYS);
    rates.replace(policies);
    return json(rates.policies());
  };

  const reset: ControlHandler = () => {
    store.reset();
    clock.reset();
    rates.reset();
    faults.clear();
    journal.clear();
    return json(reading());
  };

  const restore: ControlHandler = (request) => {
    const snapshot = checked(SandboxSnapshot, readJson(request));
    if (snapshot.seed !== config.seed)
      rejected(`the snapshot is of seed ${snapshot.seed}, this sandbox has seed ${config.seed}`);
    const theirs = snapshot.store.tables["meta"]?.find((row) => row["key"] === WORLD_START);
    const ours = store.getMeta(WORLD_START);
    if (theirs?.["value"] !== ours)
      rejected(
        `the snapshot's world started at ${instantText(theirs?.["value"])}, this one at ${instantText(ours)}`,
      );
    const instant = instantOf(snapshot.clock.now);
    const before = rates.snapshot();
    rates.restore(snapshot.rates as Parameters<typeof rates.restore>[0]);
    try {
      store.restore(snapshot.store as Snapshot);
    } catch (cause) {
      rates.restore(before);
      rejected(`the rows do not fit: ${String(cause)}`);
    }
    faults.restore(snapshot.faults);
    clock.resume();
    clock.set(instant);
    if (snapshot.clock.frozen) clock.freeze(instant);
    return json(reading());
  };

  const snapshot: ControlHandler = () => {
    const document: SandboxSnapshot = {
      format: 1,
      seed: config.seed,
      clock: reading(),
      store: store.snapshot(),
      rates: rates.snapshot(),
      faults: faults.list(),
    };
    return json(document);
  };

  const verify: ControlHandler = (request) => {
    const body = checked(VerifyBody, readJson(request));
    checkNames(body.match, "/match");
    const { atLeast, atMost, exactly, match, status } = body;
    if (exactly === undefined && atLeast === undefined && atMost === undefined)
      rejected("name one of exactly, atLeast, atMost");
    const entries = journal.read();
    const isMatch = (entry: JournalEntry) =>
      matches(match, targetOf(entry)) && (status === undefined || entry.status === status);
    const matched = entries.filter(isMatch);
    const count = matched.length;
    const isMet =
      (exactly === undefined || count === exactly) &&
      (atLeast === undefined || count >= atLeast) &&
      (atMost === undefined || count <= atMost);
    const nearest = entries.filter((entry) => !isMatch(entry)).slice(-5);
    return json({ isMet, count, matched, nearest }, isMet ? 200 : 409);
  };

  const unmatched: ControlHandler = () => {
    const templates = [...TEMPLATES, ...data.routes.map(({ template }) => plainTemplate(template))];
    return json({
      requests: journal.unmatched().map(({ id, listener, method, path, status }) => ({
        id,
        listener,
        method,
        status,
        // The path may hold a secret: only its shape is told, beside the template it comes near to.
        segments: path.split("/").length - 1,
        nearest: nearestTemplate(path, templates) ?? null,
      })),
    });
  };

  const listTokens: ControlHandler = () =>
    json({
      grants: application.accounts.all.flatMap(({ name, uuid }) =>
        oauth.grants.ofAccount(uuid).map((grant) => ({
          account: name,
          id: grant.id,
          clientId: grant.clientId,
          grantType: grant.grantType,
          scopes: grant.scopes,
          createdAt: isoInstant(grant.createdAt),
          tokens: oauth.grants.liveTokens(grant.id).map((token) => ({
            kind: token.kind,
            prefix: token.prefix,
            hash: token.hash,
            expiresAt: token.expiresAt === null ? null : isoInstant(token.expiresAt),
          })),
        })),
      ),
    });

  const revokeGrant: ControlHandler = (_, params) => {
    oauth.grants.revokeGrant(params["id"]!);
    return empty(204);
  };

  const register: ControlHandler = (request) =>
    json(application.clients.register(checked(ClientBody, readJson(request))), 201, NO_STORE);

  const { authUrl, baseUrl, controlUrl, seed } = config;
  const route = (method: string, template: string, handle: ControlHandler): ControlRoute => ({
    method,
    template,
    handle,
  });
  const router = new Router<ControlRoute>([
    route("GET", "/control/clock", () => json(reading())),
    route("POST", "/control/clock", changeClock),
    route("GET", "/control/faults", () => json({ faults: faults.list() })),
    route("POST", "/control/faults", addFaults),
    route("DELETE", "/control/faults", () => {
      faults.clear();
      return empty(204);
    }),
    route("DELETE", "/control/faults/:id", (_, { id = "" }) =>
      faults.remove(id) ? empty(204) : controlError(`no fault is called ${id}`, 404),
    ),
    route("GET", "/control/policies", () => json(rates.policies())),
    route("PUT", "/control/policies", replacePolicies),
    route("POST", "/control/policies", replacePolicies),
    route("GET", "/control/journal", (request) =>
      json({ entries: journal.read(filterOf(request.url)) }),
    ),
    route("DELETE", "/control/journal", () => {
      journal.clear();
      return empty(204);
    }),
    route("GET", "/control/journal/stream", (request) => journalStream(journal, request)),
    route("GET", "/control/unmatched", unmatched),
    route("POST", "/control/verify", verify),
    route("POST", "/control/reset", reset),
    route("POST", "/control/snapshot", snapshot),
    route("POST", "/control/restore", restore),
    route("POST", "/control/authorize", (request) =>
      helper(oauth.authorizeAs(checked(AuthorizeBody, readJson(request)))),
    ),
    route("GET", "/control/tokens", listTokens),
    route("POST", "/control/tokens", (request) =>
      helper(oauth.issue(checked(TokensBody, readJson(request)))),
    ),
    route("DELETE", "/control/grants/:id", revokeGrant),
    route("GET", "/control/clients", () =>
      json({
        clients: application.clients.all().map(withoutSecret),
      }),
    ),
    route("POST", "/control/clients", register),
    route("GET", "/control/accounts", () =>
      json({ accounts: application.accounts.all.map(({ name, uuid }) => ({ name, uuid })) }),
    ),
    route("GET", "/control/ready", () => json({ ready: true, seed, authUrl, baseUrl, controlUrl })),
    route("GET", "/control/health", () => json({ status: "ok" })),
  ]);

  const answer = (request: RequestInput): ResponseOutput => {
    const path = pathOf(request.url);
    if (request.method === "GET" && DOCUMENTS.has(path)) {
      const deferred = parts.documents?.(path);
      return deferred === undefined
        ? controlError("this sandbox was started without its documentation", 404)
        : { status: 200, headers: {}, body: "", deferred };
    }
    const match = listenerOf(path) === "control" ? router.find(request.method, path) : undefined;
    if (match === undefined) {
      const allow = router.methods(path).join(", ");
      return allow === "" || listenerOf(path) !== "control"
        ? unknownPath("control", request)
        : { ...controlError(`use ${allow}`, 405), headers: { allow } };
    }
    try {
      return match.route.handle(request, match.params);
    } catch (cause) {
      return failureResponse(cause, parts.log);
    }
  };

  return (request) => {
    const host = checkHost(request.header("host"));
    if (host.refused !== undefined) return misdirectedRequest("control", host.refused);
    const reason = rejectionReason(request.header("origin"), host.origin);
    if (reason !== undefined) return controlError(reason, 403);
    const path = pathOf(request.url);
    const isOpen = path === "/control/health";
    if (config.controlKey !== undefined && !isOpen && !hasKey(request, config.controlKey))
      return {
        ...controlError("send the control key as a bearer token", 401),
        headers: { "content-type": "application/json", "www-authenticate": "Bearer" },
      };
    return answer(request);
  };
};

const helper = (answer: object & { readonly refused?: string }): ResponseOutput =>
  answer.refused === undefined ? json(answer, 200, NO_STORE) : controlError(answer.refused);

const withoutSecret = (client: RegisteredClient): Omit<RegisteredClient, "secretHash"> => {
  const { secretHash: _secretHash, ...shown } = client;
  return shown;
};

const NO_STORE: Headers = { "cache-control": "no-store" };

const DOCUMENTS: ReadonlySet<string> = new Set([
  "/docs",
  "/docs/control",
  "/openapi.json",
  "/control/openapi.json",
]);

const failureResponse = (cause: unknown, log: (message: string, cause: unknown) => void) => {
  if (cause instanceof Rejected)
    return controlError(
      cause.reason,
      cause.status,
      cause.issues.length === 0 ? {} : { issues: cause.issues },
    );
  if (cause instanceof RatePolicyInvalid || cause instanceof RegistrationRejected)
    return controlError(cause.message);
  log("a request to the control plane failed", cause);
  return controlError("the sandbox failed to answer; its log says why", 500);
};

/**
 * Why a request to the control plane is refused, or undefined; `own` is the origin under which it
 * was asked.
 */
export const rejectionReason = (
  origin: string | undefined,
  own: string | undefined,
): string | undefined =>
  origin === undefined || origin === own
    ? undefined
    : "web pages of other origins may not use the control plane";

const hasKey = (request: RequestInput, key: string): boolean =>
  timingSafeEqual(
    /^bearer +(\S+) *$/iu.exec(request.header("authorization") ?? "")?.[1] ?? "",
    key,
  );

const readJson = (request: RequestInput): unknown => {
  const text = utf8Text(request.body);
  try {
    return text === undefined ? rejected("the body is not UTF-8") : (JSON.parse(text) as unknown);
  } catch (cause) {
    if (cause instanceof Rejected) throw cause;
    return rejected("the body is not JSON");
  }
};

const checked = <A>(document: Document<A>, value: unknown): A => {
  const issues = issuesOf(document, value);
  if (issues.length > 0) throw new Rejected(formatIssues(issues), issues);
  return value as A;
};

const rejectName = (
  pointer: string,
  member: string,
  value: string,
  names: ReadonlyArray<string>,
): never => {
  const nearest = nearestOf(value, names);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  const message = `there is no ${member} ${JSON.stringify(value)}${hint}`;
  throw new Rejected(`${pointer}: ${message}`, [
    { pointer, message, ...(nearest === undefined ? {} : { nearest }) },
  ]);
};

const TEMPLATES = Object.values(OAUTH_ROUTES).map(({ path }) => path);

/** `group` and `group.endpoint` of everything that faults, policies and `verify` may name. */
const ENDPOINT_KEYS = [...Object.keys(OAUTH_ROUTES), ...Object.keys(ROUTES)].flatMap((name) => [
  name,
  name.split(".")[0]!,
]);

const plainTemplate = (template: string): string => template.replace(/\([^)]*\)/gu, "");

const instantOf = (text: string): number =>
  parseInstant(text) ?? rejected(`${JSON.stringify(text)} is no instant in ISO 8601`);

const durationOf = (text: string): number =>
  parseDuration(text) ?? rejected(`${JSON.stringify(text)} is no duration such as "31 seconds"`);

const instantText = (millis: unknown): string =>
  millis === undefined || Number.isNaN(Number(millis))
    ? "an unknown time"
    : isoInstant(Number(millis));

/** The headers that a fault brings in. */
const headersOf = (fault: Fault): Readonly<Record<string, string>> => {
  if (fault.kind === "headers") return fault.set ?? {};
  if (fault.kind !== "status") return {};
  const { headers = {}, retryAfter } = fault;
  return typeof retryAfter === "string" ? { ...headers, "retry-after": retryAfter } : headers;
};

/** A token and a field value of RFC 9110 §5.1, §5.5. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;

/** A header that cannot be sent would turn the fault into another one. */
const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) rejected(`${JSON.stringify(name)} is no name of a header`);
    if (!HEADER_VALUE.test(value)) rejected(`the value of the header ${name} cannot be sent`);
  }
};

const FILTER_NUMBERS = ["since", "limit", "status"] as const;

const filterOf = (url: string): JournalFilter => {
  const search = new URLSearchParams(queryOf(url));
  const known = [...FILTER_NUMBERS, "endpoint", "clientId"];
  for (const name of search.keys())
    if (!known.includes(name)) rejectName(`?${name}`, "parameter", name, known);
  const numbers = FILTER_NUMBERS.map((name) => {
    const value = search.get(name);
    if (value !== null && !/^\d{1,15}$/u.test(value)) rejected(`${name} is no whole number`);
    return [name, value === null ? undefined : Number(value)] as const;
  });
  return {
    ...Object.fromEntries(numbers),
    endpoint: search.get("endpoint") ?? undefined,
    clientId: search.get("clientId") ?? undefined,
  };
};

const targetOf = (entry: JournalEntry) => {
  const [group, endpoint] = entry.endpoint?.split(".") ?? [];
  return {
    method: entry.method,
    path: "",
    group,
    endpoint,
    route: entry.route ?? undefined,
    clientId: entry.clientId ?? undefined,
    accountName: entry.account ?? undefined,
  };
};

/** The template whose literal segments a path shares most of. */
const nearestTemplate = (path: string, templates: ReadonlyArray<string>): string | undefined =>
  nearestOf(path, [...new Set(templates)]) ??
  templates.find((template) => template.split("/")[1] === path.split("/")[1]);

/** New entries of the journal as server-sent events. */
const journalStream = (journal: Journal, request: RequestInput): ResponseOutput => {
  const since = Number(request.header("last-event-id") ?? Number.NaN);
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    body: "",
    stream: (send) => {
      const event = (entry: JournalEntry) =>
        send(`id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);
      if (!Number.isNaN(since)) for (const entry of journal.read({ since })) event(entry);
      send(": the journal follows\n\n");
      return journal.subscribe(event);
    },
  };
};
