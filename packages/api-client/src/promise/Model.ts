/**
 * The types of the client without Effect.
 */
import type { Requests, RouteName } from "@game-data/contract/routes";
import type { Forecast, PolicyLimiterOptions, RouteSnapshot } from "@game-data/rate-limit/effect";
import type { EventLadderEntry, LadderEntry, PvPLadderTeamEntry } from "@game-data/schemas";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { GameApiOptions, GameApiService } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import type { LadderName, LadderPage, PageOptions } from "../operations/ladderPage.ts";
import type { RawResponse } from "../RawResponse.ts";
import type { Transport } from "../Transport.ts";
import type { PromiseCredentials } from "./credentials.ts";
import type { PromiseRawResponse } from "./raw.ts";

/** Options of a client. */
export interface PromiseOptions extends Omit<GameApiOptions, "credentials"> {
  /** A token, a function that gives one, a session, or a source of your own. */
  readonly credentials?: PromiseCredentials | undefined;
  /** The `fetch` to send requests with. Default: `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Another transport, such as `undiciTransport` of `@game-data/api-client/undici`. */
  readonly transport?: Transport | undefined;
  /** Options of the rate limiter. */
  readonly limiter?: PolicyLimiterOptions | undefined;
}

/** The times at which requests can be sent. */
export interface PromiseForecast extends Omit<Forecast, "duration"> {
  /** Milliseconds until the last one can be sent. */
  readonly durationMillis: number;
}

/** One method without Effect. */
type PromiseMethod<Method> = Method extends (
  ...args: infer Args
) => Effect.Effect<RawResponse, infer _E, Scope.Scope>
  ? (...args: Args) => Promise<PromiseRawResponse>
  : Method extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
    ? (...args: Args) => Promise<A>
    : never;

type PromiseGroup<Group> = { readonly [Name in keyof Group]: PromiseMethod<Group[Name]> };

/** Pages and entries of one ladder. */
export interface LadderMethods<Name extends LadderName, Entry> {
  /** The ladder page by page; `limit` is the size of a page. */
  readonly ladderPages: (
    request: Requests[Name],
    options?: PageOptions,
  ) => AsyncIterable<LadderPage<Entry>>;
  /** The ladder entry by entry. */
  readonly ladderEntries: (request: Requests[Name], options?: PageOptions) => AsyncIterable<Entry>;
}

/** The methods of leagues. */
export interface PromiseLeagues
  extends PromiseGroup<GameApiService["leagues"]>, LadderMethods<"leagues.ladder", LadderEntry> {
  /** The event ladder page by page. */
  readonly eventLadderPages: (
    request: Requests["leagues.eventLadder"],
    options?: PageOptions,
  ) => AsyncIterable<LadderPage<EventLadderEntry>>;
  /** The event ladder entry by entry. */
  readonly eventLadderEntries: (
    request: Requests["leagues.eventLadder"],
    options?: PageOptions,
  ) => AsyncIterable<EventLadderEntry>;
}

/** The client without Effect. */
export interface PromiseApi {
  /** The account behind the token. */
  readonly profile: PromiseGroup<GameApiService["profile"]>;
  /** Item filters of the account. */
  readonly itemFilters: PromiseGroup<GameApiService["itemFilters"]>;
  /** Leagues and their ladders. */
  readonly leagues: PromiseLeagues;
  /** PvP matches and their ladders. */
  readonly pvpMatches: PromiseGroup<GameApiService["pvpMatches"]> &
    LadderMethods<"pvpMatches.ladder", PvPLadderTeamEntry>;
  /** The account's leagues, private ones included. */
  readonly accountLeagues: PromiseGroup<GameApiService["accountLeagues"]>;
  /** The account's characters. */
  readonly characters: PromiseGroup<GameApiService["characters"]>;
  /** The account's stash tabs. */
  readonly stashes: PromiseGroup<GameApiService["stashes"]>;
  /** Allocated atlas passives. */
  readonly leagueAccounts: PromiseGroup<GameApiService["leagueAccounts"]>;
  /** The guild's stash tabs. */
  readonly guildStashes: PromiseGroup<GameApiService["guildStashes"]>;
  /** The stream of all public stashes. */
  readonly publicStashTabs: PromiseGroup<GameApiService["publicStashTabs"]>;
  /** The history of the currency exchange, hour by hour. */
  readonly currencyExchange: PromiseGroup<GameApiService["currencyExchange"]>;
  /**
   * Sends a request for a path that the specification does not list, under the same rate limiter,
   * credentials and errors. The body is JSON and is not checked.
   */
  readonly request: (request: UnlistedRequest, options?: CallOptions) => Promise<unknown>;
  /**
   * The same client for another user. All of them share one limiter, one connection pool and one
   * retry budget; the rate limits of accounts are kept per `identity`.
   */
  readonly as: (credentials: PromiseCredentials, options?: AccountOptions) => PromiseApi;
  /**
   * The value of calls together with their last response:
   * `api.withResponse((api) => api.profile.get())`.
   */
  readonly withResponse: <A>(
    calls: (api: PromiseApi) => Promise<A>,
  ) => Promise<{ readonly data: A; readonly response: ResponseInfo | undefined }>;
  /** Forecasts when the next `count` requests to an endpoint could be sent. */
  readonly forecast: (
    operation: RouteName,
    count: number,
    options?: { readonly realm?: string | undefined },
  ) => Promise<PromiseForecast>;
  /** The rate limits of an endpoint, as they are known now. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string | undefined },
  ) => Promise<RouteSnapshot>;
}

/** A client, with the method that ends it. */
export interface GameApi extends PromiseApi {
  /** Ends the calls in flight, also those of other users. Further calls are refused. */
  readonly close: () => Promise<void>;
}
