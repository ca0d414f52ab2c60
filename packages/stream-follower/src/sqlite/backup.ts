/**
 * A copy of a store while it is followed into, and the way back.
 *
 * SQLite's own online backup copies each file in one step, within one read transaction: the copy is
 * a moment of the store, and writers are not held up. The index is copied before the log, so that
 * it is never ahead of it. A copy is readable for its owner alone and appears under its name when it
 * is whole.
 */
import * as Effect from "effect/Effect";
import { existsSync, rmSync, renameSync, statSync } from "node:fs";
import { backup as backupDatabase, DatabaseSync } from "node:sqlite";
import { SinkError } from "../Errors.ts";
import {
  attempt,
  type FileSchema,
  INDEX,
  indexPath,
  LOG,
  makePrivate,
  openToRead,
} from "./schema.ts";

/** A copied file. */
export interface CopiedFile {
  readonly file: string;
  readonly bytes: number;
}

/** Copies the store at `path` to `to` and `to.index`. Fails where one of them exists. */
export const backup = (path: string, to: string) => copyStore("backup", path, to);

/**
 * Makes the store at `path` from a copy, which is checked first (`quick_check`). Fails where a store
 * exists: move it away before.
 */
export const restore = (from: string, path: string) => copyStore("restore", from, path);

const copyStore = (
  operation: string,
  from: string,
  to: string,
): Effect.Effect<ReadonlyArray<CopiedFile>, SinkError> =>
  Effect.gen(function* () {
    for (const file of [to, indexPath(to)]) {
      if (existsSync(file)) return yield* refused(operation, `${file} exists`);
    }
    const index = yield* copyFile(operation, indexPath(from), indexPath(to), INDEX);
    const log = yield* copyFile(operation, from, to, LOG);
    if (log === undefined) return yield* refused(operation, `${from} is no store`);
    return index === undefined ? [log] : [index, log];
  });

const refused = (operation: string, message: string) =>
  Effect.fail(new SinkError({ operation, kind: "internal", cause: new Error(message) }));

/** Copies one file; `undefined` where there is none. */
const copyFile = (operation: string, from: string, to: string, schema: FileSchema) =>
  Effect.scoped(
    Effect.gen(function* () {
      const db = yield* openToRead(from, schema);
      if (db === undefined) return undefined;
      yield* attempt(operation, () => requireSound(db, from));
      const part = `${to}.${crypto.randomUUID()}.part`;
      yield* Effect.tryPromise({
        try: async () => {
          makePrivate(part);
          await backupDatabase(db, part, { rate: ALL_PAGES });
          if (schema === LOG) giveUpLeases(part);
          renameSync(part, to);
        },
        catch: (cause) => new SinkError({ operation, kind: "internal", cause }),
      }).pipe(Effect.onError(() => Effect.sync(() => rmSync(part, { force: true }))));
      return { file: to, bytes: statSync(to).size };
    }),
  );

/** Whoever follows the original does not follow the copy. */
const giveUpLeases = (path: string): void => {
  const copy = new DatabaseSync(path);
  copy.exec("UPDATE lease SET owner = NULL");
  copy.close();
};

/** One step copies everything: between two steps another writer would make it begin again. */
const ALL_PAGES = 2_147_483_647;

const requireSound = (db: DatabaseSync, path: string): void => {
  const [found] = db.prepare("PRAGMA quick_check(1)").all() as Array<{ quick_check: string }>;
  if (found?.quick_check === "ok") return;
  const cause = new Error(`${path}: ${found?.quick_check ?? "no answer"}`);
  throw new SinkError({ operation: "quick_check", kind: "corrupt", cause });
};
