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
import type * as Scope from "effect/Scope";
import { SinkError, type SinkErrorKind } from "../Errors.ts";
import { keyName } from "../Model.ts";
import { PageLog } from "../PageLog.ts";
import { verify } from "../Verify.ts";
import {
  attempt,
  type FileSchema,
  INDEX,
  indexPath,
  LOG,
  makePrivate,
  openToRead,
} from "./schema.ts";
import { make } from "./sink.ts";
import { sinkError } from "../core/attempt.ts";

/** A copied file. */
export interface CopiedFile {
  readonly file: string;
  readonly bytes: number;
}

/** Copies the store at `path` to `to` and `to.index`. Fails where one of them exists. */
export const backup = (path: string, to: string) =>
  copyStore({ operation: "backup", from: path, to }, () => Effect.void);

/**
 * Makes the store at `path` from a copy, whose pages are all read and checked first (`Verify`). Fails
 * where a store exists: move it away before.
 */
export const restore = (from: string, path: string) =>
  copyStore({ operation: "restore", from, to: path }, requireWhole);

interface Copying {
  readonly operation: string;
  readonly from: string;
  readonly to: string;
}

/** Both files get their names when both are whole; what fails leaves nothing behind. */
const copyStore = (
  { operation, from, to }: Copying,
  check: (path: string) => Effect.Effect<void, SinkError, Scope.Scope>,
): Effect.Effect<ReadonlyArray<CopiedFile>, SinkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      for (const file of [to, indexPath(to)]) {
        if (existsSync(file)) return yield* refused(operation, `${file} exists`);
      }
      const part = `${to}.${crypto.randomUUID()}.part`;
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const file of [part, indexPath(part)]) rmSync(file, { force: true });
        }),
      );
      const hasIndex = yield* copyFile(operation, indexPath(from), indexPath(part), INDEX);
      if (!(yield* copyFile(operation, from, part, LOG))) {
        return yield* refused(operation, `${from} is no store`);
      }
      yield* Effect.scoped(check(part));
      return yield* attempt(operation, () =>
        (hasIndex ? [indexPath, String] : [String]).map((name) => {
          renameSync(name(part), name(to));
          return { file: name(to), bytes: statSync(name(to)).size };
        }),
      );
    }),
  );

const refused = (operation: string, message: string, kind: SinkErrorKind = "incompatible") =>
  Effect.fail(sinkError(operation, kind, message));

/** Copies one file; `false` where there is none. */
const copyFile = (operation: string, from: string, to: string, schema: FileSchema) =>
  Effect.scoped(
    Effect.gen(function* () {
      const db = yield* openToRead(from, schema);
      if (db === undefined) return false;
      yield* attempt(operation, () => requireSound(db, from));
      yield* Effect.tryPromise({
        try: async () => {
          makePrivate(to);
          await backupDatabase(db, to, { rate: ALL_PAGES });
          if (schema === LOG) giveUpLeases(to);
        },
        catch: (cause) => new SinkError({ operation, kind: "internal", cause }),
      });
      return true;
    }),
  );

/** Every page of every stream is as its checksum and its neighbours say. */
const requireWhole = (path: string) =>
  Effect.gen(function* () {
    const log = yield* make({ path });
    for (const { key } of yield* log.positions) {
      const { problems } = yield* Effect.provideService(verify(key, { deep: true }), PageLog, log);
      if (problems[0] !== undefined) {
        return yield* refused("restore", `${keyName(key)}: ${problems[0]}`, "corrupt");
      }
    }
  }).pipe(
    Effect.catchTag("HistoryExpired", ({ message }) => refused("restore", message, "corrupt")),
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
  throw sinkError("quick_check", "corrupt", `${path}: ${found?.quick_check ?? "no answer"}`);
};
