/**
 * A file of JSON lines that follows a page log: one line per change, in the order of the stream,
 * unlisted stashes included.
 *
 * The file is its own checkpoint. A line names its page, its place there and the number of lines of
 * the page, so a run that was killed goes on after the last whole line: nothing is lost, nothing is
 * written twice. One process writes a file; another one is noticed by the file's size.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { writeSync } from "node:fs";
import * as Changes from "../Changes.ts";
import type { SinkError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import type { PageLog } from "../PageLog.ts";
import { attempt, foreignFile } from "./exportAttempt.ts";

/** What was appended. */
export interface FollowedFile {
  readonly pages: number;
  readonly rows: number;
  /** The last page that is in the file; `undefined` for an empty file. */
  readonly seq: bigint | undefined;
}

/** Where a file ends: its last whole line. */
interface Position {
  readonly seq: bigint;
  /** Lines of that page which the file holds already; 0 where it holds all of them. */
  readonly lines: number;
}

/**
 * Appends the changes of `key` to `file`, which is made with mode 0600. `after` counts for a new
 * file only. Fails with `SinkError` of kind `incompatible` where the file holds something else.
 */
export const followFile = (
  file: string,
  { after, key, until }: Pick<Changes.SubscribeOptions, "after" | "key" | "until">,
): Effect.Effect<FollowedFile, Changes.ChangesError, PageLog> =>
  Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* open(file, key);
      const from = opened.position;
      const written = { pages: 0, rows: 0, seq: from?.seq };
      yield* Changes.run({
        key,
        until,
        // A page that is there in part is read again.
        after: from === undefined ? after : from.lines === 0 ? from.seq : from.seq - 1n,
        apply: (batch) =>
          attempt(() => {
            const lines = linesOf(batch);
            const rest = batch.version === from?.seq ? lines.slice(from.lines) : lines;
            opened.append(rest.join(""));
            written.pages += 1;
            written.rows += rest.length;
            written.seq = batch.version;
          }),
      });
      return written;
    }),
  );

const linesOf = (batch: Changes.ChangeBatch): ReadonlyArray<string> => {
  const { changes, key, markets, receivedAt, version } = batch;
  const member = memberOf(key);
  const rows = key.source === "stashes" ? changes : markets;
  return rows.map(({ json }, place) => {
    const at = { realm: key.realm, seq: Number(version), place, of: rows.length, receivedAt };
    return `${JSON.stringify(at).slice(0, -1)},"${member}":${oneLine(json)}}\n`;
  });
};

const memberOf = ({ source }: StreamKey): string => (source === "stashes" ? "stash" : "market");

/** Line ends stand between the parts of a JSON text only: in its strings they are escaped. */
const oneLine = (json: string): string => json.replaceAll(/[\r\n]/gu, " ");

const open = (
  file: string,
  key: StreamKey,
): Effect.Effect<
  { readonly position: Position | undefined; readonly append: (text: string) => void },
  SinkError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const descriptor = yield* Effect.acquireRelease(
      attempt(() => openSync(file, "a+", 0o600)),
      (opened) =>
        Effect.sync(() => {
          fdatasyncSync(opened);
          closeSync(opened);
        }),
    );
    return yield* attempt(() => {
      const { line, size: whole } = lastLine(descriptor, key);
      const position = line === undefined ? undefined : positionOf(line, key);
      ftruncateSync(descriptor, whole);
      let size = whole;
      const append = (text: string): void => {
        if (fstatSync(descriptor).size !== size) throw new Error("another process writes the file");
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
        size += bytes.length;
      };
      return { position, append };
    });
  });

const FIRST_LOOK_BYTES = 65_536;
const LINE_END = 0x0a;

/** The last whole line, and the size of the file up to its end. */
const lastLine = (
  descriptor: number,
  { realm }: StreamKey,
): { readonly line: string | undefined; readonly size: number } => {
  const { size } = fstatSync(descriptor);
  for (let length = Math.min(size, FIRST_LOOK_BYTES); ; length = Math.min(size, length * 8)) {
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

const positionOf = (line: string, key: StreamKey): Position => {
  const found = parsed(line);
  const { of, place, realm, seq } = found;
  const numbers = [of, place, seq].every((each) => Number.isSafeInteger(each));
  if (!numbers || realm !== key.realm || !(memberOf(key) in found)) {
    throw foreignFile(`its last line is no ${memberOf(key)} of ${key.realm}`);
  }
  const isWhole = Number(place) + 1 === of;
  return { seq: BigInt(seq as number), lines: isWhole ? 0 : Number(place) + 1 };
};

const parsed = (line: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};
