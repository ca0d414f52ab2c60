/**
 * The types of the client. Methods, their comments in editors and their results follow from the
 * contract's table of operations.
 */
import type { ErrorDetail, FilterCreate } from "@game-data/contract";
import type {
  BodyName,
  BodyOf,
  GroupName,
  operations,
  PagedName,
  Requests,
  RouteName,
  Routes,
  Taken,
} from "@game-data/contract/routes";
import type { Forecast, RouteLimits } from "@game-data/rate-limit";
import type { ItemFilter, StashTab } from "@game-data/schemas";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type * as Stream from "effect/Stream";
import type { Credentials } from "./Credentials.ts";
import type { GameApiError, TransportError } from "./Errors.ts";
import type { CallOptions, ResponseInfo } from "./Options.ts";

type Operations = typeof operations;

type Result<A> = Effect.Effect<A, GameApiError>;

/** Result of writing a filter. `accepted` (HTTP 202): the service needs more processing. */
export type FilterOutcome =
  | { readonly status: "created" | "updated"; readonly filter: ItemFilter }
  | { readonly status: "accepted"; readonly filter: ItemFilter; readonly error: ErrorDetail };

/** Value of an operation's method: the documented result, or `FilterOutcome` of a filter update. */
export type OperationValue<Name extends RouteName> = Name extends "itemFilters.update"
  ? FilterOutcome
  : Taken<Name>;

/** Arguments of a method that writes: path parameters, body, options with the query parameters. */
type WriteArguments<Name extends RouteName, Body> = [
  ...(keyof Routes[Name]["params"] extends never
    ? []
    : [id: Requests[Name][keyof Routes[Name]["params"] & keyof Requests[Name]]]),
  body: Body,
  options?: CallOptions & Omit<Requests[Name], keyof Routes[Name]["params"]>,
];

/** Arguments of a method that reads: its parameters in one object, if it has any, and options. */
type Arguments<Name extends RouteName> = Routes[Name] extends {
  readonly body: infer Body extends BodyName;
}
  ? WriteArguments<Name, BodyOf<Body>>
  : string extends keyof Requests[Name]
    ? [options?: CallOptions]
    : Record<never, never> extends Requests[Name]
      ? [request?: Requests[Name], options?: CallOptions]
      : [request: Requests[Name], options?: CallOptions];

type OperationMethod<Name extends RouteName> = (
  ...args: Arguments<Name>
) => Result<OperationValue<Name>>;

/** A page of a list that the service returns in parts, such as a ladder. */
export interface Page<Entry> {
  /** Length of the whole list when the page was made; `undefined` if the service does not report it. */
  readonly total: number | undefined;
  /** Index of the page's first entry. */
  readonly offset: number;
  readonly entries: ReadonlyArray<Entry>;
  /** The `offset` of the next page; `undefined` on the last page. */
  readonly next: number | undefined;
}

/** Type of one entry of a paged operation, such as an entry of a ladder. */
export type EntryOf<Name extends PagedName> =
  NonNullable<Taken<Name>> extends infer Value
    ? Value extends ReadonlyArray<infer Entry>
      ? Entry
      : Value extends { readonly entries: ReadonlyArray<infer Entry> }
        ? Entry
        : never
    : never;

/** Methods of paged operations: `…Pages` streams the pages, `…Entries` the entries of all pages. */
type Lists<Group extends GroupName> = {
  readonly [Name in PagedName & `${Group}.${string}` as `${MethodOf<Name>}Pages`]: (
    ...args: Arguments<Name>
  ) => Stream.Stream<Page<EntryOf<Name>>, GameApiError>;
} & {
  readonly [Name in PagedName & `${Group}.${string}` as `${MethodOf<Name>}Entries`]: (
    ...args: Arguments<Name>
  ) => Stream.Stream<EntryOf<Name>, GameApiError>;
};
type MethodOf<Name> = Name extends `${string}.${infer Method}` ? Method : never;

/** Tabs of a stash. An error of one tab is in `failures`; an error of all tabs fails the call. */
export interface StashTabs {
  /** Tabs with items. A parent holds its sub-tabs in `children`. */
  readonly tabs: ReadonlyArray<StashTab>;
  readonly failures: ReadonlyArray<TabFailure>;
}

