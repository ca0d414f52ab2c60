/**
 * The typed client of the data API: one method per endpoint of §4.2.
 *
 * Every call takes the endpoint's parameters in one object, and `CallOptions`. It gets its access
 * token, checks the scope, waits for its turn under the service's rate limits, retries what may be
 * retried, and succeeds with the decoded result or fails with one of the errors in `Errors`. Absent
 * leagues, matches, characters and stashes are `null`, not errors.
 */
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
  Drift,
  EventLadderEntry,
  ItemFilter,
  LadderEntry,
  League,
  LeagueAccount,
  Profile,
  PublicStashPage,
  PvPLadderTeamEntry,
  PvPMatch,
  StashTab,
} from "@game-data/schemas";
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type * as Stream from "effect/Stream";
import type * as HttpClient from "effect/http/HttpClient";
import type { CallOptions } from "./CallOptions.ts";
import type { Credentials } from "./Credentials.ts";
import type { GameApiError } from "./Errors.ts";
import { makeGameApi } from "./internal/makeGameApi.ts";
import type { RequestOf } from "./internal/Operations.ts";
import { PolicyLimiter } from "@game-data/rate-limit/effect";
import type { Forecast, PolicyLimiterOptions } from "@game-data/rate-limit/effect";
import type { RawResponse } from "./RawResponse.ts";
import type { RetryPolicy } from "./Retry.ts";
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
  /**
   * Learns the limits of a route by one HEAD before the first GET, which the service does not
   * count. Worth it where many calls to one route follow at once; services have answered it wrongly
   * before, so nothing depends on it. Default: off.
   */
  readonly probe?: boolean | undefined;
  /** Largest body that is decoded, unpacked. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Told where answers depart from the specification: unknown members and words, other types than
   * documented. Default: not looked for. Looking takes a few times as long as decoding: give
   * `driftSample` as well on busy clients.
   */
  readonly onDrift?: ((report: DriftReport) => void) | undefined;
  /** Share of answers that are looked at for drift. Default: 1, all of them. */
  readonly driftSample?: number | undefined;
  /** Stops calling a service that keeps failing. Default: off. */
  readonly circuitBreaker?:
    | { readonly failures: number; readonly cooldown: Duration.Input }
    | undefined;
}

/** Where an answer departs from the specification. */
export interface DriftReport {
  /** The call, e.g. `stashes.get`. */
  readonly operation: string;
  readonly departures: ReadonlyArray<Drift.Departure>;
}

/** All tabs of a league that could be had, and which could not. */
export interface WholeStash {
  /** With items; sub-tabs stand in their parent's `children`. */
  readonly tabs: ReadonlyArray<StashTab>;
  readonly failures: ReadonlyArray<TabFailure>;
}

/** A tab that could not be fetched, and why. */
export interface TabFailure {
  readonly stash_id: string;
  readonly substash_id?: string;
  readonly error: GameApiError;
}

/** Options of the calls that fetch a whole stash. */
export interface StashCallOptions extends CallOptions {
  /** Tabs fetched at once, as far as the rate limits let them. Default: 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Result of writing a filter: done, or accepted with more processing to come (HTTP 202), which
 * `error` describes.
 */
export type FilterOutcome =
  | { readonly status: "created" | "updated"; readonly filter: ItemFilter }
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

/** A ladder as a stream of its entries; `limit` is the size of a page. */
type Entries<Group extends GroupName, Name extends FamilyName<Group>, Entry> = (
  request: RequestOf<Group, Name>,
  options?: CallOptions,
) => Stream.Stream<Entry, GameApiError>;

/** A call whose answer is handed out with its body still on the way. */
type RawCall<Group extends GroupName, Name extends FamilyName<Group>> = (
  request?: RequestOf<Group, Name>,
  options?: CallOptions & {
    /**
     * Statuses that are handed out instead of becoming errors. Default: 2xx, and 404 of the
     * exchange's current hour.
     */
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
    /** Creates the filter, or updates the one that has its name and realm already. */
    readonly push: (
      filter: FilterCreate,
      options?: FilterCallOptions,
    ) => Effect.Effect<FilterOutcome, GameApiError>;
  };
  /** Leagues and their ladders. */
  readonly leagues: {
    readonly list: OptionalCall<"leagues", "list", ReadonlyArray<League>>;
    readonly get: Call<"leagues", "get", League | null>;
    readonly ladder: Call<"leagues", "ladder", Ladder["league"]>;
    readonly eventLadder: Call<"leagues", "eventLadder", EventLadder["league"]>;
    /** The ladder entry by entry, from `offset` on, to its end or to entry 15 000. */
    readonly ladderEntries: Entries<"leagues", "ladder", LadderEntry>;
    /** The event ladder entry by entry. */
    readonly eventLadderEntries: Entries<"leagues", "eventLadder", EventLadderEntry>;
  };
  /** PvP matches and their ladders. */
  readonly pvpMatches: {
    readonly list: OptionalCall<"pvpMatches", "list", ReadonlyArray<PvPMatch>>;
    readonly get: Call<"pvpMatches", "get", PvPMatch | null>;
    readonly ladder: Call<"pvpMatches", "ladder", MatchLadder["match"]>;
    /** The ladder entry by entry. */
    readonly ladderEntries: Entries<"pvpMatches", "ladder", PvPLadderTeamEntry>;
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
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: RequestOf<"stashes", "list">,
      options?: StashCallOptions,
    ) => Effect.Effect<WholeStash, GameApiError>;
  };
  /** Allocated atlas passives. */
  readonly leagueAccounts: {
    readonly get: Call<"leagueAccounts", "get", LeagueAccount>;
  };
  /** The guild's stash tabs. */
  readonly guildStashes: {
    readonly list: Call<"guildStashes", "list", ReadonlyArray<StashTab>>;
    readonly get: Call<"guildStashes", "get", StashTab | null>;
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: RequestOf<"guildStashes", "list">,
      options?: StashCallOptions,
    ) => Effect.Effect<WholeStash, GameApiError>;
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
   * A client with a limiter of its own, in the memory of this process. Make one per budget: two of
   * them would not know of each other's requests.
   */
  static layer(
    options: GameApiOptions & { readonly limiter?: PolicyLimiterOptions | undefined },
  ): Layer.Layer<GameApi, never, HttpClient.HttpClient> {
    return GameApi.layerWithLimiter(options).pipe(
      Layer.provide(PolicyLimiter.layerMemory(options.limiter)),
    );
  }

  /** A client over a `PolicyLimiter` of yours, for example one that shares its state in Redis. */
  static layerWithLimiter(
    options: GameApiOptions,
  ): Layer.Layer<GameApi, never, HttpClient.HttpClient | PolicyLimiter> {
    return Layer.effect(GameApi, makeGameApi(options));
  }
}
