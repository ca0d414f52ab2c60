/**
 * A sink of your own that is not a database: a folder of numbered files, each written once.
 *
 * Every claim and every page is the next file. A file gets its number by `link`, which fails if
 * another process was first; the loser reads the files in between and decides again. So the fence is
 * exact, a page is written whole or not at all, and two processes need no lock.
 *
 * Run its tests: node examples/folder-sink-laws.ts
 */
import { Fenced, SinkError } from "@game-data/stream-follower";
import type { Checkpoint, PageCommit, Sink, StreamKey } from "@game-data/stream-follower";
import { Effect } from "effect";
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One file. */
interface Entry {
  readonly stream: string;
  readonly epoch: number;
  /** Absent for a claim. */
  readonly checkpoint?: Omit<Checkpoint, "seq"> & { readonly seq: string };
  /** Id and JSON text, `null` for a tombstone. */
  readonly stashes?: ReadonlyArray<readonly [string, string | null]>;
  /** Hour, league and pair, and JSON text. */
  readonly markets?: ReadonlyArray<readonly [string, string]>;
  readonly quarantine?: ReadonlyArray<unknown>;
  readonly gaps?: ReadonlyArray<unknown>;
}

/** The entries of a folder, in order. */
export function* entriesOf(folder: string, from = 1): Generator<Entry> {
  for (let number = from; existsSync(fileOf(folder, number)); number += 1) {
    yield JSON.parse(readFileSync(fileOf(folder, number), "utf8")) as Entry;
  }
}

const fileOf = (folder: string, number: number) =>
  join(folder, `${String(number).padStart(12, "0")}.json`);

/** A sink in `folder`, which is made if it does not exist. */
export const folderSink = (folder: string): Sink.SinkService => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const streams = new Map<string, Pick<Entry, "epoch" | "checkpoint">>();
  let last = 0;
  const readState = (stream: string) => {
    for (const { checkpoint, epoch, stream: of } of entriesOf(folder, last + 1)) {
      last += 1;
      const known = checkpoint ?? streams.get(of)?.checkpoint;
      streams.set(of, { epoch, ...(known === undefined ? {} : { checkpoint: known }) });
    }
    return streams.get(stream) ?? { epoch: 0 };
  };
  /** Writes the entry that `next` makes of the current state, again if another process was first. */
  const append = (key: StreamKey, next: (now: ReturnType<typeof readState>) => Entry) => {
    let entry: Entry;
    do entry = next(readState(keyName(key)));
    while (!write(folder, last + 1, entry));
    return readState(keyName(key));
  };

  return {
    claim: (key, epoch) =>
      attempt("claim", () => {
        const { checkpoint } = append(key, (now) => {
          fence(now, epoch);
          return { stream: keyName(key), epoch };
        });
        return checkpoint && { ...checkpoint, epoch, seq: BigInt(checkpoint.seq) };
      }),
    commit: (commit, epoch) =>
      attempt("commit", () => {
        append(commit.page.key, (now) => {
          fence(now, epoch);
          if (BigInt(now.checkpoint?.seq ?? 0) !== commit.page.previousSeq)
            throw new Fenced({
              epoch,
              detail: `the folder is at page ${now.checkpoint?.seq ?? 0}`,
            });
          return entryOf(commit, epoch);
        });
      }),
  };
};

const keyName = ({ realm, source }: StreamKey): string => `${source}/${realm}`;

const fence = (now: { readonly epoch: number }, epoch: number): void => {
  if (now.epoch > epoch) throw new Fenced({ epoch, detail: `epoch ${now.epoch} has claimed it` });
};

const entryOf = ({ markets, page, quarantine, stashes }: PageCommit, epoch: number): Entry => {
  const { checksum, gaps, key, nextId, receivedAt, seq } = page;
  return {
    stream: keyName(key),
    epoch,
    checkpoint: { nextId, seq: String(seq), epoch, checksum, receivedAt },
    stashes: stashes.map(({ id, isPublic, json }) => [id, isPublic ? json : null]),
    markets: markets.map(({ hour, json, league, marketId }) => [
      `${hour} ${league} ${marketId}`,
      json,
    ]),
    quarantine: quarantine.map((record) => ({
      ...record,
      bytes: Buffer.from(record.bytes).toString("base64"),
    })),
    gaps,
  };
};

/** Writes entry `number`, durable before it has its name. Returns `false` if the entry exists. */
const write = (folder: string, number: number, entry: Entry): boolean => {
  const draft = join(folder, `${crypto.randomUUID()}.draft`);
  try {
    writeFileSync(draft, JSON.stringify(entry), { flush: true, mode: 0o600 });
    linkSync(draft, fileOf(folder, number));
    const directory = openSync(folder, "r");
    fsyncSync(directory);
    closeSync(directory);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
};

const attempt = <A>(operation: string, body: () => A) =>
  Effect.try({
    try: body,
    catch: (cause) => {
      if (cause instanceof Fenced) return cause;
      const isFull = (cause as NodeJS.ErrnoException).code === "ENOSPC";
      return new SinkError({ operation, reason: isFull ? "diskFull" : "unavailable", cause });
    },
  });