/** Error of one tab, with the ids of the request that failed. */
export interface TabFailure {
  readonly stash_id: string;
  readonly substash_id?: string | undefined;
  readonly error: GameApiError;
}

/** Options of `all` and `some`, which fetch many tabs. */
export interface StashCallOptions extends CallOptions {
  /** Maximum requests of this call in flight; the rate limits may permit fewer. Default: 4. */
  readonly concurrency?: number | undefined;
}

/** Options of the `raw` methods, which return a response before its body is read. */
export interface RawOptions extends CallOptions {
  /** Statuses that are not errors. Default: 2xx, and 404 for `currencyExchange.raw`. */
  readonly accepts?: ((status: number) => boolean) | undefined;
}

/** Response whose body has not been read yet. Its connection closes with the scope. */
export interface RawResponse extends ResponseInfo {
  /** Compression of `bytes`. With `fetch` it is `identity`, because `fetch` decompresses them. */
  readonly encoding: string;
  readonly bytes: Stream.Stream<Uint8Array, TransportError>;
}

type Raw<Name extends RouteName> = (
  request?: Requests[Name],
  options?: RawOptions,
) => Effect.Effect<RawResponse, GameApiError, Scope.Scope>;

type FetchTabs<Request> = (request: Request, options?: StashCallOptions) => Result<StashTabs>;

/** Methods that combine operations or leave the body unread. */
interface FurtherMethods {
  readonly itemFilters: {
    /** Creates the filter, or updates the filter with the same name and realm. */
    readonly upsert: (
      filter: FilterCreate,
      options?: CallOptions & { readonly validate?: boolean },
    ) => Result<FilterOutcome>;
  };
  readonly stashes: {
    /** Fetches all tabs of a league with their items, tabs in folders and sub-tabs included. */
    readonly all: FetchTabs<Requests["stashes.list"]>;
    /** Fetches some tabs of a league with their items. Absent tabs are left out. */
    readonly some: FetchTabs<Requests["stashes.list"] & { readonly ids: ReadonlyArray<string> }>;
  };
  readonly guildStashes: {
    /** Fetches all tabs of a league with their items, tabs in folders and sub-tabs included. */
    readonly all: FetchTabs<Requests["guildStashes.list"]>;
  };
  readonly publicStashTabs: {
    /** Opens a page of the stream and returns its bytes as they arrive. */
    readonly raw: Raw<"publicStashTabs.page">;
  };
  readonly currencyExchange: {
    /** Opens an hour of the history and returns its bytes as they arrive. */
    readonly raw: Raw<"currencyExchange.page">;
  };
}

/** Methods of the client by group, such as `stashes.get`. */
export type Groups = {
  readonly [Group in GroupName]: {
    readonly [Method in keyof Operations[Group]]: OperationMethod<
      `${Group}.${Method & string}` & RouteName
    >;
  } & Lists<Group> &
    (Group extends keyof FurtherMethods ? FurtherMethods[Group] : unknown);
};

/** A request for a path that the specification does not list. */
export interface UnlistedRequest {
  /** Default: GET. */
  readonly method?: "GET" | "POST" | undefined;
  /** Path below the base URL, percent-encoded, e.g. `/league-rule/Hardcore`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Any JSON value. */
  readonly body?: unknown;
  /**
   * Method and path template for errors, spans, metrics and the limiter, without names or ids.
   * Default: method and path.
   */
  readonly route?: string | undefined;
  /** The scopes that the request needs, if known. */
  readonly scopes?: ReadonlyArray<string> | undefined;
}

/** Methods of the client for one user. */
export interface GameApiService extends Groups {
  /** Sends a request for an unlisted path, with the same limiter, token and errors. */
  readonly request: (request: UnlistedRequest, options?: CallOptions) => Result<unknown>;
  /** Forecasts when the next `count` requests, at most 10,000, to an endpoint could be sent. */
  readonly forecast: (
    operation: RouteName,
    count: number,
    options?: { readonly realm?: string },
  ) => Result<Forecast>;
  /** Returns the rate limits of an endpoint as far as they are known. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string },
  ) => Result<RouteLimits>;
  /**
   * Returns the client of another user. Both share one limiter, one connection pool and one retry
   * budget; limits of accounts are kept for each `identity`. Throws `ConfigurationInvalid`.
   */
  readonly as: (
    credentials: Credentials,
    options?: { readonly identity?: string },
  ) => GameApiService;
}
