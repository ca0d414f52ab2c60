/**
 * Appends the changes of a page log to a file of JSON lines: one line per change, in the order of
 * the stream, unlisted stashes included.
 *
 * The file is its own checkpoint. Each line has the number of its page, the id that the page leads
 * to, its place in the page, and the number of lines of the page. So a run that was killed
 * continues after the last whole line, no line is lost or written twice, and a file of another log
 * is refused. One process writes a file; its size shows if another process writes too.
 */
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeFileSync,
} from "node:fs";
import * as Changes from "./Changes.ts";
import { SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import type { PageLog } from "./PageLog.ts";

/** The pages and lines that a run has appended. */
export interface FollowedFile {
  readonly pages: number;
  readonly rows: number;
  /** Number of the last page in the file; `undefined` for an empty file. */
  readonly seq: bigint | undefined;
}

/** The place in the stream after the last whole line of a file. */
interface Position {
  readonly seq: bigint;
  /** Number of lines that the file has of the page; 0 if the file has the whole page. */
  readonly lines: number;
  /** The id that follows the page. */
  readonly nextId: string;
}

/**
 * Appends the changes of `key` to `file`, which is made with mode 0600. `after` applies to a new file
 * only. Fails with `SinkError` and the reason `incompatible` if the file holds anything else, and with
 * `ChainBroken` if its last page is another page in this log.
 */
export const followFile = Effect.fn("Export.followFile")(function* (
  file: string,
  { after, key, until }: Pick<Changes.SubscribeOptions, "after" | "key" | "until">,
): Effect.fn.Return<FollowedFile, Changes.ChangesError, PageLog | Scope.Scope> {
  const { append, position } = yield* open(file, key);
  const written = { pages: 0, rows: 0, seq: position?.seq };
  // If the file has only a part of its last page, the page is read again.
  const isTorn = position !== undefined && position.lines > 0;
  const start = isTorn ? position.seq - 1n : position && { ...position, version: position.seq };
  const appendBatch = (batch: Changes.ChangeBatch) =>
    tryFile(() => {
      if (isTorn && written.pages === 0 && !isSamePage(batch, position)) {
        throw foreignFile(`its last page is not page ${position.seq} of the log`);
      }
      const all = changeLines(batch);
      const lines = batch.version === position?.seq ? all.slice(position.lines) : all;
      append(lines.join(""));
      written.pages += 1;
      written.rows += lines.length;
      written.seq = batch.version;
    });
  yield* Stream.runForEach(Changes.subscribe({ key, until, after: start ?? after }), appendBatch);
  return written;
}, Effect.scoped);

const isSamePage = ({ nextId, version }: Changes.ChangeBatch, position: Position): boolean =>
  version === position.seq && nextId === position.nextId;

const changeLines = (batch: Changes.ChangeBatch) => {
  const { changes, key, markets, nextId, receivedAt, version } = batch;
  const member = memberName(key);
  const rows: ReadonlyArray<{ readonly json: string }> =
    key.source === "stashes" ? changes : markets;
  return rows.map(({ json }, place) => {
    const page = { realm: key.realm, seq: Number(version), nextId, receivedAt };
    const at = { ...page, place, of: rows.length };
    return `${JSON.stringify(at).slice(0, -1)},"${member}":${oneLine(json)}}\n`;
  });
};

const memberName = ({ source }: StreamKey): string => (source === "stashes" ? "stash" : "market");

/** Replaces line ends by spaces. JSON has them between tokens only; its strings escape them. */
const oneLine = (json: string): string => json.replaceAll(/[\r\n]/gu, " ");

const open = Effect.fnUntraced(function* (file: string, key: StreamKey) {
  const descriptor = yield* Effect.acquireRelease(
    tryFile(() => openSync(file, "a+", 0o600)),
    (opened) =>
      Effect.sync(() => {
        fdatasyncSync(opened);
        closeSync(opened);
      }),
  );
  return yield* tryFile(() => {
    const { line, size: whole } = lastLine(descriptor, key);
    const position = line === undefined ? undefined : readPosition(line, key);
    ftruncateSync(descriptor, whole);
    let size = whole;
    const append = (text: string): void => {
      if (fstatSync(descriptor).size !== size) throw new Error("another process writes the file");
      writeFileSync(descriptor, text);
      size += Buffer.byteLength(text);
    };
    return { position, append };
  });
});

const FIRST_READ_BYTES = 65_536;
const LINE_END = 0x0a;

/** Returns the last whole line of a file, and the size of the file up to the end of the line. */
const lastLine = (
  descriptor: number,
  { realm }: StreamKey,
): { readonly line: string | undefined; readonly size: number } => {
  const { size } = fstatSync(descriptor);
  for (let length = Math.min(size, FIRST_READ_BYTES); ; length = Math.min(size, length * 8)) {
    const tail = Buffer.alloc(length);
    readSync(descriptor, tail, 0, length, size - length);
    const end = tail.lastIndexOf(LINE_END);
    const before = end <= 0 ? -1 : tail.lastIndexOf(LINE_END, end - 1);
    if (before === -1 && length < size) continue;
    if (end === -1) {
      const [head, torn] = [`{"realm":"${realm}",`, tail.toString("latin1")];
      if (head.startsWith(torn) || torn.startsWith(head)) return { line: undefined, size: 0 };
      throw foreignFile("it has no line");
    }
    return { line: tail.toString("utf8", before + 1, end), size: size - length + end + 1 };
  }
};

const readPosition = (line: string, key: StreamKey): Position => {
  const name = memberName(key);
  const entry = Option.getOrUndefined(decodeLine(line));
  if (entry === undefined || entry.realm !== key.realm || !(name in entry)) {
    throw foreignFile(`its last line is not a ${name} of ${key.realm}`);
  }
  const { nextId, of, place, seq } = entry;
  return { seq: BigInt(seq), lines: place + 1 === of ? 0 : place + 1, nextId };
};

const decodeLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      realm: Schema.String,
      seq: Schema.Int,
      nextId: Schema.String,
      place: Schema.Int,
      of: Schema.Int,
      stash: Schema.optionalKey(Schema.Unknown),
      market: Schema.optionalKey(Schema.Unknown),
    }),
  ),
);

/** Returns the error for a file with lines that the export did not write. */
const foreignFile = (text: string): SinkError =>
  new SinkError({ operation: "export", reason: "incompatible", cause: new Error(text) });

/** Runs a step that reads or writes a file. An exception becomes a `SinkError`. */
export const tryFile = <A>(body: () => A): Effect.Effect<A, SinkError> =>
  Effect.try({ try: body, catch: exportError });

export const exportError = (cause: unknown): SinkError => {
  if (cause instanceof SinkError) return cause;
  const isFull = (cause as { readonly code?: unknown }).code === "ENOSPC";
  return new SinkError({ operation: "export", reason: isFull ? "diskFull" : "internal", cause });
};
