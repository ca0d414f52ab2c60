/**
 * The page log of a store: where the follower writes and the indexers read. Apart from both, so
 * that a thread of indexers loads no client of the service.
 */
import { type Follower, Lease, PageLog, Sink } from "@game-data/stream-follower";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Context, Effect, Layer, Option } from "effect";

/** The realms whose stashes can be followed. */
export type Realm = Follower.StashRun["realm"] & string;

/** The addresses of a page log. */
export interface LogOptions {
  /** `sqlite:FILE`, `postgres://…` or `nats://…`. */
  readonly store: string;
  /** A JetStream for the pages; leases stay in `store`. */
  readonly nats?: string | undefined;
  /** Names this reader: retention waits for the slowest one. */
  readonly reader: string;
}

/** The services of a log. */
export type Log = PageLog.PageLog | Sink.Sink | Lease.Lease;

/** The log of a store: where the follower writes and the indexers read. */
export const openLog = Effect.fnUntraced(function* ({ nats, reader, store }: LogOptions) {
  const open = (address: string) =>
    Effect.flatMap(StoreUrl.parse(address), (url) => Layer.build(StoreUrl.layer(url)));
  const stored = yield* open(store);
  const pages = nats === undefined ? stored : yield* open(nats);
  const log = Context.getOption(pages, PageLog.PageLog);
  if (Option.isNone(log)) return yield* Effect.die(new Error("the store keeps no page log"));
  const { acknowledge } = log.value;
  return Context.make(PageLog.PageLog, {
    ...log.value,
    acknowledge: (name, key, seq) => acknowledge(`${name}@${reader}`, key, seq),
  }).pipe(
    Context.add(Sink.Sink, Context.get(pages, Sink.Sink)),
    Context.add(Lease.Lease, Context.get(stored, Lease.Lease)),
  );
});
