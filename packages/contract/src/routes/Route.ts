/** One operation of the data API as plain data. */
import type { Scope } from "../Scope.ts";
import type { BodyName } from "./bodies.ts";
import type { Rule } from "./rules.ts";

/** One operation: where it is, what it takes, and what its token must have. */
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
  /** The scopes that a token must have: all of them. */
  readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>];
  /** The parameters in the path. The realm `pc` is said by leaving it out. */
  readonly params: Readonly<Record<string, Rule>>;
  /** The parameters in the query, all of them optional. */
  readonly query?: Readonly<Record<string, Rule>>;
  /** Parameters that a word of another one asks for: `type=season` needs `season`. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Values that hold where a request leaves a parameter out. A realm is `pc`, an offset 0. */
  readonly defaults?: Readonly<Record<string, string | number>>;
  /** Entries that pages can reach, if not all (§8). */
  readonly depth?: number;
  /**
   * The parameter that could be read as a realm. Where its value is one, the path spells `pc`:
   * `/stash/pc/console_a/x`.
   */
  readonly pcWhen?: string;
  /** The JSON body that the operation takes. */
  readonly body?: BodyName;
  /** The JSON bodies that it answers with, by status. */
  readonly results: Readonly<Record<number, BodyName>>;
  /** The member of the body that clients return. Default: the whole body. */
  readonly take?: string;
  /** Whether an absent thing may come as its body with status 404 (§7). */
  readonly isNullable?: boolean;
}

/**
 * An entry of the table: `method` stands there where it is not `GET`, `route` where it is not the
 * path without the realm.
 */
export type Operation = Omit<Route, "method" | "route"> & Partial<Pick<Route, "method" | "route">>;

/** One operation of the OAuth server. Its parameters and bodies are those of `OAuth`. */
export interface OAuthRoute extends Pick<Route, "method" | "path" | "route"> {
  readonly scopes: ReadonlyArray<Scope>;
}
