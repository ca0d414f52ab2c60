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

/** The value of an operation. */
export type OperationValue<Name extends RouteName> = Name extends "itemFilters.update"
  ? FilterOutcome
  : Taken<Name>;

/** The path parameters, the body, and options with the query parameters. */
type WriteArguments<Name extends RouteName, Body> = [
  ...(keyof Routes[Name]["params"] extends never
    ? []
    : [id: Requests[Name][keyof Routes[Name]["params"] & keyof Requests[Name]]]),
  body: Body,
  options?: CallOptions & Omit<Requests[Name], keyof Routes[Name]["params"]>,
];

/** The request of an operation, if it takes one, and options. */
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
  /** The `offset` of the next page; `undefined` on the last one. */
  readonly next: number | undefined;
}

/** An entry of a paged operation. */
export type EntryOf<Name extends PagedName> =
  NonNullable<Taken<Name>> extends infer Value
    ? Value extends ReadonlyArray<infer Entry>
      ? Entry
      : Value extends { readonly entries: ReadonlyArray<infer Entry> }
        ? Entry
        : never
    : never;

/** The lists of a group, page by page and entry by entry. */
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

/** The tabs that were fetched, and the tabs that could not be fetched. */
export interface StashTabs {
  /** Tabs with items. A parent holds its sub-tabs in `children`. */
  readonly tabs: ReadonlyArray<StashTab>;
  readonly failures: ReadonlyArray<TabFailure>;
}

/** A tab that could not be fetched, and the reason. */
export interface TabFailure {
  readonly stash_id: string;
  readonly substash_id?: string | undefined;
  readonly error: GameApiError;
}

/** Options of the calls that fetch many tabs. */
export interface StashCallOptions extends CallOptions {
  /** Maximum requests of this call in flight; the rate limits may permit fewer. Default: 4. */
  readonly concurrency?: number | undefined;
}

/** Options of a raw call. */
export interface RawOptions extends CallOptions {
  /** Statuses that become responses instead of errors. Default: 2xx. */
  readonly accepts?: ((status: number) => boolean) | undefined;
}

/** A response whose body has not been read yet. The connection belongs to the scope. */
export interface RawResponse extends ResponseInfo {
  /** The compression of the bytes: fetch decompresses them, undici does not. */
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
    /** Creates the filter, or updates the one of the same name and realm. */
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
    /** Opens a page and returns its bytes as they arrive. */
    readonly raw: Raw<"publicStashTabs.page">;
  };
  readonly currencyExchange: {
    /** Opens a page and returns its bytes as they arrive. */
    readonly raw: Raw<"currencyExchange.page">;
  };
}

/** The methods of all operations, by group. */
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
  /** A JSON value. */
  readonly body?: unknown;
  /**
   * Method and path template for errors, spans, metrics and the limiter, without names or ids.
   * Default: method and path.
   */
  readonly route?: string | undefined;
  /** The scopes that the request needs, if known. */
  readonly scopes?: ReadonlyArray<string> | undefined;
}

/** The client. */
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
