/**
 * The options and the methods of the client.
 */
import type {
  EventLadder,
  FilterCreate,
  FilterUpdate,
  Ladder,
  MatchLadder,
} from "@game-data/contract";
import type { Requests, RouteName, Words } from "@game-data/contract/routes";
import type { UserAgent } from "@game-data/contract/UserAgent";
import type { Forecast, RouteSnapshot } from "@game-data/rate-limit/effect";
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
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { ResponseCache } from "./cache.ts";
import type { CallOptions, Hooks, ResponseInfo } from "./CallOptions.ts";
import type { CircuitBreaker } from "./CircuitBreaker.ts";
import type { Credentials } from "./Credentials.ts";
import type { GameApiError } from "./Errors.ts";
import type {
  AccountOptions,
  FilterCallOptions,
  FilterOutcome,
  InspectBody,
  Rank,
  RanksOptions,
  RanksRequest,
  RawOptions,
  StashCallOptions,
  StashTabs,
  TabsRequest,
  UnlistedRequest,
} from "./Model.ts";
import type { RawResponse } from "./RawResponse.ts";
import type { RetryPolicy } from "./Retry.ts";

/** Options of a client. */
export interface GameApiOptions extends Hooks {
  /** {base_url}: address of the data API. HTTPS, or HTTP on a loopback address. */
  readonly baseUrl: string;
  /** The realm names of the deployment, if they are not the specification's. */
  readonly words?: Partial<Words> | undefined;
  /** The source of access tokens. Left out: calls carry none, and the service refuses most. */
  readonly credentials?: Credentials | undefined;
  /** The calling application. */
  readonly userAgent: UserAgent;
  /** For one request, from sending to the last byte. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined;
  /** For a whole call, waits and retries included. Default: none. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Longest wait for the rate limit or for a `Retry-After`; a longer one fails with `RateLimited`,
   * which names the time. Default: 10 minutes. `"Infinity"` waits without a bound.
   */
  readonly maxWait?: Duration.Input | undefined;
  /** Sets when and how often to retry. */
  readonly retry?: RetryPolicy | undefined;
  /**
   * Whether to learn the limits of a route by one HEAD before its first GET. The service does not
   * count a HEAD. It pays where many calls to one route follow at once. Services have answered HEAD
   * wrongly before, so nothing depends on it. Default: false.
   */
  readonly probe?: boolean | undefined;
  /** Largest body that is decoded, decompressed. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether identical GETs of one user that are in flight at once share one request. Their callers
   * get the same value. Default: true.
   */
  readonly dedupe?: boolean | undefined;
  /**
   * Answers from earlier responses: `makeCache` of `@game-data/api-client/cache`. Default: none.
   */
  readonly cache?: ResponseCache | undefined;
  /** Looks at every decoded body: `driftInspector` of `@game-data/api-client/drift`. */
  readonly inspect?: InspectBody | undefined;
  /**
   * Stops calling a service that keeps failing: `makeCircuitBreaker` of
   * `@game-data/api-client/circuit-breaker`. Default: none.
   */
  readonly circuitBreaker?: CircuitBreaker | undefined;
}

/** A call that takes parameters. */
type Call<Name extends RouteName, A> = (
  request: Requests[Name],
  options?: CallOptions,
) => Effect.Effect<A, GameApiError>;

/** A call that takes optional parameters only. */
type OptionalCall<Name extends RouteName, A> = (
  request?: Requests[Name],
  options?: CallOptions,
) => Effect.Effect<A, GameApiError>;

/** A call that hands out its response with the body unread. */
type RawCall<Name extends RouteName> = (
  request?: Requests[Name],
  options?: RawOptions,
) => Effect.Effect<RawResponse, GameApiError, Scope.Scope>;

