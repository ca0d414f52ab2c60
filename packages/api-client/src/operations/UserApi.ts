/** The client of a user, with a method for each operation of the contract's table. */
import type { FilterAccepted, FilterCreate, FilterUpdated } from "@game-data/contract";
import {
  type GroupName,
  type Operation,
  operations,
  pageLimit,
  type PagedName,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import {
  type Forecast,
  LimiterOptionInvalid,
  type LimiterStoreError,
  PolicyLimiter,
  type RouteLimits,
} from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type {
  FilterOutcome,
  GameApiService,
  Groups,
  Page,
  RawOptions,
  UnlistedRequest,
} from "../Api.ts";
import {
  type Caller,
  limiterKey,
  makeCall,
  operationRequest,
  type Services,
  unlistedRequest,
} from "../call/Call.ts";
import { limiterError } from "../call/toError.ts";
import { accepts, anyJson, operationDecoder } from "../call/response.ts";
import { forCalls, openCall, runCall } from "../call/runCall.ts";
import { type Credentials, toTokenSource } from "../Credentials.ts";
import { type GameApiError, InvalidRequest } from "../Errors.ts";
import { type CallOptions, checkOptions, type Settings } from "../Options.ts";
import { fetchAllTabs, fetchSomeTabs } from "./stashes.ts";

/** Takes the HTTP client and the limiter of a client from the context. */
export const makeServices: Effect.Effect<Services, never, HttpClient.HttpClient | PolicyLimiter> =
  Effect.gen(function* () {
    return { http: forCalls(yield* HttpClient.HttpClient), limiter: yield* PolicyLimiter };
  });

/** Makes the client of the user whose credentials are in `settings`. */
export const makeApi = (settings: Settings, services: Effect.Effect<Services>) => {
  const { retry, source } = settings;
  const credit = { remaining: retry.budget };
  const user = new UserApi({ settings, services, credit, source, identity: source?.identity });
  return user as unknown as GameApiService;
};

/** Number of the next user whose credentials have no identity. */
let nextUser = 1;

/**
 * A client whose groups (`stashes`, `leagues`, …) are made when they are used. Their getters are on
 * the prototype, because getters of each instance would cost 20 kB a user.
 */
export abstract class LazyGroups {
  abstract makeGroup(group: GroupName): object;

  static {
    for (const group of Object.keys(operations) as ReadonlyArray<GroupName>)
      Object.defineProperty(LazyGroups.prototype, group, {
        get(this: LazyGroups) {
          const value = this.makeGroup(group);
          Object.defineProperty(this, group, { value });
          return value;
        },
      });
  }
}

/** Implements `GameApiService` for one user. */
class UserApi extends LazyGroups {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super();
    this.caller = caller;
  }

  override makeGroup(group: GroupName): object {
    const methods: Record<string, any> = {};
    for (const [method, operation] of Object.entries<Operation>(operations[group]))
      Object.assign(methods, operationMethods(this.caller, group, method, operation));
    return Object.assign(methods, furtherMethods[group]?.(methods, this.caller));
  }

  request(request: UnlistedRequest, options: CallOptions = {}) {
    const { method = "GET", path, route = `${method} ${path}` } = Object(request);
    const call = makeCall(this.caller, { operation: "request", route }, options, (settings) =>
      unlistedRequest(settings, { ...request, method, route }),
    );
    return Effect.flatMap(call, (made) => runCall(made, anyJson));
  }

  forecast(operation: RouteName, count: number, options?: RealmOption) {
    return this.#read("forecast", operation, options, count);
  }

  limits(operation: RouteName, options?: RealmOption) {
    return this.#read("limits", operation, options);
  }

  #read(
    method: "forecast" | "limits",
    operation: RouteName,
    options: RealmOption | undefined,
    count = 1,
  ): Effect.Effect<Forecast | RouteLimits, GameApiError> {
    const { identity, services } = this.caller;
    const facts = { operation: method, route: "", attempts: 0 };
    if (!Object.hasOwn(routes, operation)) {
      const detail = "operation must be the name of an operation, such as profile.get";
      return Effect.fail(new InvalidRequest({ ...facts, detail }));
    }
    const route = limiterKey(operation, options?.realm);
    return services.pipe(
      Effect.flatMap(({ limiter }): Effect.Effect<Forecast | RouteLimits, LimiterStoreError> =>
        limiter[method]({ route, identity }, count),
      ),
      Effect.mapError((error) => limiterError({ ...facts, route }, error)),
      Effect.catchDefect((defect) => {
        if (!(defect instanceof LimiterOptionInvalid)) return Effect.die(defect);
        const detail = `${defect.option} must be ${defect.expected}`;
        return Effect.fail(new InvalidRequest({ ...facts, route, detail, cause: defect }));
      }),
    );
  }

  as(credentials: Credentials, options: { readonly identity?: string } = {}): UserApi {
    checkOptions(options);
    const source = toTokenSource(credentials);
    const identity = options.identity ?? source.identity ?? `user-${nextUser++}`;
    return new UserApi({ ...this.caller, source, identity });
  }
}

interface RealmOption {
  readonly realm?: string;
}

