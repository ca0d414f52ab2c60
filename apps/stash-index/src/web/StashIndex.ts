/**
 * The search index as the web server sees it: queries, the state of the indexers, and a signal
 * whenever they have applied a page.
 */
import { Context, Effect, Layer, type Stream, SubscriptionRef } from "effect";
import { Reader } from "./Reader.ts";
import type { Status } from "./records.ts";

/** Options of the service. */
export interface StashIndexOptions {
  /** The file of the index. */
  readonly path: string;
  readonly realm: string;
  /** Number of the last page of the log. */
  readonly logSeq: Effect.Effect<number>;
  readonly canSignIn: boolean;
}

/** The index for reading. */
export class StashIndex extends Context.Service<
  StashIndex,
  {
    readonly reader: Reader;
    readonly status: Effect.Effect<Status>;
    /** The position of the item indexer: now, and after each page. */
    readonly positions: Stream.Stream<number>;
  }
>()("stash-index/StashIndex") {
  static readonly layer = (options: StashIndexOptions): Layer.Layer<StashIndex> =>
    Layer.effect(StashIndex, make(options));
}

const POLL = "250 millis";

const make = Effect.fnUntraced(function* ({ canSignIn, logSeq, path, realm }: StashIndexOptions) {
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => new Reader(path)),
    (open) => Effect.sync(() => open.close()),
  );
  const position = Effect.sync(() => readPosition(reader, realm));
  const seq = yield* SubscriptionRef.make((yield* position)?.seq ?? 0);
  // Polled, because the indexers may run in another process.
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(POLL);
        const found = (yield* position)?.seq ?? 0;
        if (found !== (yield* SubscriptionRef.get(seq))) yield* SubscriptionRef.set(seq, found);
      }),
    ),
  );
  const status = Effect.gen(function* () {
    const found = yield* position;
    const logged = yield* logSeq;
    return {
      seq: found?.seq ?? 0,
      behind: Math.max(0, logged - (found?.seq ?? 0)),
      receivedAt:
        reader.get<{ at: number }>("SELECT seen_at AS at FROM tab ORDER BY seq DESC LIMIT 1")?.at ??
        null,
      tabs: found?.listed ?? 0,
      items: found?.items ?? 0,
      leagues: reader.all<{ name: string; listed: number }>(
        "SELECT name, listed FROM league WHERE name <> '' AND listed > 0 ORDER BY listed DESC, name",
      ),
      canSignIn,
    };
  });
  return { reader, status, positions: SubscriptionRef.changes(seq) };
});

const readPosition = (reader: Reader, realm: string) =>
  reader.get<{ readonly seq: number; readonly listed: number; readonly items: number }>(
    "SELECT seq, listed, items FROM indexer WHERE name = 'items' AND source = 'stashes' AND realm = ?",
    realm,
  );
