/**
 * The types of the client without Effect.
 */
import type { GroupName, PagedName, Requests, RouteName } from "@game-data/contract/routes";
import type { Forecast, LimiterOptions, RouteLimits } from "@game-data/rate-limit";
import type { Face, Groups, NameIn } from "../Api.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { GameApiOptions } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import type { EntryOf, PageOf, PageOptions } from "../operations/paging.ts";
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
  readonly limiter?: LimiterOptions | undefined;
}

/** Calls return promises. */
export interface PromiseFace extends Face {
  readonly out: Promise<this["result"]>;
  readonly raw: Promise<PromiseRawResponse>;
}

/** The arguments of pages: the request may be left out where all of its members may. */
type PageArguments<Name extends PagedName> =
  Record<never, never> extends Requests[Name]
    ? [request?: Requests[Name], options?: PageOptions]
    : [request: Requests[Name], options?: PageOptions];

type MethodOf<Name> = Name extends `${string}.${infer Method}` ? Method : never;

/**
 * The pages of each operation with `limit` and `offset`, as async iterables: `ladderPages` page by
 * page, where `limit` is the size of a page, and `ladderEntries` entry by entry.
 */
export type PageMethods<Group extends GroupName> = {
  readonly [Name in NameIn<Group> & PagedName as `${MethodOf<Name>}Pages`]: (
    ...args: PageArguments<Name>
  ) => AsyncIterable<PageOf<Name>>;
} & {
  readonly [Name in NameIn<Group> & PagedName as `${MethodOf<Name>}Entries`]: (
    ...args: PageArguments<Name>
  ) => AsyncIterable<EntryOf<Name>>;
};

/** The groups of methods of a client without Effect. */
export type PromiseGroups = {
  readonly [Group in GroupName]: Groups<PromiseFace>[Group] & PageMethods<Group>;
};

/** The client without Effect. */
export interface PromiseApi extends PromiseGroups {
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
  ) => Promise<Forecast>;
  /** The rate limits of an endpoint, as they are known now. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string | undefined },
  ) => Promise<RouteLimits>;
}

/** A client, with the method that ends it. */
export interface GameApi extends PromiseApi {
  /** Ends the calls in flight, also those of other users. Further calls are refused. */
  readonly close: () => Promise<void>;
}
