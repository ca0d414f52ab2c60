/**
 * Runs operations of the route table for one user of a client, and makes its groups of methods: one
 * method for each operation, and those that take several requests.
 */
import type { FilterAccepted, FilterUpdated } from "@game-data/contract";
import { operations, routes } from "@game-data/contract/routes";
import type { GroupName, Operation, Requests, Route, RouteName } from "@game-data/contract/routes";
import type { Api, Extras } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";
import type {
  FilterOutcome,
  InspectBody,
  RawOptions,
  RawResponse,
  UnlistedRequest,
} from "../Model.ts";
import { askHook, succeed } from "../pipeline/Call.ts";
import type {
  Account,
  PreparedRequest,
  ReceivedResponse,
  ResponseHandler,
} from "../pipeline/Call.ts";
import { buildCall, decodeBody, parseBody } from "../pipeline/decode.ts";
import type { ServiceAddress } from "../pipeline/decode.ts";
import type { Pipeline } from "../pipeline/runCall.ts";
import { callOptionProblem, splitOptions, uncallable } from "./checkOptions.ts";
import { fetchAllTabs, fetchRanks, fetchTabs, upsertFilter } from "./extras.ts";
import type { Kit, AnyFace, Out } from "./Kit.ts";

/** The parts of a client that all its users share. */
interface ClientCore {
  readonly kit: Kit;
  readonly pipeline: Pipeline;
  readonly service: ServiceAddress;
  readonly inspect: InspectBody | undefined;
}

/** One user of a client. */
export interface Client {
  readonly core: ClientCore;
  readonly account: Account;
  /** Options that apply where a call gives none. */
  readonly defaults: CallOptions | undefined;
}

/** The result of an update: a 202 says that more processing is needed, and `error` why. */
const filterOutcome = (written: unknown, status: number): FilterOutcome => {
  const body = written as FilterUpdated | FilterAccepted;
  return status === 202 && "error" in body && body.error
    ? { status: "accepted", filter: body.filter, error: body.error }
    : { status: "updated", filter: body.filter };
};

/** The values that say more than the body. */
const outcomes: Partial<Record<RouteName, (body: unknown, status: number) => unknown>> = {
  "itemFilters.update": filterOutcome,
};

/** Runs a request that is as it should be. */
const run = (
  { account, core, defaults }: Client,
  request: PreparedRequest | InvalidRequest,
  handler: ResponseHandler,
  options: CallOptions | undefined,
): Out<unknown> => {
  const { kit, pipeline } = core;
  if (request instanceof InvalidRequest) return kit.fail(request);
  const detail = options === undefined ? undefined : callOptionProblem(options);
  if (detail !== undefined) {
    const { operation, route } = request;
    return kit.fail(new InvalidRequest({ operation, route, attempts: 0, detail }));
  }
  const given = defaults === undefined ? (options ?? NO_OPTIONS) : { ...defaults, ...options };
  const task = { request, handler, account, options: given };
  return kit.run((host, done) => pipeline(task, host, done), task);
};

const NO_OPTIONS: CallOptions = {};

/** Makes what runs an operation; its value is the member of the body that the table names. */
const callerOf = (client: Client, name: RouteName) => {
  const { inspect, service } = client.core;
  const { isNullable, take }: Route = routes[name];
  const pick =
    outcomes[name] ??
    ((body: unknown) => (take === undefined ? body : (body as Record<string, unknown>)[take]));
  const read = (received: ReceivedResponse, text: string) => {
    const decoded = decodeBody(name, service.words, received, text);
    if (decoded._tag !== "Success") return decoded;
    const { host, info } = received;
    const { route, status } = info;
    if (inspect) {
      const count = (found: number) => found > 0 && host.measure?.("drift", found, { route });
      askHook(host, "the inspector", () => inspect(decoded.value, name, status), count);
    }
    return succeed(pick(decoded.value, status));
  };
  const handler = { accepts: isNullable ? isSuccessOrAbsent : isSuccess, read };
  return (request: object, options?: CallOptions, payload?: unknown) =>
    run(client, buildCall(service, name, request as never, payload), handler, options);
};

/** Runs an operation and hands out its response with the body unread. */
const open = <Name extends RouteName>(
  client: Client,
  name: Name,
  request: Requests[Name],
  given: RawOptions | undefined,
): Out<unknown> => {
  const [{ accepts }, options] = splitOptions(given, ["accepts"]);
  const { isNullable }: Route = routes[name];
  const { kit, service } = client.core;
  const handler = {
    accepts: accepts ?? (isNullable ? isSuccessOrAbsent : isSuccess),
    streams: true,
    read: ({ callInfo, incoming, info, maxBodyBytes }: ReceivedResponse) =>
      succeed<RawResponse>({
        ...info,
        encoding: incoming.encoding,
        read: incoming.read,
        abort: incoming.abort,
        maxBodyBytes,
        callInfo,
      }),
  };
  const opening = run(client, buildCall(service, name, request), handler, options);
  return kit.raw(opening as Out<RawResponse>, options ?? {});
};

