/**
 * Follows a stream in one call, for programs without Effect. One async iterable runs source, store,
 * lease and page log.
 *
 * Store `version` in the transaction of your rows and pass it as `after` at the next start. The
 * program then misses no change and applies none twice, even after a crash. `Follower.run` has more
 * options, and follows several streams in one process.
 */
import type { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import type { Item } from "@game-data/schemas/Item";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import { fromPromise, type PromiseFollowApi } from "./api-client/GameApiSource.ts";
import * as Changes from "./Changes.ts";
import type { DriverMissing, InvalidStoreUrl, RunError, SinkError } from "./Errors.ts";
import * as Follower from "./Follower.ts";
import type { ExchangeRealm, StashChange, StreamSource } from "./Model.ts";
import { checkOptions, streamOptions } from "./Options.ts";
import { PageSource } from "./PageSource.ts";
import * as StoreUrl from "./StoreUrl.ts";

/** A stash of a page. Its items have a type, but are not checked. */
export interface FollowedChange extends StashChange {
  /**
   * The items as the service sent them; none for an unlisted stash. Any member may be absent,
   * because items are not checked. Give a column a default (`note ?? null`), or check an item with
   * `Item.safeDecode` of `@game-data/schemas`.
   */
  readonly items: ReadonlyArray<Partial<Item>>;
}

/** The changes of one committed page. */
export interface FollowedBatch extends Changes.ChangeBatch {
  /** The stashes of the page, in order; empty for the exchange. */
  readonly changes: ReadonlyArray<FollowedChange>;
}

/** The stream, the client that reads it and the store that keeps its pages. */
export interface FollowOptions {
  /** `stashes` for the public stash stream, `exchange` for the hours of the currency exchange. */
  readonly source: StreamSource;
  /** Default `pc`. Only the exchange has `game2`. */
  readonly realm?: ExchangeRealm | undefined;
  /**
   * `sqlite:FILE` or `postgres://…`; see `StoreUrl`. `sqlite::memory:` keeps the pages in memory until
   * the loop ends, for tests and trials.
   */
  readonly store: string;
  /** The client. Its token needs `service:psapi` for stashes, `service:cxapi` for the exchange. */
  readonly api: PromiseFollowApi;
  /**
   * The version to continue after, as the caller stored it. With the batch's `nextId`, a store that
   * was replaced is noticed. Default: begins at the oldest page of the store.
   */
  readonly after?: Changes.SubscribeOptions["after"];
  /** `caughtUp` ends the loop at the end of the stream. Default: the loop does not end. */
  readonly until?: "caughtUp" | undefined;
  /** Ends the loop, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Errors that the loop throws, besides the reason of its signal. */
export type FollowError =
  | Changes.ChangesError
  | ConfigurationInvalid
  | DriverMissing
  | InvalidStoreUrl
  | RunError
  | SinkError;

/**
 * Follows the stream into the store, and emits the changes of each page once they are committed. The
 * end of the loop, also by `break`, ends the follower and releases its lease. Throws `FollowError`.
 *
 * @example
 * ```ts no-run
 * import { createGameApi } from "@game-data/api-client/promise";
 * import { follow } from "@game-data/stream-follower/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example.com",
 *   credentials: () => process.env["ACCESS_TOKEN"] ?? "",
 *   userAgent: { clientId: "my-program", version: "1.0.0", contact: "me@example.com" },
 * });
 * for await (const { changes } of follow({ source: "stashes", store: "sqlite:pages.db", api }))
 *   console.log(changes.length);
 * ```
 */
export const follow = (options: FollowOptions): AsyncIterable<FollowedBatch> => ({
  async *[Symbol.asyncIterator]() {
    checkOptions(VALIDATOR, options);
    const { api, signal, store } = options;
    signal?.throwIfAborted();
    const services = Layer.merge(
      Layer.unwrap(Effect.map(StoreUrl.parse(store), (url) => StoreUrl.layer(url))),
      Layer.succeed(PageSource, fromPromise(api)),
    );
    const followed = batches(options).pipe(
      Stream.provide(services),
      Stream.interruptWhen(signal === undefined ? Effect.never : aborted(signal)),
    );
    try {
      yield* Stream.toAsyncIterable(followed);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
});

/** Emits the changes in the log of a follower, which runs in a fiber. Ends with the follower. */
const batches = ({ after, realm = "pc", source, until }: FollowOptions) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const follower = yield* Effect.forkScoped(
        Follower.run({ source, realm, until: until ?? "forever" } as Follower.StashRun),
      );
      const hasEnded = () => follower.pollUnsafe() !== undefined;
      return Changes.subscribe({ key: { source, realm }, after, until: hasEnded }).pipe(
        Stream.concat(Stream.fromEffectDrain(Fiber.join(follower))),
        Stream.map((batch) => batch as FollowedBatch),
      );
    }),
  );

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.die(signal.reason));
    signal.addEventListener("abort", end, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", end));
  });

const Client = Schema.Unknown.check(
  Schema.makeFilter((value) => {
    const { currencyExchange, publicStashTabs } = (value ?? {}) as Partial<PromiseFollowApi>;
    const isClient = [currencyExchange, publicStashTabs].every(
      (group) => typeof group?.raw === "function",
    );
    return isClient || "must be a client: createGameApi of @game-data/api-client/promise";
  }),
);

const Version = Schema.Unknown.check(
  Schema.makeFilter((value) => {
    const { version = value } = (value ?? {}) as { readonly version?: unknown };
    return typeof version === "bigint" || "must be a version, or a batch";
  }),
);

const VALIDATOR = streamOptions({
  store: Schema.String,
  api: Client,
  after: Schema.optional(Version),
  until: Schema.optional(Schema.Literal("caughtUp")),
  signal: Schema.optional(Schema.instanceOf(AbortSignal)),
});
