/**
 * The methods of the client, which follow from the contract's table of operations.
 *
 * A face says what a call returns: an effect or a promise. `Api` gives each operation its method,
 * `Extras` adds what takes several requests or hands out a body unread.
 */
import type { FilterCreate } from "@game-data/contract";
import type {
  BodyName,
  BodyOf,
  GroupName,
  operations,
  Requests,
  RouteName,
  Routes,
  Taken,
} from "@game-data/contract/routes";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { CallOptions } from "./CallOptions.ts";
import type { GameApiError } from "./Errors.ts";
import type {
  FilterCallOptions,
  FilterOutcome,
  Rank,
  RanksOptions,
  RanksRequest,
  RawOptions,
  RawResponse,
  StashCallOptions,
  StashTabs,
  TabsRequest,
} from "./Model.ts";

/** What calls return: `out` for a `result`, and `raw` for a response with its body unread. */
export interface Face {
  readonly result: unknown;
  readonly out: unknown;
  readonly raw: unknown;
}

/** Calls return effects. */
export interface EffectFace extends Face {
  readonly out: Effect.Effect<this["result"], GameApiError>;
  readonly raw: Effect.Effect<RawResponse, GameApiError, Scope.Scope>;
}

type Out<F extends Face, A> = (F & { readonly result: A })["out"];

type Operations = typeof operations;

/** The names of the operations of a group. */
export type NameIn<Group extends GroupName> = RouteName & `${Group}.${string}`;

/** Results that say more than the body: which status it came with. */
interface Outcomes {
  readonly "itemFilters.update": FilterOutcome;
}

/** The value of an operation. */
type ValueOf<Name extends RouteName> = Name extends keyof Outcomes ? Outcomes[Name] : Taken<Name>;

/** A written body comes after the name of what it changes; parameters of the query are options. */
type WriteArguments<Name extends RouteName, Body> = [
  ...(keyof Routes[Name]["params"] extends never
    ? []
    : [id: Requests[Name][keyof Routes[Name]["params"] & keyof Requests[Name]]]),
  body: Body,
  options?: CallOptions & Omit<Requests[Name], keyof Routes[Name]["params"]>,
];

/** The arguments of an operation: its request, unless it takes none, and options. */
type Arguments<Name extends RouteName> = Routes[Name] extends {
  readonly body: infer Body extends BodyName;
}
  ? WriteArguments<Name, BodyOf<Body>>
  : string extends keyof Requests[Name]
    ? [options?: CallOptions]
    : Record<never, never> extends Requests[Name]
      ? [request?: Requests[Name], options?: CallOptions]
      : [request: Requests[Name], options?: CallOptions];

/** The method of an operation. */
type Call<Name extends RouteName, F extends Face> = (
  ...args: Arguments<Name>
) => Out<F, ValueOf<Name>>;

/** The methods of all operations, by group. */
export type Api<F extends Face> = {
  readonly [Group in GroupName]: {
    readonly [Method in keyof Operations[Group]]: Call<
      `${Group}.${Method & string}` & RouteName,
      F
    >;
  };
};

/** The methods that no single operation is. */
export interface Extras<F extends Face> {
  readonly itemFilters: {
    /** Creates the filter, or updates the one of the same name and realm. */
    readonly upsert: (filter: FilterCreate, options?: FilterCallOptions) => Out<F, FilterOutcome>;
  };
  readonly leagues: {
    /**
     * As many ranks as wanted, page by page; `null` if there is no such league or ladder. `class`
     * implies `sort: "class"`.
     */
    readonly ranks: (
      request: RanksRequest,
      options?: RanksOptions,
    ) => Out<F, ReadonlyArray<Rank> | null>;
  };
  readonly stashes: {
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: Requests["stashes.list"],
      options?: StashCallOptions,
    ) => Out<F, StashTabs>;
    /** Some tabs of a league with their items. Absent tabs are left out. */
    readonly some: (request: TabsRequest, options?: StashCallOptions) => Out<F, StashTabs>;
  };
  readonly guildStashes: {
    /** All tabs of a league with their items, those in folders and sub-tabs included. */
    readonly all: (
      request: Requests["guildStashes.list"],
      options?: StashCallOptions,
    ) => Out<F, StashTabs>;
  };
  readonly publicStashTabs: {
    /** The page's bytes as they arrive. */
    readonly raw: (request?: Requests["publicStashTabs.page"], options?: RawOptions) => F["raw"];
  };
  readonly currencyExchange: {
    /** The page's bytes as they arrive. */
    readonly raw: (request?: Requests["currencyExchange.page"], options?: RawOptions) => F["raw"];
  };
}

/** The groups of methods of a client. */
export type Groups<F extends Face> = {
  readonly [Group in GroupName]: Api<F>[Group] &
    (Group extends keyof Extras<F> ? Extras<F>[Group] : unknown);
};