/** The methods that combine operations or leave the body unread. */
const furtherMethods: {
  readonly [Group in GroupName]?: (methods: any, caller: Caller) => object;
} = {
  itemFilters: (methods) => ({ upsert: upsertFilter(methods) }),
  stashes: (methods) => ({ all: fetchAllTabs(methods), some: fetchSomeTabs(methods) }),
  guildStashes: (methods) => ({ all: fetchAllTabs(methods) }),
  publicStashTabs: (_, caller) => ({ raw: rawMethod(caller, "publicStashTabs") }),
  currencyExchange: (_, caller) => ({ raw: rawMethod(caller, "currencyExchange") }),
};

/** Creates the filter, or updates the filter with the same name and realm. */
const upsertFilter = ({ create, list, update }: Groups["itemFilters"]) =>
  Effect.fnUntraced(function* (
    filter: FilterCreate,
    options: CallOptions & { readonly validate?: boolean } = {},
  ): Effect.fn.Return<FilterOutcome, GameApiError> {
    const filters = yield* list(options);
    const existing = filters.find(
      ({ filter_name, realm }) => filter_name === filter.filter_name && realm === filter.realm,
    );
    if (existing === undefined)
      return { status: "created", filter: yield* create(filter, options) };
    // A public filter stays public (§3), so `public: false` is left out.
    const { public: isPublic, ...rest } = filter;
    const changes = { ...rest, ...(isPublic === true && { public: true as const }) };
    return yield* update(existing.id, changes, options);
  });

const operationMethods = (
  caller: Caller,
  group: GroupName,
  method: string,
  { body, params, query = {} }: Operation,
) => {
  const name = `${group}.${method}` as RouteName;
  const decoder = operationDecoder(name, valuePicker(name));
  const call = (request: object = {}, options: CallOptions = {}, payload?: unknown) =>
    Effect.flatMap(
      makeCall(caller, { operation: name, route: routes[name].route }, options, (settings) =>
        operationRequest(settings, name, request as never, payload),
      ),
      (made) => runCall(made, decoder),
    );
  const keys = Object.keys(params);
  if (body !== undefined)
    // A write takes the path parameters, the body, and options with the query parameters.
    return {
      [method]: (...args: ReadonlyArray<any>) => {
        const [payload, options = {}] = args.slice(keys.length);
        const request = Object.fromEntries([
          ...keys.map((key, index) => [key, args[index]]),
          ...Object.keys(query).map((key) => [key, options?.[key]]),
        ]);
        return call(request, options, payload);
      },
    };
  if (keys.length + Object.keys(query).length === 0)
    return { [method]: (options?: CallOptions) => call({}, options) };
  const read = (request?: object, options?: CallOptions) => call(request, options);
  return { [method]: read, ...listMethods(name, method, read) };
};

/** Returns a function that takes the documented member from a checked body, or all of the body. */
const valuePicker = (name: RouteName): ((body: any, status: number) => unknown) => {
  const { take }: Route = routes[name];
  if (name === "itemFilters.update") return filterOutcome;
  return take === undefined ? (body) => body : (body) => body[take];
};

/** Returns `accepted` for status 202, if `error` says why the update needs more processing. */
const filterOutcome = (body: FilterUpdated | FilterAccepted, status: number): FilterOutcome =>
  status === 202 && "error" in body && body.error
    ? { status: "accepted", filter: body.filter, error: body.error }
    : { status: "updated", filter: body.filter };

const rawMethod =
  (caller: Caller, group: "currencyExchange" | "publicStashTabs") =>
  (request: object = {}, options: RawOptions = {}) => {
    const page = `${group}.page` as const;
    const name = { operation: `${group}.raw`, route: routes[page].route };
    return Effect.flatMap(
      makeCall(caller, name, options, (settings) => operationRequest(settings, page, request)),
      (call) => openCall(call, options.accepts ?? accepts(page)),
    );
  };

interface PageRequest {
  readonly limit?: number;
  readonly offset?: number;
}

/** Returns the methods `…Pages` and `…Entries` of a paged operation, or no methods. */
const listMethods = (
  name: RouteName,
  method: string,
  read: (request: object, options?: CallOptions) => Effect.Effect<unknown, GameApiError>,
) => {
  const { depth = Number.POSITIVE_INFINITY, query = {} }: Route = routes[name];
  if (!("limit" in query && "offset" in query)) return {};
  const pages = (request: PageRequest = {}, options?: CallOptions) => {
    const limit = request.limit ?? pageLimit(name as PagedName).max;
    return Stream.paginate(request.offset ?? 0, (offset) =>
      Effect.map(read({ ...request, limit, offset }, options), (value) => {
        if (value === null) return [[], Option.none<number>()] as const;
        const { entries, total } = toList(value);
        const end = offset + entries.length;
        // `total` alone is not enough, because ladders change while they are read.
        const isLast = entries.length < limit || end >= Math.min(total ?? depth, depth);
        const next = isLast ? undefined : end;
        return [[{ total, offset, entries, next }], Option.fromNullishOr(next)] as const;
      }),
    );
  };
  return {
    [`${method}Pages`]: pages,
    [`${method}Entries`]: (request?: PageRequest, options?: CallOptions) =>
      Stream.flatMap(pages(request, options), ({ entries }) => Stream.fromIterable(entries)),
  };
};

type List = Pick<Page<unknown>, "entries"> & Partial<Pick<Page<unknown>, "total">>;

/** Returns a list as an object. A ladder has its entries in a member; other lists are arrays. */
const toList = (value: unknown): List =>
  Array.isArray(value) ? { entries: value } : (value as List);
