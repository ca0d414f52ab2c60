/**
 * The typed client of the data API: one method per endpoint of §4.2.
 *
 * Every call takes the endpoint's parameters in one object, and `CallOptions`. It gets its access token, checks the scope, waits
 * for its turn under the service's rate limits, retries what may be retried, and succeeds with the decoded result or fails with
 * one of the errors in `Errors`. Absent leagues, matches, characters and stashes are `null`, not errors.
 */
import {
  endpointInfo,
  FilterAccepted,
  FilterUpdated,
  identityWords,
  makeWords,
} from "@game-data/contract";
import type {
  EventLadder,
  ErrorDetail,
  FamilyName,
  FilterCreate,
  FilterUpdate,
  GroupName,
  Ladder,
  MatchLadder,
  Words,
} from "@game-data/contract";
import type {
  Character,
  CurrencyExchangePage,
  ItemFilter,
  League,
  LeagueAccount,
  Profile,
  PublicStashPage,
  PvPMatch,
  StashTab,
} from "@game-data/schemas";
import { Context, Duration, Effect, Layer } from "effect";
import type { Schema, Scope } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import type { CallOptions } from "./CallOptions.ts";
import { toSource } from "./Credentials.ts";
import type { Credentials } from "./Credentials.ts";
import { InvalidRequest } from "./Errors.ts";
import type { GameApiError } from "./Errors.ts";
import { makeCaller } from "./internal/Caller.ts";
import type { Answer } from "./internal/Caller.ts";
import { CircuitBreaker } from "./internal/CircuitBreaker.ts";
import { decodeBody, prepare } from "./internal/Operations.ts";
import type { RequestOf } from "./internal/Operations.ts";
import { LimiterStore } from "./LimiterStore.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";
import type { Forecast, PolicyLimiterOptions } from "./PolicyLimiter.ts";
import { toRawResponse } from "./RawResponse.ts";
import type { RawResponse } from "./RawResponse.ts";
import { retrySettings } from "./Retry.ts";
import type { RetryPolicy } from "./Retry.ts";
import { formatUserAgent } from "./UserAgent.ts";
import type { UserAgent } from "./UserAgent.ts";

export type { RequestOf } from "./internal/Operations.ts";

/** How a client is set up. */
export interface GameApiOptions {
  /** {base_url}: address of the data API. HTTPS, but for a loopback address. */
  readonly baseUrl: string;
  /** The deployment's words, if they are not the specification's. */
  readonly words?: Partial<Words> | undefined;
  /** Where access tokens come from. Left out: calls go without (and the service refuses most). */
  readonly credentials?: Credentials | undefined;
  /** Who is calling. */
  readonly userAgent: UserAgent;
  /** For one request, from sending to the last byte. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined;
  /** For a whole call, waits and retries included. Default: none; a long queue is no failure. */
  readonly totalTimeout?: Duration.Input | undefined;
  /** When and how often to retry. */
  readonly retry?: RetryPolicy | undefined;
  /** Largest body that is decoded, unpacked. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Stops calling a service that keeps failing. Default: off. */
  readonly circuitBreaker?:
    | { readonly failures: number; readonly cooldown: Duration.Input }
    | undefined;
}

/** Result of changing a filter: done, or accepted with more processing to come (HTTP 202), which `error` describes. */
export type FilterOutcome =
  | { readonly status: "updated"; readonly filter: ItemFilter }
  | { readonly status: "accepted"; readonly filter: ItemFilter; readonly error: ErrorDetail };

/** A call that takes parameters. */
type Call<Group extends GroupName, Name extends FamilyName<Group>, A> = (
  request: RequestOf<Group, Name>,
  options?: CallOptions,
) => Effect.Effect<A, GameApiError>;

/** A call that takes optional parameters only. */
type OptionalCall<Group extends GroupName, Name extends FamilyName<Group>, A> = (
  request?: RequestOf<Group, Name>,
  options?: CallOptions,
) => Effect.Effect<A, GameApiError>;

/** A call whose answer is handed out with its body still on the way. */
type RawCall<Group extends GroupName, Name extends FamilyName<Group>> = (
  request?: RequestOf<Group, Name>,
  options?: CallOptions & {
    /** Statuses that are handed out instead of becoming errors. Default: 2xx, and 404 of the exchange's current hour. */
    readonly accepts?: ((status: number) => boolean) | undefined;
  },
) => Effect.Effect<RawResponse, GameApiError, Scope.Scope>;

