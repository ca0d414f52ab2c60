/**
 * A sink of JSON lines: one append-only file per stream, for pipelines that want a log rather than
 * a database.
 *
 * Rows and checkpoint go out in one append, synced before the batch counts. What a crash tears off
 * is cut away at the next claim; what a stale follower appends is ignored by its epoch. Read the
 * file with `read`, which yields what counts and nothing else.
 *
 * A claim reads the file once from the beginning (about a second per gigabyte): move a finished
 * file away when it has grown too long, and start the new one with `from: { id }`. Status and
 * quarantine read it just so, and keep a short note of every stash in memory.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Semaphore from "effect/Semaphore";
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fenced, SinkError, type SinkErrorKind } from "../Errors.ts";
import type { Batch, MarketHour, PageCommit, StashChange, StreamKey } from "../Model.ts";
import {
  type ReplayedRows,
  Sink,
  type SinkService,
  Store,
  type StoredQuarantine,
  type StoreService,
  type StoreStatus,
} from "../Sink.ts";
import { mkdirDurable, fsyncDirectory } from "./fsyncDirectory.ts";
import { blockOf, claimLine, type JsonlRow, scan } from "./schema.ts";

import { replay, type ReplayedState, keyOfFile, nameOf, statusOf } from "./store.ts";

export type { JsonlRow } from "./schema.ts";

/** Options of the sink. */
export interface JsonlOptions {
  /** Folder of the files; made if it is not there. */
  readonly directory: string;
}

/** Returns the path of a stream's file. */
export const pathOf = (directory: string, key: StreamKey): string =>
  join(directory, `${key.source}-${key.realm}.jsonl`);

/** Sink and store over a folder. */
export const make = (options: JsonlOptions): SinkService & StoreService => {
  const files = new Map<string, OpenFile>();
  const oneAtATime = Semaphore.makeUnsafe(1);
  const fileOf = (key: StreamKey): OpenFile => {
    const path = pathOf(options.directory, key);
    const known = files.get(path) ?? { path, end: 0, epoch: 0, seq: 0n };
    files.set(path, known);
    return known;
  };
  return {
    claim: (key, epoch) => oneAtATime.withPermit(claim(options.directory, fileOf(key), epoch)),
    commit: (batch, epoch) => oneAtATime.withPermit(commit(fileOf(batch.key), batch, epoch)),
    polled: (key, at) =>
      onFiles("polled", () => writeFile(`${pathOf(options.directory, key)}${POLLED}`, String(at))),
    status: readStatus(options),
    quarantine: onFiles("quarantine", async () => {
      const replayed = await replayAll(options.directory);
      return replayed.flatMap(({ quarantine }) => [...quarantine.values()]);
    }),
    resolve: (record, rows) =>
      oneAtATime.withPermit(onFiles("resolve", () => resolve(fileOf(record.key), record, rows))),
  };
};

/**
 * Suffix of the file that holds the time of the last poll at the end of a stream. It lies beside
 * the stream's own file and is no part of the guarantees.
 */
const POLLED = ".polled";

/** Sink and store over a folder, as a layer. */
export const layer = (options: JsonlOptions): Layer.Layer<Sink | Store> =>
  Layer.effectContext(
    Effect.sync(() => {
      const service = make(options);
      return Context.make(Sink, service).pipe(Context.add(Store, service));
    }),
  );

/** Makes the folder, for what else is to lie in it; the sink does it by itself. */
export const makeDirectory = (options: JsonlOptions): Effect.Effect<void, SinkError> =>
  onFiles("open", () => mkdirDurable(options.directory));

/**
 * Reads the status of the streams of a folder without writing to it. Empty if there is no folder.
 */
