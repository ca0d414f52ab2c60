/**
 * Counts what becomes durable while it does: for progress, and to hold a store's own figures
 * against.
 *
 * `of` puts a counter around a sink. It remembers each listed stash by its id, about a hundred
 * bytes of memory each: for runs that end, and for tests. What a long run does is told by `Metrics`
 * and `Health`.
 *
 * ```ts
 * import { CountingSink } from "@game-data/stream-follower";
 * import { SinkMemory } from "@game-data/stream-follower/memory";
 *
 * const { counts } = CountingSink.make(SinkMemory.make(SinkMemory.empty()));
 * if (counts().pages !== 0) throw new Error("nothing was committed yet");
 * ```
 */
import * as Effect from "effect/Effect";
import type { MarketHour, PageCommit } from "./Model.ts";
import type { SinkService } from "./Sink.ts";

/** Totals of the pages committed so far. */
export interface Counts {
  /** Pages. */
  readonly pages: number;
  /** Changes of the stash stream, or markets of the exchange. */
  readonly rows: number;
  /** JSON text, in bytes. */
  readonly bytes: number;
  /** Quarantined rows and pages. */
  readonly quarantined: number;
  /** Stashes that stand listed now, as the last page that names each of them has it. */
  readonly stashes: number;
  /** Items in them. */
  readonly items: number;
  /** Markets, in the order of their hours. */
  readonly markets: ReadonlyArray<MarketHour>;
}

/** A sink that counts. */
export interface CountingSinkService {
  /** The sink to write to. */
  readonly sink: SinkService;
  /** Returns the current totals. */
  readonly counts: () => Counts;
  /**
   * Completes when so many pages are durable: a `stopWhen` for runs that want no more of an endless
   * stream.
   */
  readonly after: (pages: number) => Effect.Effect<void>;
}

/** Puts a counter around a sink; `onCommitted` is called after every page that is durable. */
export const make = (
  sink: SinkService,
  onCommitted?: (counts: Counts) => void,
): CountingSinkService => {
  const totals = { pages: 0, rows: 0, bytes: 0, quarantined: 0, items: 0 };
  const listed = new Map<string, number>();
  const markets: Array<MarketHour> = [];
  const count = ({ markets: hours, page, quarantine, stashes }: PageCommit) => {
    totals.pages += 1;
    totals.rows += stashes.length + hours.length;
    totals.bytes += page.raw.length;
    totals.quarantined += quarantine.length;
    markets.push(...hours);
    for (const { id, isPublic, itemCount } of stashes) {
      totals.items += (isPublic ? itemCount : 0) - (listed.get(id) ?? 0);
      if (isPublic) listed.set(id, itemCount);
      else listed.delete(id);
    }
  };
  const waiting: Array<readonly [pages: number, resume: () => void]> = [];
  const after = (pages: number) =>
    Effect.callback<void>((resume) => {
      if (totals.pages >= pages) resume(Effect.void);
      else waiting.push([pages, () => resume(Effect.void)]);
    });
  const counts = (): Counts => ({ ...totals, stashes: listed.size, markets });
  return {
    after,
    counts,
    sink: {
      ...sink,
      commit: (batch, epoch) =>
        Effect.tap(sink.commit(batch, epoch), () =>
          Effect.sync(() => {
            for (const page of batch.pages) {
              count(page);
              onCommitted?.(counts());
              for (const [pages, resume] of waiting) if (totals.pages >= pages) resume();
            }
          }),
        ),
    },
  };
};
