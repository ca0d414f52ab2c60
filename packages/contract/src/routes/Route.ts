/** One operation of the data API as plain data. */
import type { Scope } from "../Scope.ts";
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
   * Method and template without the realm, as errors, metrics and rate limiters name the operation:
   * `GET /stash/:league/:stash_id/:substash_id?`.
   */
  readonly route: string;
  /** The scopes that a token must have: all of them. */
  readonly scopes: ReadonlyArray<Scope>;
  /** The parameters in the path. The realm `pc` is said by leaving it out. */
  readonly params: Readonly<Record<string, Rule>>;
  /** The parameters in the query, all of them optional. */
  readonly query?: Readonly<Record<string, Rule>>;
  /** Values that hold where a request leaves a parameter out. */
  readonly defaults?: Readonly<Record<string, string | number>>;
  /**
   * The parameter that could be read as a realm. Where its value is one, the path spells `pc`:
   * `/stash/pc/console_a/x`.
   */
  readonly pcWhen?: string;
  /** The JSON body that the operation takes. */
  readonly body?: string;
  /** The JSON bodies that it answers with, by status. */
  readonly results: Readonly<Record<number, string>>;
}

/** One operation of the OAuth server. Its parameters and bodies are those of `OAuth`. */
export type OAuthRoute = Pick<Route, "method" | "path" | "route" | "scopes">;
