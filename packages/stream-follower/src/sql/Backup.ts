/**
 * Copies a SQLite store while a follower writes it, and restores a store from a copy.
 *
 * SQLite's online backup copies each file within one read transaction, so the copy is the store at
 * one moment and writers go on. The index is copied before the log, so it is never ahead of the
 * log. Only its owner can read a copy, which gets its name when it is complete.
 */
import * as Effect from "effect/Effect";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { backup as backupDatabase, DatabaseSync } from "node:sqlite";
import { SinkError, type SinkErrorReason } from "../Errors.ts";
import { keyName } from "../Model.ts";
import { PageLog } from "../PageLog.ts";
import { verify } from "../Verify.ts";
import { filePath, type Part, translate } from "./Database.ts";
import { checkFile, makePageLog } from "./Log.ts";
import * as Schema from "./Schema.ts";
import { makePrivate } from "./SqliteClient.ts";
import { readStatus } from "./StoreStatus.ts";

/** A copied file and its size. */
export interface CopiedFile {
  readonly file: string;
  readonly bytes: number;
}

/** Copies the store at `path` to `to` and `to.index`. Fails if one of them exists. */
export const backup = (path: string, to: string) => copyStore("backup", path, to);

/**
 * Checks all pages of a copy, and that its derived tables belong to them. Then makes the store at
 * `path` from the copy. Fails if there is a store, so move it away first.
 */
export const restore = (from: string, path: string) => copyStore("restore", from, path);

const PARTS = ["index", "log"] as const;

/** Copies both files, and renames both when they are complete. A failure leaves no file behind. */
const copyStore = Effect.fn("Backup.copyStore")(function* (
  operation: "backup" | "restore",
  from: string,
  to: string,
) {
  for (const part of PARTS) {
    if (existsSync(filePath(to, part)))
      return yield* refuse(operation, `${filePath(to, part)} exists`);
  }
  const temporary = `${to}.${crypto.randomUUID()}.part`;
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const part of PARTS) rmSync(filePath(temporary, part), { force: true });
    }),
  );
  const copied: Array<Part> = [];
  for (const part of PARTS) {
    if (yield* copyFile(operation, from, temporary, part)) copied.push(part);
  }
  if (!copied.includes("log")) return yield* refuse(operation, `${from} is not a store`);
  if (operation === "restore") {
    const problem = yield* findProblem(temporary);
    if (problem !== undefined) return yield* refuse(operation, problem, "corrupt");
  }
  return yield* Effect.try({
    try: (): ReadonlyArray<CopiedFile> =>
      copied.map((part) => {
        const file = filePath(to, part);
        renameSync(filePath(temporary, part), file);
        return { file, bytes: statSync(file).size };
      }),
    catch: (cause) => new SinkError({ operation, reason: "internal", cause }),
  });
}, Effect.scoped);

const refuse = (operation: string, text: string, reason: SinkErrorReason = "incompatible") =>
  Effect.fail(new SinkError({ operation, reason, cause: new Error(text) }));

/** Copies one file. Returns `false` if the store has no such file. */
const copyFile = Effect.fnUntraced(function* (
  operation: string,
  from: string,
  to: string,
  part: Part,
) {
  const source = yield* Schema.openToRead({ kind: "sqlite", path: from }, part);
  if (source === undefined) return false;
  const [problem] = yield* checkFile(source, false).pipe(translate(operation));
  if (problem !== undefined) return yield* refuse(operation, problem, "corrupt");
  yield* Effect.tryPromise({
    try: () => copyDatabase(filePath(from, part), filePath(to, part), part),
    catch: (cause) => new SinkError({ operation, reason: "internal", cause }),
  });
  return true;
}, Effect.scoped);

const copyDatabase = async (from: string, to: string, part: Part): Promise<void> => {
  makePrivate(to);
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    // Copies all pages in one step, because a write between two steps would restart the copy.
    await backupDatabase(source, to, { rate: 2_147_483_647 });
  } finally {
    source.close();
  }
  if (part === "index") return;
  // Releases the lease in the copy, because its holder follows the original.
  const copy = new DatabaseSync(to);
  copy.exec("UPDATE stream SET owner = NULL");
  copy.close();
};

/** Returns the first problem of the pages or the index of a copy. `undefined` without problems. */
const findProblem = Effect.fnUntraced(
  function* (path: string) {
    const url = { kind: "sqlite", path } as const;
    const sql = yield* Schema.open(url, "log");
    const log = makePageLog(sql);
    // Opened to write, because a read-only connection would leave journal files beside the copy.
    const hasIndex = existsSync(filePath(path, "index"));
    const index = hasIndex ? yield* Schema.open(url, "index") : undefined;
    const streams = yield* readStatus(sql, index);
    for (const { indexers, key } of streams) {
      const other = indexers.find(({ reason }) => reason !== undefined);
      if (other !== undefined) return `${keyName(key)}: indexer ${other.name}: ${other.reason}`;
      const { problems } = yield* Effect.provideService(verify(key, { deep: true }), PageLog, log);
      if (problems[0] !== undefined) return `${keyName(key)}: ${problems[0]}`;
    }
    return undefined;
  },
  Effect.catchTag("HistoryExpired", ({ message }) => Effect.succeed(message)),
  Effect.scoped,
);
