/**
 * A lock file that its owner touches again and again. It survives containers, in which every
 * process is number 1, and process ids that were used before: an owner is a random name, and a
 * lock that nobody touches belongs to nobody. Wall clocks do not matter: a newcomer watches whether
 * the file changes.
 */
import { randomUUID } from "node:crypto";
import { readlinkSync, rmSync, readFileSync } from "node:fs";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../core/basics.ts";
import { StoreError } from "../RequestNotSentError.ts";

/** A lock that this process holds. */
export interface Lock {
  /** Throws `StoreError` if the lock is gone, or another process has taken it in the meantime. */
  readonly check: () => Promise<void>;
  /** Gives the lock up. */
  readonly release: () => void;
}

interface Owner {
  readonly owner: string;
  readonly pid: number;
  /** Process ids mean the same on equal ones. */
  readonly host: string;
}

const LOOKS = 4;
const TRIES = 5;

/** Process ids are told apart by host and, on Linux, by namespace. */
const hostOf = (): string => {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
};

const SELF: Owner = { owner: randomUUID(), pid: process.pid, host: hostOf() };

/** Whether a call of Node's failed for this reason. */
export const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
};

const parse = (text: string): Partial<Owner> => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** Takes the lock, or throws `StoreError`: its owner has touched it within `staleAfter`. */
export const takeLock = async (path: string, staleAfter: number): Promise<Lock> => {
  const lock = `${path}.lock`;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await writeFile(lock, JSON.stringify(SELF), { flag: "wx", mode: 0o600 });
      return hold(path, lock, staleAfter);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    const text = await textOf(lock);
    const owner = parse(text);
    if (await isHeld(lock, owner, staleAfter)) throw inUse(path, lock, parse(await textOf(lock)));
    await putAside(lock, text);
  }
  throw new StoreError(`${path} cannot be locked: others take ${lock} at the same time`, undefined);
};

const textOf = (lock: string): Promise<string> =>
  readFile(lock, "utf8").catch((error) => {
    if (isCode(error, "EISDIR")) throw error;
    return "";
  });

const inUse = (path: string, lock: string, { host = "another host", pid }: Partial<Owner>) => {
  const who = pid === undefined ? "another process" : `process ${pid} on ${host.split(" ")[0]}`;
  return new StoreError(
    `${path} is in use by ${who}, which holds ${lock}: close its limiter or end it, name another file, or share the budget by redisStore`,
    undefined,
  );
};

/** Whether the owner lives. Where its process id does not tell it, the file is watched. */
const isHeld = async (
  lock: string,
  owner: Partial<Owner>,
  staleAfter: number,
): Promise<boolean> => {
  const { host, pid = 0 } = owner;
  const isHere = host === SELF.host;
  if (isHere && !isAlive(pid)) return false;
  const touchedAt = (): Promise<number | undefined> =>
    stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
  const before = await touchedAt();
  // The own id, and yet not the own lock: another thread's, or the id was used before.
  const isKnown = isHere && pid !== process.pid;
  if (isKnown && before !== undefined && Math.abs(Date.now() - before) < staleAfter) return true;
  for (let looks = 0; looks < LOOKS; looks++) {
    await sleep(staleAfter / LOOKS);
    const now = await touchedAt();
    if (now === undefined) return false;
    if (now !== before) return true;
  }
  return false;
};

/** Moves a lock of nobody away, unless another process was faster and has made a new one. */
const putAside = async (lock: string, text: string): Promise<void> => {
  const aside = `${lock}.${SELF.owner}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, "utf8")) !== text) await link(aside, lock);
  } catch (error) {
    if (!isCode(error, "ENOENT") && !isCode(error, "EEXIST")) throw error;
  }
  await rm(aside, { force: true });
};

const isOwn = (text: string): boolean => parse(text).owner === SELF.owner;

/** The lock files of this process, and what touches them. */
const held = new Map<string, NodeJS.Timeout>();

const release = (lock: string): void => {
  clearInterval(held.get(lock));
  held.delete(lock);
  if (held.size === 0) process.off("exit", releaseAll);
  try {
    if (isOwn(readFileSync(lock, "utf8"))) rmSync(lock, { force: true });
  } catch {
    // The next process finds that nobody touches it.
  }
};

const releaseAll = (): void => {
  for (const lock of held.keys()) release(lock);
};

const touch = async (lock: string): Promise<void> => {
  const now = new Date();
  if (isOwn(await readFile(lock, "utf8"))) await utimes(lock, now, now);
};

/** Touches the lock until it is given up, or the process ends. */
const hold = (path: string, lock: string, staleAfter: number): Lock => {
  if (held.size === 0) process.on("exit", releaseAll);
  const touching = setInterval(() => {
    touch(lock).catch(() => undefined);
  }, staleAfter / LOOKS).unref();
  held.set(lock, touching);
  return {
    check: async () => {
      const text = await textOf(lock);
      if (isOwn(text)) return;
      if (text !== "") throw inUse(path, lock, parse(text));
      throw new StoreError(
        `${lock} is gone, so another process may use ${path}: close the limiter and make it anew`,
        undefined,
      );
    },
    release: () => release(lock),
  };
};