/** Options of the two calls that write a filter. */
export interface FilterCallOptions extends CallOptions {
  /** Checks the filter against the current game version. */
  readonly validate?: boolean | undefined;
}

/** The functions of the client. */
export interface GameApiService {
  /** The account behind the token. */
  readonly profile: {
    readonly get: (options?: CallOptions) => Effect.Effect<Profile, GameApiError>;
  };
  /** Item filters of the account. */
  readonly itemFilters: {
    /** The online filters, without their text. */
    readonly list: (
      options?: CallOptions,
    ) => Effect.Effect<ReadonlyArray<ItemFilter>, GameApiError>;
    /** One filter with its text. */
    readonly get: Call<"itemFilters", "get", ItemFilter>;
    /** Never repeated after it may have arrived, unless `retryUnsafe` says so. */
    readonly create: (
      filter: FilterCreate,
      options?: FilterCallOptions,
    ) => Effect.Effect<ItemFilter, GameApiError>;
    /** What is left out keeps its value. A public filter cannot be made private again. */
    readonly update: (
      id: string,
      changes: FilterUpdate,
      options?: FilterCallOptions,
    ) => Effect.Effect<FilterOutcome, GameApiError>;
  };
  /** Leagues and their ladders. */
  readonly leagues: {
    readonly list: OptionalCall<"leagues", "list", ReadonlyArray<League>>;
    readonly get: Call<"leagues", "get", League | null>;
    readonly ladder: Call<"leagues", "ladder", Ladder["league"]>;
    readonly eventLadder: Call<"leagues", "eventLadder", EventLadder["league"]>;
  };
  /** PvP matches and their ladders. */
  readonly pvpMatches: {
    readonly list: OptionalCall<"pvpMatches", "list", ReadonlyArray<PvPMatch>>;
    readonly get: Call<"pvpMatches", "get", PvPMatch | null>;
    readonly ladder: Call<"pvpMatches", "ladder", MatchLadder["match"]>;
  };
  /** The account's leagues, private ones included. */
  readonly accountLeagues: {
    readonly list: OptionalCall<"accountLeagues", "list", ReadonlyArray<League>>;
  };
  /** The account's characters. */
  readonly characters: {
    /** Without equipment. */
    readonly list: OptionalCall<"characters", "list", ReadonlyArray<Character>>;
    /** With equipment, inventory and passives. */
    readonly get: Call<"characters", "get", Character | null>;
  };
  /** The account's stash tabs. */
  readonly stashes: {
    /** All tabs of a league, without items. */
    readonly list: Call<"stashes", "list", ReadonlyArray<StashTab>>;
    /** One tab with its items; a sub-tab comes wrapped by its parent. */
    readonly get: Call<"stashes", "get", StashTab | null>;
  };
  /** Allocated atlas passives. */
  readonly leagueAccounts: {
    readonly get: Call<"leagueAccounts", "get", LeagueAccount>;
  };
  /** The guild's stash tabs. */
  readonly guildStashes: {
    readonly list: Call<"guildStashes", "list", ReadonlyArray<StashTab>>;
    readonly get: Call<"guildStashes", "get", StashTab | null>;
  };
  /** The stream of all public stashes. */
  readonly publicStashTabs: {
    readonly page: OptionalCall<"publicStashTabs", "page", PublicStashPage>;
    /** The page's bytes as they arrive. */
    readonly raw: RawCall<"publicStashTabs", "page">;
  };
  /** The history of the currency exchange, hour by hour. */
  readonly currencyExchange: {
    readonly page: OptionalCall<"currencyExchange", "page", CurrencyExchangePage>;
    /** The page's bytes as they arrive. */
    readonly raw: RawCall<"currencyExchange", "page">;
  };
  /** When the next `count` requests to an endpoint would go, as the rate limits are known now. */
  readonly forecast: <Group extends GroupName>(
    group: Group,
    name: FamilyName<Group>,
    count: number,
    options?: { readonly realm?: string },
  ) => Effect.Effect<Forecast, GameApiError>;
}

