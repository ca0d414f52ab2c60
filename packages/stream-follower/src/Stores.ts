/**
 * A store by its address: `sqlite:FILE`, `postgres://user:password@host/database`, `jsonl:FOLDER`.
 *
 * Use where an operator names the store: in a setting, an option of a command, an environment
 * variable. `layer` is everything that a run needs besides a page source; `statusOf` looks where a
 * stream stands and writes nothing, not even the file. A program that knows its store at build time
 * provides the sink's own layer instead.
 *
 * The driver of a store is loaded when its address comes up, so naming a file does not cost the
 * start of a PostgreSQL client.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import { join } from "node:path";
import { NothingFollowed, type SinkError, StoreAddressInvalid } from "./Errors.ts";
import type { Lease, LeaseOptions } from "./Lease.ts";
import { keyName, type StreamKey } from "./Model.ts";
import type { Sink, Store, StoreStatus } from "./Sink.ts";

/** Which store, and where. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
  | { readonly kind: "jsonl"; readonly directory: string };

/** Options of a store that an address does not carry. */
export interface StoreOptions {
  /** Pages that the journal keeps per stream, where the store has one. Default 10 000. */
  readonly keepPages?: number;
  /** PostgreSQL: the schema that holds the tables. Default `public`. */
  readonly schema?: string;
  /** How the lease is kept. */
  readonly lease?: LeaseOptions;
}

/** Where a stream stands, and how far behind that is. */
export interface StreamStatus extends StoreStatus {
  /**
   * Seconds since the service was last heard: a page that arrived, or a poll at the end of the
   * stream.
   */
  readonly lagSeconds: number;
}

/** Reads an address. */
export const parse = (text: string): Effect.Effect<StoreAddress, StoreAddressInvalid> => {
  const [, scheme, rest = ""] = /^(sqlite|jsonl):(.+)$/su.exec(text) ?? [];
  if (scheme === "sqlite") return Effect.succeed({ kind: "sqlite", path: rest });
  if (scheme === "jsonl") return Effect.succeed({ kind: "jsonl", directory: rest });
  return /^postgres(ql)?:\/\/./iu.test(text) && URL.canParse(text)
    ? Effect.succeed({ kind: "postgres", url: Redacted.make(text) })
    : Effect.fail(new StoreAddressInvalid());
};

/**
 * An address for people: where the store is, without the password and without what stands in the
 * query.
 */
export const format = (address: StoreAddress): string => {
  if (address.kind === "sqlite") return `sqlite:${address.path}`;
  if (address.kind === "jsonl") return `jsonl:${address.directory}`;
  const { protocol, host, pathname } = new URL(Redacted.value(address.url));
  return `${protocol}//${host}${pathname}`;
};

/**
 * Sink, store and lease of an address. JSON lines keep their lease in a SQLite file beside them.
 */
export const layer = (
  address: StoreAddress,
  options: StoreOptions = {},
): Layer.Layer<Sink | Store | Lease, SinkError> =>
  Layer.unwrap(
    Effect.promise(async (): Promise<Layer.Layer<Sink | Store | Lease, SinkError>> => {
      const { lease = {}, schema, keepPages } = options;
      const journal = keepPages === undefined ? {} : { keepPages };
      if (address.kind === "postgres") {
        const at = { url: address.url, ...(schema === undefined ? {} : { schema }) };
        const sink = (await import("./SinkPostgres.ts")).layer({ ...at, ...journal });
        const holder = await import("./LeasePostgres.ts");
        return Layer.merge(sink, holder.layer({ ...lease, ...at }));
      }
      const holder = await import("./LeaseSqlite.ts");
      if (address.kind === "sqlite") {
        const sink = (await import("./SinkSqlite.ts")).layer({ path: address.path, ...journal });
        return Layer.merge(sink, holder.layer({ ...lease, path: address.path }));
      }
      const { layer: sinkOf, makeFolder } = await import("./SinkJsonl.ts");
      const beside = holder.layer({ ...lease, path: join(address.directory, LEASE_FILE) });
      const folder = Layer.effectDiscard(makeFolder(address));
      return Layer.merge(sinkOf(address), beside).pipe(Layer.provide(folder));
    }),
  );

const LEASE_FILE = "lease.db";

/**
 * Where every stream of a store stands. Writes nothing; a store that is not there has no streams.
 */
export const statuses = (
  address: StoreAddress,
  options: Pick<StoreOptions, "schema"> = {},
): Effect.Effect<ReadonlyArray<StreamStatus>, SinkError> =>
  Effect.gen(function* () {
    const found = yield* yield* Effect.promise(() => peek(address, options));
    const now = yield* Clock.currentTimeMillis;
    return found.map((status) => ({ ...status, lagSeconds: lagOf(status, now) }));
  });

const peek = async (
  address: StoreAddress,
  { schema }: Pick<StoreOptions, "schema">,
): Promise<Effect.Effect<ReadonlyArray<StoreStatus>, SinkError>> => {
  if (address.kind === "sqlite") return (await import("./SinkSqlite.ts")).peek(address);
  if (address.kind === "jsonl") return (await import("./SinkJsonl.ts")).peek(address);
  const at = { url: address.url, ...(schema === undefined ? {} : { schema }) };
  return (await import("./SinkPostgres.ts")).peek(at);
};

const lagOf = ({ receivedAt, polledAt = 0 }: StoreStatus, now: number): number =>
  Math.max(0, (now - Math.max(receivedAt, polledAt)) / 1000);

/** Where one stream of a store stands. Writes nothing. */
export const statusOf = (
  key: StreamKey,
  address: StoreAddress,
  options: Pick<StoreOptions, "schema"> = {},
): Effect.Effect<StreamStatus, SinkError | NothingFollowed> =>
  Effect.flatMap(statuses(address, options), (found) => {
    const stream = keyName(key);
    const status = found.find((each) => keyName(each.key) === stream);
    if (status !== undefined) return Effect.succeed(status);
    const missing = found.length === 0 ? ("store" as const) : ("stream" as const);
    return Effect.fail(new NothingFollowed({ stream, store: format(address), missing }));
  });