/** The methods of the client. */
export interface GameApiService {
  /** The account behind the token. */
  readonly profile: {
    /** Name, locale and linked stream of the account. */
    readonly get: (options?: CallOptions) => Effect.Effect<Profile, GameApiError>;
  };
  /** Item filters of the account. */
  readonly itemFilters: {
    /** The online filters, without their text. */
    readonly list: (
      options?: CallOptions,
    ) => Effect.Effect<ReadonlyArray<ItemFilter>, GameApiError>;
    /** One filter with its text. */
    readonly get: Call<"itemFilters.get", ItemFilter>;
    /** Never repeated after it may have arrived, unless `retryUnsafe` is set. */
    readonly create: (
      filter: FilterCreate,
      options?: FilterCallOptions,
    ) => Effect.Effect<ItemFilter, GameApiError>;
    /** Members left out keep their values. A public filter cannot be made private again. */
    readonly update: (
      id: string,
      changes: FilterUpdate,
      options?: FilterCallOptions,
    ) => Effect.Effect<FilterOutcome, GameApiError>;
    /** Creates the filter, or updates the one of the same name and realm. */
    readonly upsert: (
      filter: FilterCreate,
      options?: FilterCallOptions,
    ) => Effect.Effect<FilterOutcome, GameApiError>;
  };
  /** Leagues and their ladders. Streams of ladders are in `@game-data/api-client/pages`. */
  readonly leagues: {
    readonly list: OptionalCall<"leagues.list", ReadonlyArray<League>>;
    readonly get: Call<"leagues.get", League | null>;
    readonly ladder: Call<"leagues.ladder", Ladder["league"]>;
    readonly eventLadder: Call<"leagues.eventLadder", EventLadder["league"]>;
    /**
     * As many ranks as wanted, page by page; `null` if there is no such league or ladder. `class`
     * implies `sort: "class"`.
     */
    readonly ranks: (
      request: RanksRequest,
      options?: RanksOptions,
    ) => Effect.Effect<ReadonlyArray<Rank> | null, GameApiError>;
  };
  /** PvP matches and their ladders. */
  readonly pvpMatches: {
    readonly list: OptionalCall<"pvpMatches.list", ReadonlyArray<PvPMatch>>;
    readonly get: Call<"pvpMatches.get", PvPMatch | null>;
    readonly ladder: Call<"pvpMatches.ladder", MatchLadder["match"]>;
  };
  /** The account's leagues, private ones included. */
  readonly accountLeagues: {
    readonly list: OptionalCall<"accountLeagues.list", ReadonlyArray<League>>;
  };
  /** The account's characters. */
  readonly characters: {
    /** Without equipment. */
    readonly list: OptionalCall<"characters.list", ReadonlyArray<Character>>;
    /** With equipment, inventory and passives. */
    readonly get: Call<"characters.get", Character | null>;
  };
  /** The account's stash tabs. */
  readonly stashes: {
    /** All tabs of a league, without items. */
    readonly list: Call<"stashes.list", ReadonlyArray<StashTab>>;
    /** One tab with its items; a sub-tab comes wrapped in its parent. */
    readonly get: Call<"stashes.get", StashTab | null>;
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: Requests["stashes.list"],
      options?: StashCallOptions,
    ) => Effect.Effect<StashTabs, GameApiError>;
    /** Some tabs of a league with their items. Absent tabs are left out. */
    readonly some: (
      request: TabsRequest,
      options?: StashCallOptions,
    ) => Effect.Effect<StashTabs, GameApiError>;
  };
  /** Allocated atlas passives. */
  readonly leagueAccounts: {
    readonly get: Call<"leagueAccounts.get", LeagueAccount>;
  };
  /** The guild's stash tabs. */
  readonly guildStashes: {
    readonly list: Call<"guildStashes.list", ReadonlyArray<StashTab>>;
    readonly get: Call<"guildStashes.get", StashTab | null>;
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: Requests["guildStashes.list"],
      options?: StashCallOptions,
    ) => Effect.Effect<StashTabs, GameApiError>;
  };
  /** The stream of all public stashes. */
  readonly publicStashTabs: {
    readonly page: OptionalCall<"publicStashTabs.page", PublicStashPage>;
    /** The page's bytes as they arrive. */
    readonly raw: RawCall<"publicStashTabs.page">;
  };
  /** The history of the currency exchange, hour by hour. */
  readonly currencyExchange: {
    readonly page: OptionalCall<"currencyExchange.page", CurrencyExchangePage>;
    /** The page's bytes as they arrive. */
    readonly raw: RawCall<"currencyExchange.page">;
  };
  /**
   * Sends a request for a path that the specification does not list, under the same rate limiter,
   * credentials and errors. The body is JSON and is not checked.
   */
  readonly request: (
    request: UnlistedRequest,
    options?: CallOptions,
  ) => Effect.Effect<unknown, GameApiError>;
  /**
   * The same client for another user. All of them share one limiter, one connection pool and one
   * retry budget; the rate limits of accounts are kept per `identity`.
   */
  readonly as: (credentials: Credentials, options?: AccountOptions) => GameApiService;
  /**
   * The value of calls together with their last response; `response` is `undefined` if none came.
   * `api.withResponse((api) => api.profile.get())`.
   */
  readonly withResponse: <A, E, R>(
    calls: (api: GameApiService) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<{ readonly data: A; readonly response: ResponseInfo | undefined }, E, R>;
  /** Forecasts when the next `count` requests to an endpoint could be sent. */
  readonly forecast: (
    operation: RouteName,
    count: number,
    options?: { readonly realm?: string | undefined },
  ) => Effect.Effect<Forecast, GameApiError>;
  /** The rate limits of an endpoint, as they are known now. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string | undefined },
  ) => Effect.Effect<RouteSnapshot, GameApiError>;
}
