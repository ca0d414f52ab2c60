/**
 * Replaces a file atomically, so that a reader never finds a part of the new content. Node only.
 *
 * The bytes go to a new file in the same folder, with a random name. `O_EXCL` and `O_NOFOLLOW`
 * refuse a file or a link that another user created there. The rename replaces a link itself, not
 * its target.
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

/** The new content of a file. The file itself changes at `commit`. */
export interface Replacement {
  /** The temporary path, for a library that writes to a path. */
  readonly path: string;
  /** Appends bytes, or text as UTF-8, to the temporary file. */
  readonly write: (piece: string | Uint8Array) => void;
  /** Flushes the temporary file to disk and renames it to the path of the file. */
  readonly commit: () => void;
  /** Removes the temporary file. No effect after `commit`. */
  readonly discard: () => void;
}

/**
 * Starts the replacement of a file. Its mode is 0600 by default, whatever the mode of the old file.
 * Throws the errors of `node:fs`, and `EINVAL` if the path is a folder, a device or a pipe.
 */
export const replaceFile = (path: string, mode = 0o600): Replacement => {
  const old = statSync(path, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile())
    throw Object.assign(new Error(`${path} is not a regular file.`), { code: "EINVAL" });
  // A file name has at most 255 bytes, so the old name is cut.
  const name = `.${basename(path).slice(0, 50)}.${randomBytes(9).toString("base64url")}.part`;
  const temporary = join(dirname(path), name);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  // Windows has no `O_NOFOLLOW`, but `O_EXCL` does not follow a link either (POSIX `open`).
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
      // A library that wrote to the path may have created a new file with another mode.
      chmodSync(temporary, mode);
      renameSync(temporary, path);
    },
    discard: () => {
      close();
      rmSync(temporary, { force: true });
    },
  };
};

/** Replaces a file atomically with `content`. Throws as `replaceFile` does. */
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
