/**
 * The format of `SinkJsonl`: blocks of lines that count only when they are whole.
 *
 * ```text
 * {"claim":{"epoch":3}}
 * {"begin":{"previousSeq":"41","epoch":3}}
 * {"stash":{…}}
 * {"tombstone":"<id>"}
 * {"market":{…}}, {"page":{…}}, {"gap":{…}}, {"quarantine":{…}}: one per line
 * {"commit":{"seq":"42","epoch":3,"nextId":"…","sha256":"…","receivedAt":0,"digest":"…"}}
 * ```
 *
 * A block counts when its digest, the SHA-256 of the block so far, fits, its epoch is not older
 * than the last claim before it, and it begins where the last block that counts has ended. So a
 * torn block is nothing, and a zombie's block is ignored.
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Checkpoint } from "../Model.ts";

/** One row of a file. */
export type JsonlRow =
  | { readonly stash: unknown }
  | { readonly tombstone: string }
  | { readonly market: unknown; readonly hour: number }
  | { readonly page: Readonly<Record<string, unknown>> }
  /**
   * Quarantine record `id` is mended; the rows after it came with page `seq`, and none of them was
   * newer in the file.
   */
  | { readonly replayed: { readonly id: number; readonly seq: string } }
  | { readonly gap: Readonly<Record<string, unknown>> }
  | { readonly quarantine: Readonly<Record<string, unknown>> };

/** State of a file after all records that count. */
export interface JournalState {
  readonly checkpoint: Checkpoint | undefined;
  readonly epoch: number;
  /** End of the last complete record; what follows is a torn tail. */
  readonly end: number;
}

/** Last line of a block. */
export interface CommitLine extends Omit<Checkpoint, "seq"> {
  readonly seq: string;
  readonly digest: string;
}

interface BlockInProgress {
  readonly previousSeq: bigint;
  readonly epoch: number;
  readonly hash: Hash;
  readonly lines: Array<string>;
}

const CLAIM = '{"claim":';
const BEGIN = '{"begin":';
const COMMIT = '{"commit":';

/** Reads a file from its first byte; `onBlock` sees the rows of every block that counts. */
export const scan = async (
  path: string,
  onBlock?: (lines: ReadonlyArray<string>, commit: CommitLine) => void,
): Promise<JournalState> => {
  let checkpoint: Checkpoint | undefined;
  let epoch = 0;
  let end = 0;
  let block: BlockInProgress | undefined;

  const take = (bytes: Buffer, offsetAfter: number): void => {
    const head = bytes.toString("latin1", 0, 10);
    if (head.startsWith(CLAIM)) {
      const claimed = parse<{ claim: { epoch: number } }>(bytes)?.claim.epoch;
      block = undefined;
      if (claimed === undefined) return;
      epoch = Math.max(epoch, claimed);
      end = offsetAfter;
    } else if (head.startsWith(BEGIN)) {
      const begun = parse<{ begin: { previousSeq: string; epoch: number } }>(bytes)?.begin;
      if (begun === undefined) {
        block = undefined;
        return;
      }
      const hash = createHash("sha256").update(bytes).update("\n");
      block = { previousSeq: BigInt(begun.previousSeq), epoch: begun.epoch, hash, lines: [] };
    } else if (head.startsWith(COMMIT)) {
      const commit = parse<{ commit: CommitLine }>(bytes)?.commit;
      const ended = block;
      block = undefined;
      if (commit === undefined || ended === undefined) return;
      if (ended.hash.digest("hex") !== commit.digest) return;
      end = offsetAfter;
      if (ended.epoch < epoch || ended.previousSeq !== (checkpoint?.seq ?? 0n)) return;
      const { nextId, checksum, receivedAt } = commit;
      epoch = ended.epoch;
      checkpoint = { nextId, seq: BigInt(commit.seq), epoch, checksum, receivedAt };
      onBlock?.(ended.lines, commit);
    } else if (block !== undefined) {
      block.hash.update(bytes).update("\n");
      if (onBlock !== undefined) block.lines.push(bytes.toString("utf8"));
    }
  };

  let rest: Array<Buffer> = [];
  let offset = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const chunk = piece as Buffer;
    let from = 0;
    let at = chunk.indexOf(NEWLINE);
    while (at !== -1) {
      const line =
        rest.length === 0
          ? chunk.subarray(from, at)
          : Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      take(line, offset + at + 1);
      from = at + 1;
      at = chunk.indexOf(NEWLINE, from);
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    offset += chunk.length;
  }
  return { checkpoint, epoch, end };
};

const NEWLINE = 0x0a;

const parse = <A>(bytes: Buffer): A | undefined => {
  try {
    return JSON.parse(bytes.toString("utf8")) as A;
  } catch {
    return undefined;
  }
};

/** A line that claims the file for an epoch. */
export const claimLine = (epoch: number): string => `${CLAIM}{"epoch":${epoch}}}\n`;

/** One block: rows between `begin` and `commit`. */
export const blockOf = (
  begin: { readonly previousSeq: bigint; readonly epoch: number },
  lines: ReadonlyArray<string>,
  to: Checkpoint,
): string => {
  const head = `${BEGIN}{"previousSeq":"${begin.previousSeq}","epoch":${begin.epoch}}}\n`;
  const body = lines.length === 0 ? head : `${head}${lines.join("\n")}\n`;
  const digest = createHash("sha256").update(body).digest("hex");
  const commit: CommitLine = { ...to, seq: String(to.seq), epoch: begin.epoch, digest };
  return `${body}${JSON.stringify({ commit })}\n`;
};
