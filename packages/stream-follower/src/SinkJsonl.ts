/**
 * A sink of JSON lines: one append-only file per stream, for pipelines that want a log rather than a database.
 *
 * Rows and checkpoint go out in one append, synced before the batch counts. What a crash tears off is cut away at the next claim; what a
 * stale follower appends is ignored by its epoch. Read the file with `read`, which yields what counts and nothing else.
 *
 * A claim reads the file once from the beginning (about a second per gigabyte): move a finished file away when it has grown too long,
 * and start the new one with `from: { id }`.
 */
import { Context, Effect, Layer, Semaphore } from "effect";
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Fenced, SinkError } from "./Errors.ts";
import type { Batch, PageCommit, StreamKey } from "./Model.ts";
import { Sink, type SinkService } from "./Sink.ts";
import { blockOf, claimLine, scan } from "./internal/jsonlFile.ts";

/** Options of the sink. */
export interface JsonlOptions {
  /** Folder of the files; made if it is not there. */
  readonly directory: string;
}

/** One row of a file. */
export type JsonlRow =
  | { readonly stash: unknown }
  | { readonly tombstone: string }
  | { readonly market: unknown; readonly hour: number }
  | { readonly page: Readonly<Record<string, unknown>> }
  | { readonly gap: Readonly<Record<string, unknown>> }
  | { readonly quarantine: Readonly<Record<string, unknown>> };

/** Where a stream's file lies. */
export const pathOf = (directory: string, key: StreamKey): string =>
  join(directory, `${key.source}-${key.realm}.jsonl`);

/** A sink over a folder. */
export const make = (options: JsonlOptions): SinkService => {
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
  };
};

/** A sink over a folder, as a layer. */
export const layer = (options: JsonlOptions): Layer.Layer<Sink> =>
  Layer.effectContext(Effect.sync(() => Context.make(Sink, make(options))));

/** The rows that count, in order. Whole files are read block by block; a block is held in memory. */
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
    catch: (cause) => new SinkError({ operation: "read", reason: reasonOf(cause), cause }),
  });

interface OpenFile {
  readonly path: string;
  /** Where the file must end for our next append to be right. */
  end: number;
  epoch: number;
  seq: bigint;
}

const claim = (directory: string, file: OpenFile, epoch: number) =>
  attempt("claim", async () => {
    mkdirSync(directory, { recursive: true });
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

const linesOf = ({ page, stashes, markets, quarantine }: PageCommit): Array<string> => {
  const { requestedId = null, nextId, sha256, receivedAt } = page;
  const seq = String(page.seq);
  const rows = page.rows.length;
  return [
    JSON.stringify({ page: { seq, requestedId, nextId, sha256, rows, receivedAt } }),
    ...stashes.map((stash) =>
      stash.isPublic ? `{"stash":${stash.json}}` : JSON.stringify({ tombstone: stash.id }),
    ),
    ...markets.map(({ hour, value }) => JSON.stringify({ market: value, hour })),
    ...page.gaps.map((gap) => JSON.stringify({ gap })),
    ...quarantine.map((record) =>
      JSON.stringify({
        quarantine: { ...record, bytes: Buffer.from(record.bytes).toString("base64") },
      }),
    ),
  ];
};

const attempt = <A>(
  operation: string,
  work: () => Promise<A>,
): Effect.Effect<A, SinkError | Fenced> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof Fenced
        ? cause
        : new SinkError({ operation, reason: reasonOf(cause), cause }),
  });

const reasonOf = (cause: unknown): SinkError["reason"] => {
  const code = (cause as { code?: string }).code;
  if (code === "ENOSPC" || code === "EDQUOT") return "diskFull";
  return code === "EIO" || code === "EMFILE" || code === "EBUSY" ? "unavailable" : "internal";
};
