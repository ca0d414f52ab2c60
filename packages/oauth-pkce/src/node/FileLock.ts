/**
 * Mutual exclusion between processes by files, without native code and without a window in which a lock can be stolen.
 *
 * The lock is a row of generations, `name.lock.1`, `name.lock.2`, …: whoever creates the next file exclusively holds the
 * lock. A generation may be created when the one before it is released, when its process is gone, or when it is older than
 * any holder can be. The newest file is never deleted, so two waiters that both believe a holder dead meet at the same
 * name, and one of them loses. (Deleting a stale lock and creating it anew, as most libraries do, lets the second waiter
 * delete the first one's fresh lock.)
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { codeOf } from "./errorCode.ts";

const POLL_MILLIS = 20;

/**
 * How often a waiter may find one generation held before it takes it for abandoned: a minute of polls, much longer than a
 * renewal takes (requests time out after 20 seconds). Counted and not read off a clock: clocks of machines differ, jump,
 * and stand still in tests.
 */
const ABANDONED_AFTER_POLLS = 3000;
const GIVE_UP_AFTER_POLLS = 4500;

const RELEASED = "released";

/** Runs an effect while no other process, and no other fiber here, runs one under the same name in `folder`. */
export const fileLock =
  (folder: string, name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | TokenStoreFailed, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acquire(folder, `${name}.lock.`, restore), (path) =>
        Effect.onExit(restore(effect), () =>
          Effect.ignore(Effect.tryPromise(() => writeFile(path, RELEASED))),
        ),
      ),
    );

// Only the waiting can be interrupted: an interrupted attempt would leave a lock behind that nobody releases.
const acquire = Effect.fnUntraced(function* (
  folder: string,
  prefix: string,
  restore: (sleep: Effect.Effect<void>) => Effect.Effect<void>,
): Effect.fn.Return<string, TokenStoreFailed> {
  let seen = 0;
  let seenPolls = 0;
  for (let polls = 0; polls < GIVE_UP_AFTER_POLLS; polls++) {
    const attempt = yield* Effect.tryPromise({
      try: () => tryAcquire(folder, prefix, seenPolls > ABANDONED_AFTER_POLLS ? seen : undefined),
      catch: (error) => failed(codeOf(error)),
    });
    if (typeof attempt === "string") return attempt;
    seenPolls = attempt === seen ? seenPolls + 1 : 0;
    seen = attempt;
    yield* restore(realSleep(POLL_MILLIS));
  }
  return yield* failed("another process holds the lock");
});

// Waiting for another process takes real time, whatever the program's clock says.
const realSleep = (millis: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis);
    return Effect.sync(() => clearTimeout(timer));
  });

/** The path of the lock now held, or the generation that somebody else holds. */
const tryAcquire = async (
  folder: string,
  prefix: string,
  abandoned: number | undefined,
): Promise<string | number> => {
  const newest = (await generations(folder, prefix)).at(-1) ?? 0;
  if (newest > 0 && newest !== abandoned && (await isHeld(join(folder, prefix + newest))))
    return newest;
  const mine = newest + 1;
  const path = join(folder, prefix + mine);
  try {
    await writeFile(path, holderOf(process.pid), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return mine;
    throw error;
  }
  const all = await generations(folder, prefix);
  if (all.at(-1) !== mine) {
    // We slept so long that this generation had come and gone; a newer one rules.
    await rm(path, { force: true });
    return all.at(-1) ?? 0;
  }
  await Promise.all(all.slice(0, -1).map((old) => rm(join(folder, prefix + old), { force: true })));
  return path;
};

const generations = async (folder: string, prefix: string): Promise<ReadonlyArray<number>> =>
  (await readdir(folder))
    .filter((file) => file.startsWith(prefix))
    .map((file) => Number(file.slice(prefix.length)))
    .filter(Number.isSafeInteger)
    .toSorted((a, b) => a - b);

const isHeld = async (path: string): Promise<boolean> => {
  try {
    const holder = await readFile(path, "utf8");
    if (holder === RELEASED) return false;
    const [pid = "", host] = holder.split("@");
    // Empty: created this moment and about to be signed. Elsewhere (another container): only time can tell.
    return host !== hostname() || isAlive(Number(pid));
  } catch (error) {
    // Removed by a holder of a newer generation: look again.
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
};

const holderOf = (pid: number) => `${pid}@${hostname()}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
};

const failed = (reason: string) => new TokenStoreFailed({ operation: "lock", reason });
