/** A sink in memory: the same rules as the durable ones, gone with the process. */
import * as Effect from "effect/Effect";
import {
  type Checkpoint,
  Fenced,
  type GapRecord,
  type MarketHour,
  type Page,
  type PageCommit,
  type QuarantineRecord,
  type Sink,
  type StashChange,
} from "../../src/index.ts";
import { keyName } from "../../src/Model.ts";

export interface Memory {
  readonly checkpoints: Map<string, Checkpoint>;
  /** The newest epoch of each stream, by `source/realm`. */
  readonly fences: Map<string, number>;
  /** By id; `undefined` for a stash that is unlisted. */
  readonly stashes: Map<string, StashChange | undefined>;
  /** By realm, hour, league and market id, joined by spaces. */
  readonly markets: Map<string, MarketHour>;
  /** Every page in the order of its commit. */
  readonly pages: Array<Page>;
  readonly quarantine: Array<QuarantineRecord>;
  readonly gaps: Array<GapRecord>;
}

export const empty = (): Memory => ({
  checkpoints: new Map(),
  fences: new Map(),
  stashes: new Map(),
  markets: new Map(),
  pages: [],
  quarantine: [],
  gaps: [],
});

export const make = (memory: Memory): Sink.SinkService => ({
  claim: (key, epoch) =>
    Effect.suspend(() => {
      const current = memory.checkpoints.get(keyName(key));
      const fence = memory.fences.get(keyName(key)) ?? 0;
      if (fence > epoch)
        return new Fenced({ epoch, fence, detail: `epoch ${fence} has claimed it` });
      memory.fences.set(keyName(key), epoch);
      return Effect.succeed(current === undefined ? undefined : { ...current, epoch });
    }),
  commit: (commit, epoch) =>
    Effect.suspend(() => {
      const { checksum, key, nextId, previousSeq, receivedAt, seq } = commit.page;
      const fence = memory.fences.get(keyName(key)) ?? 0;
      const current = memory.checkpoints.get(keyName(key))?.seq ?? 0n;
      if (fence > epoch || current !== previousSeq) {
        return new Fenced({ epoch, detail: `it is at page ${current}, claimed by epoch ${fence}` });
      }
      apply(memory, commit);
      memory.checkpoints.set(keyName(key), { nextId, seq, epoch, checksum, receivedAt });
      return Effect.void;
    }),
});

const apply = (memory: Memory, { markets, page, quarantine, stashes }: PageCommit): void => {
  memory.pages.push(page);
  for (const change of stashes) memory.stashes.set(change.id, change.isPublic ? change : undefined);
  for (const market of markets) {
    const { hour, league, marketId } = market;
    memory.markets.set([page.key.realm, hour, league, marketId].join(" "), market);
  }
  memory.quarantine.push(...quarantine);
  memory.gaps.push(...page.gaps);
};