export const readStatus = (
  options: JsonlOptions,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  onFiles("status", async () => {
    const found: Array<StoreStatus> = [];
    for (const replayed of await replayAll(options.directory)) {
      const note = await ifThere(readFile(`${pathOf(options.directory, replayed.key)}${POLLED}`));
      const status = statusOf(replayed, note === undefined ? undefined : Number(note.toString()));
      if (status !== undefined) found.push(status);
    }
    return found;
  });

/** Every file of a folder, one after the other in memory. */
const replayAll = async (directory: string): Promise<ReadonlyArray<ReplayedState>> => {
  const names = (await ifThere(readdir(directory))) ?? [];
  const keys = names.toSorted().flatMap((name) => keyOfFile(name) ?? []);
  const files: Array<ReplayedState> = [];
  for (const key of keys) files.push(await replay(pathOf(directory, key), key));
  return files;
};

const ifThere = <A>(promise: Promise<A>): Promise<A | undefined> =>
  promise.catch((cause: unknown) => {
    if ((cause as { code?: string }).code === "ENOENT") return undefined;
    throw cause;
  });

/**
 * The rows that count, in order. Whole files are read block by block; a block is held in memory.
 */
export const read = (
  directory: string,
  key: StreamKey,
  onRow: (row: JsonlRow, seq: bigint) => void,
): Effect.Effect<void, SinkError> =>
  Effect.tryPromise({
    try: async () => {
      await scan(pathOf(directory, key), (lines, { seq }) => {
        for (const line of lines) onRow(JSON.parse(line) as JsonlRow, BigInt(seq));
      });
    },
    catch: (cause) => new SinkError({ operation: "read", kind: kindOf(cause), cause }),
  });

interface OpenFile {
  readonly path: string;
  /** Required end of the file for our next append. */
  end: number;
  epoch: number;
  seq: bigint;
}

const claim = (directory: string, file: OpenFile, epoch: number) =>
  attempt("claim", async () => {
    await mkdirDurable(directory);
    const handle = await open(file.path, "a+");
    try {
      const { checkpoint, epoch: fence, end } = await scan(file.path);
      if (fence > epoch)
        throw new Fenced({ epoch, fence, detail: `epoch ${fence} has claimed the file` });
      const { size } = await handle.stat();
      if (size > end) await handle.truncate(end);
      const line = Buffer.from(claimLine(epoch));
      await handle.appendFile(line);
      await handle.datasync();
      // The creating process may have crashed before fsync of the directory.
      await fsyncDirectory(directory);
      file.end = end + line.length;
      file.epoch = epoch;
      file.seq = checkpoint?.seq ?? 0n;
      return checkpoint === undefined ? undefined : { ...checkpoint, epoch };
    } finally {
      await handle.close();
    }
  });

const commit = (file: OpenFile, batch: Batch, epoch: number) =>
  attempt("commit", async () => {
    const block = Buffer.from(
      blockOf(
        { previousSeq: batch.previousSeq, epoch },
        batch.pages.flatMap((page) => linesOf(page)),
        batch.checkpoint,
      ),
    );
    const handle = await open(file.path, "a");
    try {
      const { size } = await handle.stat();
      if (size !== file.end || file.seq !== batch.previousSeq || file.epoch > epoch) {
        throw new Fenced({ epoch, detail: "another writer has appended to the file" });
      }
      try {
        await handle.appendFile(block);
        await handle.datasync();
      } catch (cause) {
        await handle.truncate(file.end).catch(() => undefined);
        throw cause;
      }
      file.end += block.length;
      file.seq = batch.checkpoint.seq;
    } finally {
      await handle.close();
    }
  });

/**
 * Appends the rows that a record yields, as a block that leaves the checkpoint where it is. Rows of
 * which the file has a newer one are left out. A follower in another process finds the file longer
 * than it left it, and claims it again.
 */
const resolve = async (
  file: OpenFile,
  record: StoredQuarantine,
  { stashes, markets }: ReplayedRows,
): Promise<void> => {
  const { standing, rows, quarantine } = await replay(file.path, record.key);
  const { checkpoint, end } = standing;
  if (checkpoint === undefined || !quarantine.has(record.id)) return;
  const won = [...stashes.map(stashLine), ...markets.map(marketLine)].filter((line) => {
    const known = rows.get(nameOf(JSON.parse(line) as { stash: unknown }));
    return known === undefined || known.seq <= record.seq;
  });
  const mark = JSON.stringify({ replayed: { id: record.id, seq: String(record.seq) } });
  const begin = { previousSeq: checkpoint.seq, epoch: standing.epoch };
  const block = Buffer.from(blockOf(begin, [mark, ...won], checkpoint));
  const handle = await open(file.path, "a");
  try {
    const { size } = await handle.stat();
    if (size !== end) throw busy("it has a torn end, or grows just now");
    await handle.appendFile(block);
    await handle.datasync();
    if ((await handle.stat()).size !== end + block.length) throw busy("a follower wrote meanwhile");
    if (file.end === end) file.end += block.length;
  } finally {
    await handle.close();
  }
};

/**
 * Whether a block counts that was appended beside another writer, only the file can say: look
 * again.
 */
const busy = (detail: string): SinkError =>
  new SinkError({ operation: "resolve", kind: "unavailable", cause: new Error(detail) });

const stashLine = (stash: StashChange): string =>
  stash.isPublic ? `{"stash":${stash.json}}` : JSON.stringify({ tombstone: stash.id });

const marketLine = (market: MarketHour): string =>
  `{"market":${market.json},"hour":${market.hour}}`;

const linesOf = ({ page, stashes, markets, quarantine }: PageCommit): Array<string> => {
  const { requestedId = null, nextId, checksum, receivedAt } = page;
  const seq = String(page.seq);
  const rows = page.rows.length;
  return [
    JSON.stringify({ page: { seq, requestedId, nextId, checksum, rows, receivedAt } }),
    ...stashes.map(stashLine),
    ...markets.map(marketLine),
    ...page.gaps.map((gap) => JSON.stringify({ gap })),
    ...quarantine.map((record) =>
      JSON.stringify({
        quarantine: { ...record, bytes: Buffer.from(record.bytes).toString("base64") },
      }),
    ),
  ];
};

/** Work on files that no fence stops. */
const onFiles = <A>(operation: string, body: () => Promise<A>): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({
    try: body,
    catch: (cause) =>
      cause instanceof SinkError ? cause : new SinkError({ operation, kind: kindOf(cause), cause }),
  });

const attempt = <A>(
  operation: string,
  work: () => Promise<A>,
): Effect.Effect<A, SinkError | Fenced> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof Fenced ? cause : new SinkError({ operation, kind: kindOf(cause), cause }),
  });

const kindOf = (cause: unknown): SinkErrorKind => {
  const code = (cause as { code?: string }).code;
  if (code === "ENOSPC" || code === "EDQUOT") return "diskFull";
  return code === "EIO" || code === "EMFILE" || code === "EBUSY" ? "unavailable" : "internal";
};
