/**
 * Follows a stream in one call, for programs without Effect: source, store, lease and page log
 * behind one async iterable.
 *
 * Use it where the program keeps something of its own of the changes. Store `version` in the
 * transaction of the rows and pass it as `after` at the next start: whatever ends the program,
 * nothing is missing and nothing is applied twice. `Follower.run` has what is left out here:
 * policies, several streams in one process, metrics.
 *
 * ```ts
 * import { createGameApi } from "@game-data/api-client/promise";
 * import { fixtureHttp } from "@game-data/api-client/testing";
 * import { follow } from "@game-data/stream-follower/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   credentials: "token",
 *   http: fixtureHttp({
 *     "publicStashTabs.page": { body: { next_change_id: "1", stashes: [] } },
 *   }),
 * });
 * const store = "sqlite::memory:";
 * for await (const { changes } of follow({ source: "stashes", store, api, until: "caughtUp" })) {
 *   if (changes.length !== 0) throw new Error("an empty page has no changes");
 * }
 * await api.close();
 * ```
 */
import {
  checkOption,
  checkOptions,
  type ConfigurationInvalidError,
  type Expected,
  having,
  oneOf,
  text,
} from "./core/options.ts";
import type { Item } from "@game-data/schemas/Item";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Stream from "effect/Stream";
import * as Changes from "./Changes.ts";
import type { DriverMissing, InvalidStoreUrl, RunError, SinkError } from "./Errors.ts";
import * as Follower from "./Follower.ts";
import type { ExchangeRealm, StashChange, StreamSource } from "./Model.ts";
import { PageSource } from "./PageSource.ts";
import * as StoreUrl from "./StoreUrl.ts";
import { checkStream, position, STREAM } from "./core/checkOptions.ts";
import { fromPromise, type PromiseFollowApi } from "./api-client/GameApiSource.ts";

/** A stash whose items may lack any member: the service's rows are not checked against a schema. */
export interface FollowedChange extends StashChange {
  /** The items as the service sent them; none for an unlisted stash. */
  readonly items: ReadonlyArray<Partial<Item>>;
}

/** The changes of one page. */
export interface FollowedBatch extends Changes.ChangeBatch {
  /** The stashes of the page, in order; empty for the exchange. */
  readonly changes: ReadonlyArray<FollowedChange>;
}

/** Which stream, with which client, into which store. */
export interface FollowOptions {
  /** `stashes` for the public stash stream, `exchange` for the hours of the currency exchange. */
  readonly source: StreamSource;
  /** Default `pc`; `game2` has the exchange only. */
  readonly realm?: ExchangeRealm | undefined;
  /**
   * `sqlite:FILE`, `postgres://…` or `nats://…`; see `StoreUrl`. `sqlite::memory:` keeps the pages
   * in memory until the loop ends: for tests and trials.
   */
  readonly store: string;
  /** The client. Its token needs `service:psapi` for stashes, `service:cxapi` for the exchange. */
  readonly api: PromiseFollowApi;
  /**
   * The stored version, with the batch's `nextId` where a replaced store shall be noticed. Default:
   * from the oldest page of the store on.
   */
  readonly after?: Changes.SubscribeOptions["after"];
  /** `caughtUp` ends the loop at the end of the stream. Default: it goes on for ever. */
  readonly until?: "caughtUp" | undefined;
  /** Ends the loop, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What the loop throws, besides the reason of its signal. */
export type FollowError =
  | Changes.ChangesError
  | ConfigurationInvalidError
  | DriverMissing
  | InvalidStoreUrl
  | RunError
  | SinkError;

/**
 * Follows the stream into the store and gives the changes of each page once they are durable. The
 * loop's end, also by `break`, ends the follower and gives its lease back; the page that was given
 * last is in the store. Throws `FollowError`.
 */
export const follow = (options: FollowOptions): AsyncIterable<FollowedBatch> => ({
  async *[Symbol.asyncIterator]() {
    checkFollowOptions(options);
    const { api, signal, store } = options;
    signal?.throwIfAborted();
    const runtime = ManagedRuntime.make(
      Layer.merge(
        Layer.unwrap(Effect.map(StoreUrl.parse(store), (url) => StoreUrl.layer(url))),
        Layer.succeed(PageSource, fromPromise(api)),
      ),
    );
    try {
      yield* await runtime.runPromise(Stream.toAsyncIterableEffect(batches(options)), { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      await runtime.dispose();
    }
  },
});

const FOLLOW: Readonly<Record<keyof FollowOptions, Expected>> = {
  ...STREAM,
  store: text,
  api: {
    is: "a client: createGameApi of @game-data/api-client/promise",
    fits: (value) => {
      const { currencyExchange, publicStashTabs } = (value ?? {}) as Partial<FollowOptions["api"]>;
      return [currencyExchange, publicStashTabs].every((each) => typeof each?.raw === "function");
    },
  },
  after: position,
  until: oneOf("caughtUp"),
  signal: having("throwIfAborted", "addEventListener"),
};

/** Throws where an option cannot work; source, store and client are required. */
const checkFollowOptions = (options: FollowOptions): void => {
  checkOptions(options, FOLLOW);
  checkStream(options);
  for (const name of ["store", "api"] as const) {
    checkOption(name, options[name] ?? null, FOLLOW[name]);
  }
};

/** The log behind a follower that runs beside it; ends as the follower ends. */
const batches = ({ after, realm = "pc", signal, source, until }: FollowOptions) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const follower = yield* Effect.forkScoped(
        Follower.run({ source, realm, until: until ?? "forever" } as Follower.StashRun),
      );
      const key = { source, realm };
      const hasEnded = () => follower.pollUnsafe() !== undefined;
      return Changes.subscribe({ key, after, until: hasEnded }).pipe(
        Stream.concat(Stream.fromEffectDrain(Fiber.join(follower))),
        Stream.map((batch) => batch as FollowedBatch),
        Stream.interruptWhen(signal === undefined ? Effect.never : aborted(signal)),
      );
    }),
  );

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.die(signal.reason));
    signal.addEventListener("abort", end, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", end));
  });