/** The client. */
export class GameApi extends Context.Service<GameApi, GameApiService>()(
  "@game-data/api-client/GameApi",
) {
  /**
   * A client with a limiter of its own, in the memory of this process. Make one per budget: two of them would not know of each
   * other's requests.
   */
  static layer(
    options: GameApiOptions & { readonly limiter?: PolicyLimiterOptions | undefined },
  ): Layer.Layer<GameApi, never, HttpClient.HttpClient> {
    return GameApi.layerWithLimiter(options).pipe(
      Layer.provide(PolicyLimiter.layer(options.limiter)),
      Layer.provide(LimiterStore.layerMemory),
    );
  }

  /** A client over a `PolicyLimiter` of yours, for example one that shares its state in Redis. */
  static layerWithLimiter(
    options: GameApiOptions,
  ): Layer.Layer<GameApi, never, HttpClient.HttpClient | PolicyLimiter> {
    return Layer.effect(GameApi, makeGameApi(options));
  }
}

/** A client over the `HttpClient` and the `PolicyLimiter` of the context. */
export const makeGameApi = Effect.fnUntraced(function* (options: GameApiOptions) {
  const client = yield* HttpClient.HttpClient;
  const limiter = yield* PolicyLimiter;
  const target = {
    baseUrl: checkAddress(options.baseUrl),
    words: options.words ? makeWords(options.words) : identityWords,
  };
  const { circuitBreaker } = options;
  const call = makeCaller({
    client,
    limiter,
    credentials: options.credentials === undefined ? undefined : toSource(options.credentials),
    userAgent: formatUserAgent(options.userAgent),
    timeout: Duration.toMillis(options.timeout ?? "30 seconds"),
    totalTimeout:
      options.totalTimeout === undefined
        ? Number.POSITIVE_INFINITY
        : Duration.toMillis(options.totalTimeout),
    retry: retrySettings(options.retry),
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    breaker:
      circuitBreaker &&
      new CircuitBreaker(circuitBreaker.failures, Duration.toMillis(circuitBreaker.cooldown)),
  });

  /** A call whose result is the body, or a member of it. */
  const json = <Group extends GroupName, Name extends FamilyName<Group>, Body, A>(
    group: Group,
    name: Name,
    pick: (body: Body) => A,
    isAnswer: (status: number) => boolean = isSuccess,
  ) => {
    const info = endpointInfo(group, name as never);
    const schema = [...info.endpoint.success][0] as Schema.Codec<Body>;
    const decode = decodeBody(schema, info, target.words);
    return (
      request: RequestOf<Group, Name>,
      callOptions: CallOptions = {},
      payload?: unknown,
    ): Effect.Effect<A, GameApiError> =>
      Effect.scoped(
        Effect.flatMap(prepare(target, group, name, request, payload), (prepared) =>
          Effect.map(call(prepared, callOptions, { accepts: isAnswer, read: decode }), pick),
        ),
      );
  };

  const raw =
    <Group extends GroupName, Name extends FamilyName<Group>>(
      group: Group,
      name: Name,
      isAnswer: (status: number) => boolean = isSuccess,
    ): RawCall<Group, Name> =>
    (request, callOptions = {}) =>
      Effect.flatMap(
        prepare(target, group, name, request ?? ({} as RequestOf<Group, Name>)),
        (prepared) =>
          call(prepared, callOptions, {
            accepts: callOptions.accepts ?? isAnswer,
            streams: true,
            read: ({ received, info, about }: Answer) =>
              Effect.succeed(toRawResponse(received, info, about)),
          }),
      );

  const updateInfo = endpointInfo("itemFilters", "update");
  const decodeUpdated = decodeBody(FilterUpdated, updateInfo, target.words);
  const decodeAccepted = decodeBody(FilterAccepted, updateInfo, target.words);
  const update: GameApiService["itemFilters"]["update"] = (id, changes, callOptions = {}) =>
    Effect.scoped(
      Effect.flatMap(
        prepare(target, "itemFilters", "update", { id, ...validateOf(callOptions) }, changes),
        (prepared) =>
          call(prepared, callOptions, {
            accepts: isSuccess,
            read: (answer): Effect.Effect<FilterOutcome, GameApiError> =>
              answer.info.status === 202
                ? Effect.map(decodeAccepted(answer), ({ filter, error }) => ({
                    status: "accepted",
                    filter,
                    error,
                  }))
                : Effect.map(decodeUpdated(answer), ({ filter }) => ({
                    status: "updated",
                    filter,
                  })),
          }),
      ),
    );

  const create = json("itemFilters", "create", (body: { filter: ItemFilter }) => body.filter);
  const profile = json("profile", "get", (body: Profile) => body);
  const filters = json(
    "itemFilters",
    "list",
    (body: { filters: ReadonlyArray<ItemFilter> }) => body.filters,
  );

  return {
    profile: { get: (callOptions) => profile({}, callOptions) },
    itemFilters: {
      list: (callOptions) => filters({}, callOptions),
      get: json("itemFilters", "get", (body: { filter: ItemFilter }) => body.filter),
      create: (filter, callOptions = {}) => create(validateOf(callOptions), callOptions, filter),
      update,
    },
    leagues: {
      list: optional(json("leagues", "list", leaguesOf)),
      get: json("leagues", "get", (body: { league: League | null }) => body.league, isAnswerOrNull),
      ladder: json("leagues", "ladder", (body: Ladder) => body.league),
      eventLadder: json("leagues", "eventLadder", (body: EventLadder) => body.league),
    },
    pvpMatches: {
      list: optional(
        json("pvpMatches", "list", (body: { matches: ReadonlyArray<PvPMatch> }) => body.matches),
      ),
      get: json(
        "pvpMatches",
        "get",
        (body: { match: PvPMatch | null }) => body.match,
        isAnswerOrNull,
      ),
      ladder: json("pvpMatches", "ladder", (body: MatchLadder) => body.match),
    },
    accountLeagues: { list: optional(json("accountLeagues", "list", leaguesOf)) },
    characters: {
      list: optional(
        json(
          "characters",
          "list",
          (body: { characters: ReadonlyArray<Character> }) => body.characters,
        ),
      ),
      get: json(
        "characters",
        "get",
        (body: { character: Character | null }) => body.character,
        isAnswerOrNull,
      ),
    },
    stashes: {
      list: json("stashes", "list", stashesOf),
      get: json("stashes", "get", stashOf, isAnswerOrNull),
    },
    leagueAccounts: {
      get: json(
        "leagueAccounts",
        "get",
        (body: { league_account: LeagueAccount }) => body.league_account,
      ),
    },
    guildStashes: {
      list: json("guildStashes", "list", stashesOf),
      get: json("guildStashes", "get", stashOf, isAnswerOrNull),
    },
    publicStashTabs: {
      page: optional(json("publicStashTabs", "page", (body: PublicStashPage) => body)),
      raw: raw("publicStashTabs", "page"),
    },
    currencyExchange: {
      page: optional(
        json("currencyExchange", "page", (body: CurrencyExchangePage) => body, isAnswerOrNull),
      ),
      raw: raw("currencyExchange", "page", isAnswerOrNull),
    },
    forecast: (group, name, count, where) => {
      const { method, path } = endpointInfo(group, name as never);
      const route = `${method} ${path}${where?.realm === "game2" ? " game2" : ""}`;
      return Effect.mapError(
        limiter.forecast(route, count),
        (error) =>
          new InvalidRequest({ operation: "forecast", route, attempts: 0, detail: error.detail }),
      );
    },
  } satisfies GameApiService as GameApiService;
});

const isSuccess = (status: number) => status >= 200 && status < 300;
const isAnswerOrNull = (status: number) => isSuccess(status) || status === 404;
const leaguesOf = (body: { leagues: ReadonlyArray<League> }) => body.leagues;
const stashesOf = (body: { stashes: ReadonlyArray<StashTab> }) => body.stashes;
const stashOf = (body: { stash: StashTab | null }) => body.stash;

const validateOf = ({ validate }: FilterCallOptions) =>
  validate === undefined ? {} : { validate };

const optional =
  <Request, A>(call: (request: Request, options?: CallOptions) => Effect.Effect<A, GameApiError>) =>
  (request?: Request, options?: CallOptions) =>
    call(request ?? ({} as Request), options);

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A token must not travel in the clear (RFC 6750 §5.3). */
const checkAddress = (baseUrl: string): string => {
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw new TypeError(
      "The address of the data API must be HTTPS, or HTTP on a loopback address.",
    );
  }
  return baseUrl;
};
