/**
 * Requests, options and results of the client's methods.
 */
import type { ErrorDetail } from "@game-data/contract";
import type { Requests, RouteName } from "@game-data/contract/routes";
import type { ItemFilter, LadderEntry, EventLadderEntry, StashTab } from "@game-data/schemas";
import type { CallOptions, ResponseInfo } from "./CallOptions.ts";
import type { CallInfo, GameApiError } from "./Errors.ts";

/** The tabs that were fetched, and the failures. */
export interface StashTabs {
  /** With items. A parent holds its sub-tabs in `children`. */
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

/** Some tabs of a league. */
export type TabsRequest = Requests["stashes.list"] & {
  /** The ids of the tabs. */
  readonly ids: ReadonlyArray<string>;
};

/**
 * Result of writing a filter: done, or accepted with more processing to come (HTTP 202), which
 * `error` describes.
 */
export type FilterOutcome =
  | { readonly status: "created" | "updated"; readonly filter: ItemFilter }
  | { readonly status: "accepted"; readonly filter: ItemFilter; readonly error: ErrorDetail };

/** Options of the two calls that write a filter. */
export interface FilterCallOptions extends CallOptions {
  /** Whether the filter is checked against the current game version. */
  readonly validate?: boolean | undefined;
}

/** Options of a raw call. */
export interface RawOptions extends CallOptions {
  /**
   * Statuses that become responses instead of errors. Default: 2xx, and 404 of the exchange's
   * current hour.
   */
  readonly accepts?: ((status: number) => boolean) | undefined;
}

/**
 * A response whose body has not been read yet, with authentication, rate limits and typed errors
 * already applied.
 *
 * For bodies too large or too many to decode at once. The connection belongs to the surrounding
 * scope: leaving the scope aborts it. Timeouts of the call end with the headers, so watch the
 * body's progress yourself. `@game-data/api-client/raw` makes streams of the body.
 */
export interface RawResponse extends ResponseInfo {
  /**
   * The compression of the bytes: `identity`, `gzip`, … Fetch decompresses by itself, undici does
   * not.
   */
  readonly encoding: string;
  /** The next bytes; `undefined` at the end. Rejects if the connection breaks. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Most bytes of a compressed body when it is decompressed: the client's option. */
  readonly maxBodyBytes: number;
  /** Releases the connection. */
  readonly abort: () => void;
  /** The facts that errors of the body carry. */
  readonly callInfo: CallInfo;
}

/** An entry of either ladder: of a character, or of a private league. */
export type Rank = LadderEntry | EventLadderEntry;

/** Which ranks of which ladder. */
export type RanksRequest = Omit<Requests["leagues.ladder"], "limit"> & {
  /**
   * Whether to read the event's ladder of private leagues, which has one order only: `sort` and
   * `class` do not apply to it. Default: false.
   */
  readonly event?: boolean | undefined;
  /** Ranks to fetch. Default: all that the service shows, at most 15 000. */
  readonly count?: number | undefined;
};

/** Options of `leagues.ranks`. */
export interface RanksOptions extends CallOptions {
  /** Called with the number of ranks so far, after each page. */
  readonly onProgress?: ((ranks: number) => void) | undefined;
}

/** A request for a path that the route table does not know. */
export interface UnlistedRequest {
  /** Default: GET. */
  readonly method?: "GET" | "POST" | undefined;
  /** Path below the base URL, percent-encoded, e.g. `/league-rule/Hardcore`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** A JSON value. */
  readonly body?: unknown;
  /**
   * Method and path template for errors, metrics and the rate limiter, e.g.
   * `GET /league-rule/:name`. Default: the method and the path itself.
   */
  readonly route?: string | undefined;
  /** The scopes that it needs, if known. */
  readonly scopes?: ReadonlyArray<string> | undefined;
}

/** Looks at every decoded body, such as for drift; returns the number of differences found. */
export type InspectBody = (body: unknown, operation: RouteName, status: number) => number;

/** The identity of a user; see `TokenSource.identity`. */
export interface AccountOptions {
  /** The user, as the rate limiter tells users apart: an account's id, never a token. */
  readonly identity?: string | undefined;
}
