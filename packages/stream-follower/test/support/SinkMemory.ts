/**
 * A sink in memory, for tests and trials: the same rules as the durable ones, gone with the
 * process.
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import {
  type Checkpoint,
  type GapRecord,
  type MarketHour,
  type PageCommit,
  type StashChange,
  type StreamKey,
  Fenced,
  type QuarantineRecord,
  Sink,
} from "../../src/index.ts";

/** A stash as the memory keeps it; `change` is `undefined` for a tombstone. */
interface MemoryStash {
  readonly seq: bigint;
  /** The stash, or nothing once it is unlisted. */
  readonly change: StashChange | undefined;
}

export interface Memory {
  readonly checkpoints: Map<string, Checkpoint>;
  /** The newest epoch of each stream, by `source/realm`. */
  readonly fences: Map<string, number>;
  readonly stashes: Map<string, MemoryStash>;
  /** By realm, hour, league and market id, joined by spaces. */
  readonly markets: Map<string, { readonly seq: bigint; readonly market: MarketHour }>;
  /** Every page in the order of its commit. */
  readonly pages: Array<Pick<PageCommit["page"], "requestedId" | "nextId" | "seq" | "checksum">>;
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

const keyName = ({ realm, source }: StreamKey) => `${source}/${realm}`;

export const make = (memory: Memory): Sink.SinkService => ({
  claim: (key, epoch) =>
    Effect.suspend(() => {
      const current = memory.checkpoints.get(keyName(key));
      const fence = memory.fences.get(keyName(key)) ?? 0;
      if (fence > epoch)
        return Effect.fail(new Fenced({ epoch, fence, detail: `epoch ${fence} has claimed it` }));
      memory.fences.set(keyName(key), epoch);
      return Effect.succeed(current === undefined ? undefined : { ...current, epoch });
    }),
  commit: (commit, epoch) =>
    Effect.suspend(() => {
      const problem = refusal(memory, commit, epoch);
      if (problem !== undefined) return Effect.fail(new Fenced({ epoch, detail: problem }));
      const { checksum, key, nextId, receivedAt, seq } = commit.page;
      apply(memory, key, commit);
      memory.checkpoints.set(keyName(key), { nextId, seq, epoch, checksum, receivedAt });
      return Effect.void;
    }),
});

export const layer = (memory: Memory = empty()): Layer.Layer<Sink.Sink> =>
  Layer.succeed(Sink.Sink, make(memory));

const refusal = (memory: Memory, { page }: PageCommit, epoch: number): string | undefined => {
  const fence = memory.fences.get(keyName(page.key)) ?? 0;
  if (fence > epoch) return `epoch ${fence} has claimed it`;
  const stands = memory.checkpoints.get(keyName(page.key))?.seq ?? 0n;
  return stands === page.previousSeq
    ? undefined
    : `it stands at page ${stands}, not ${page.previousSeq}`;
};

const apply = (memory: Memory, key: StreamKey, commit: PageCommit): void => {
  const { page } = commit;
  memory.pages.push({
    requestedId: page.requestedId,
    nextId: page.nextId,
    seq: page.seq,
    checksum: page.checksum,
  });
  for (const change of commit.stashes) {
    const before = memory.stashes.get(change.id);
    if (before !== undefined && before.seq > page.seq) continue;
    memory.stashes.set(change.id, { seq: page.seq, change: change.isPublic ? change : undefined });
  }
  for (const market of commit.markets) {
    const name = [key.realm, market.hour, market.league, market.marketId].join(" ");
    memory.markets.set(name, { seq: page.seq, market });
  }
  memory.quarantine.push(...commit.quarantine);
  memory.gaps.push(...page.gaps);
};
