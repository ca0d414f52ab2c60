/**
 * Writes a file that has its name only when it is whole and durable.
 *
 * The bytes go to a new file beside it, with a random name, which is made and never found
 * (`O_EXCL`, `O_NOFOLLOW`), so a link that somebody laid there leads nowhere. Renaming replaces
 * what has the name, a link itself and not its target. Node only.
 *
 * ```ts
 * import { replaceFile } from "@game-data/contract/node/replaceFile";
 *
 * export const save = (path: string, lines: Iterable<string>): void => {
 *   const file = replaceFile(path);
 *   try {
 *     for (const line of lines) file.write(`${line}\n`);
 *     file.commit();
 *   } finally {
 *     file.discard(); // harmless after `commit`
 *   }
 * };
 * ```
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file that is being written. */
export interface Replacement {
  /** The file's name until it is whole, for a library that writes to a path. */
  readonly path: string;
  /** Appends text or bytes. */
  readonly write: (piece: string | Uint8Array) => void;
  /** Makes the file durable, and gives it its name. */
  readonly commit: () => void;
  /** Removes it. Harmless after `commit`. */
  readonly discard: () => void;
}

/** What stands there is a folder, a device, a pipe or the like, which a file must not replace. */
export class NoRegularFile extends Error {
  readonly code = "EINVAL";
  override readonly name = "NoRegularFile";
  constructor(path: string) {
    super(`${path} is no regular file.`);
  }
}

/**
 * Begins a file. Its mode is 0600 by default, whatever that of a file which it replaces. Throws the
 * errors of `node:fs`, and `NoRegularFile`.
 */
export const replaceFile = (path: string, mode = 0o600): Replacement => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new NoRegularFile(path);
  // A name has 255 bytes at most.
  const name = `.${basename(path).slice(0, 50)}.${randomBytes(9).toString("base64url")}.part`;
  const temporary = join(dirname(path), name);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  // Windows has no O_NOFOLLOW; O_EXCL follows no link either (POSIX open).
  const flags = O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0);
  let descriptor: number | undefined = openSync(temporary, flags, mode);
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    path: temporary,
    write: (piece) => {
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor!, bytes, at);
    },
    commit: () => {
      fsyncSync(descriptor!);
      close();
      // A library that wrote to the path may have made it anew.
      chmodSync(temporary, mode);
      renameSync(temporary, path);
    },
    discard: () => {
      close();
      rmSync(temporary, { force: true });
    },
  };
};

/** Writes a whole file. */
export const replaceFileWith = (
  path: string,
  content: string | Uint8Array,
  mode?: number,
): void => {
  const file = replaceFile(path, mode);
  try {
    file.write(content);
    file.commit();
  } finally {
    file.discard();
  }
};