/** Sends a request that the route table does not know, under the same limiter and credentials. */
export const requestUnlisted = (
  client: Client,
  unlisted: UnlistedRequest,
  options?: CallOptions,
): Out<unknown> =>
  run(
    client,
    prepareUnlisted(client.core.service, unlisted),
    { accepts: isSuccess, read: parseBody },
    options,
  );

const prepareUnlisted = (
  { address }: ServiceAddress,
  unlisted: UnlistedRequest,
): PreparedRequest | InvalidRequest => {
  const operation = "request";
  const { method = "GET", path, route = `${method} ${path}` } = unlisted ?? {};
  const invalid = (detail: string, cause?: unknown) =>
    new InvalidRequest({
      operation,
      route,
      attempts: 0,
      detail,
      cause,
    });
  if (!isPath(path)) return invalid("path: must be a path below the base URL, such as /x/y");
  try {
    const { body, query = {}, scopes = [] } = unlisted;
    if (Object(query) !== query) return invalid("query: must be an object");
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value));
    }
    const target = search.size === 0 ? path : `${path}?${search}`;
    return {
      operation,
      route,
      method,
      url: address + target,
      scopes,
      rateLimitRoute: route,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  } catch (cause) {
    return invalid(String(cause), cause);
  }
};

/** A path without a query that stays below the base URL. */
const isPath = (path: unknown): path is string =>
  typeof path === "string" &&
  /^\/(?!\/)[^?#\\\s]*$/u.test(path) &&
  path.split("/").every((segment) => !/^(?:\.|%2e){1,2}$/iu.test(segment));

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isSuccessOrAbsent = (status: number): boolean => isSuccess(status) || status === 404;

/** The names of the groups of methods: `stashes`, `leagues`, … */
export const groupNames = Object.keys(operations) as ReadonlyArray<GroupName>;

/** A method that takes several requests. */
type SeveralRequests = (asked: object, options?: CallOptions) => Out<unknown>;

/** Makes a group of methods of one user. */
export const makeGroup = (client: Client, group: GroupName): object => {
  const methods: Record<string, unknown> = {};
  for (const [method, route] of Object.entries<Operation>(operations[group]))
    methods[method] = methodOf(client, `${group}.${method}` as RouteName, route);
  const add = extras[group as keyof typeof extras] as
    | ((methods: object, client: Client) => object)
    | undefined;
  const { kit } = client.core;
  const added = (add?.(methods, client) ?? {}) as Record<string, SeveralRequests>;
  for (const [method, call] of Object.entries(added))
    methods[method] = (asked: object = {}, options?: CallOptions) => {
      if (typeof asked === "object" && asked !== null) return call(asked, options);
      return kit.fail(uncallable(`${group}.${method}`, "request: must be an object"));
    };
  return Object.assign(methods, kit.extras?.(group, methods));
};

const methodOf = (client: Client, name: RouteName, { body, params, query }: Operation) => {
  const keys = Object.keys(params);
  const call = callerOf(client, name);
  if (body !== undefined)
    return (...args: ReadonlyArray<unknown>) => {
      const [payload, given] = args.slice(keys.length) as [unknown, Record<string, unknown>?];
      const [asked, options] = splitOptions(given, Object.keys(query ?? {}));
      const written = Object.fromEntries(keys.map((key, index) => [key, args[index]]));
      return call({ ...written, ...asked }, options, payload);
    };
  if (keys.length === 0 && query === undefined) return (options?: CallOptions) => call({}, options);
  return (asked: object = {}, options?: CallOptions) => call(asked, options);
};

type Make = {
  readonly [Group in keyof Extras<AnyFace>]: (
    methods: Api<AnyFace>[Group],
    client: Client,
  ) => Extras<AnyFace>[Group];
};

const extras: Make = {
  itemFilters: (methods, { core }) => ({ upsert: upsertFilter(core.kit, methods) }),
  leagues: (methods, { core }) => ({ ranks: fetchRanks(core.kit, methods) }),
  stashes: (methods, { core }) => ({
    all: fetchAllTabs(core.kit, methods),
    some: ({ ids, ...asked }, options) =>
      Array.isArray(ids)
        ? fetchTabs(core.kit, methods.get, asked, {
            stubs: ids.map((id) => ({ id, children: [] })),
            options,
          })
        : core.kit.fail(uncallable("stashes.some", "ids: must be a list")),
  }),
  guildStashes: (methods, { core }) => ({ all: fetchAllTabs(core.kit, methods) }),
  publicStashTabs: (_, client) => ({
    raw: (asked = {}, options) => open(client, "publicStashTabs.page", asked, options),
  }),
  currencyExchange: (_, client) => ({
    raw: (asked = {}, options) => open(client, "currencyExchange.page", asked, options),
  }),
};
