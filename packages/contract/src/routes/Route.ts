/** The entries of the table of operations, as plain data. */
import type { Scope } from "../Scope.ts";
import type * as bodies from "./bodies.ts";
import type { Rule } from "./rules.ts";

/** The name of a request or response body, such as `LeagueList`. */
export type BodyName = keyof typeof bodies;

/** An operation of the data API: its path, parameters, scopes and bodies. */
export interface Route {
  readonly method: "GET" | "POST";
  /**
   * Path template: `:name` is a required parameter and `:name?` an optional one, as in
   * `/stash/:realm?/:league/:stash_id/:substash_id?`.
   */
  readonly path: string;
  /**
   * Method and template, mostly without the realm, as errors, metrics and rate limiters name the
   * operation: `GET /stash/:league/:stash_id/:substash_id?`.
   */
  readonly route: string;
  /** The scopes that the operation needs. A token must have all of them. */
  readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>];
  /** The parameters in the path. A path without a realm means `pc`. */
  readonly params: Readonly<Record<string, Rule>>;
  /** The parameters in the query, which are all optional. */
  readonly query?: Readonly<Record<string, Rule>>;
  /** The parameter that a value of another parameter requires: `type=season` needs `season`. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Defaults of absent parameters, except `pc` for a realm and 0 for an offset. */
  readonly defaults?: Readonly<Record<string, string | number>>;
  /** Number of entries that pages can reach. Absent if pages can reach all entries (§8). */
  readonly depth?: number;
  /**
   * The parameter whose value could be read as a realm. If the value is a realm, the path contains
   * `/pc`: `/stash/pc/console_a/x`.
   */
  readonly pcWhen?: string;
  /** The JSON body that a request must have. Absent if the operation takes no body. */
  readonly body?: BodyName;
  /** The JSON bodies of responses, by status. */
  readonly results: Readonly<Record<number, BodyName>>;
  /** The member of the body that clients return. Default: the whole body. */
  readonly take?: string;
  /** Whether the body may arrive with status 404 if the resource does not exist (§7). */
  readonly isNullable?: boolean;
}

/**
 * An entry of the table. Default of `method`: `GET`; of `route`: the method and the path without the
 * realm.
 */
export type Operation = Omit<Route, "method" | "route"> & Partial<Pick<Route, "method" | "route">>;

/** One operation of the OAuth server. `OAuth` has its parameters and bodies. */
export interface OAuthRoute extends Pick<Route, "method" | "path" | "route"> {
  readonly scopes: ReadonlyArray<Scope>;
}
