/**
 * Mutual exclusion between processes by files, without native code and without a window in which a
 * lock can be stolen.
 *
 * The lock is a row of generations, `name.lock.1`, `name.lock.2`, …: whoever creates the next file
 * exclusively holds the lock. A generation may be created when the one before it is released, when
 * its process is gone, or when it has shown no sign of life for a minute: a holder touches its file
 * every few seconds, so however long it takes, it is not robbed. (A holder that is stopped for a
 * minute, by a debugger say, is.) The newest file is never deleted, so two waiters that both
 * believe a holder dead meet at the same name, and one of them loses. (Deleting a stale lock and
 * creating it anew, as most libraries do, lets the second waiter delete the first one's fresh
 * lock.)
 */
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { errnoCode } from "./errnoCode.ts";

/** How often is looked and touched. */
export interface Pace {
  readonly pollMillis: number;
  /** How often a holder shows that it is alive. */
  readonly beatMillis: number;
  /**
   * How often a waiter may find one generation held and untouched before it takes it for abandoned.
   * Counted and not read off a clock: clocks of machines differ, jump, and stand still in tests.
   */
  readonly abandonedAfterPolls: number;
  readonly giveUpAfterPolls: number;
}

/** A minute without a sign of life; a minute and a half until a waiter fails. */
const PACE: Pace = {
  pollMillis: 20,
  beatMillis: 5000,
  abandonedAfterPolls: 3000,
  giveUpAfterPolls: 4500,
};

const RELEASED = "released";

/**
 * Runs an effect while no other process, and no other fiber here, runs one under the same name in
 * `folder`.
 */
export const fileLock =
  (folder: string, name: string, pace = PACE) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | TokenStoreFailed, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acquire(folder, `${name}.lock.`, pace, restore), (path) => {
        const heart = setInterval(() => void beat(path), pace.beatMillis);
        // A holder that waits for nothing else is done.
        heart.unref();
        return Effect.onExit(restore(effect), () => {
          clearInterval(heart);
          return Effect.ignore(Effect.tryPromise(() => writeFile(path, RELEASED)));
        });
      }),
    );

// A sign of life that can't be given costs nothing as long as the next one can.
const beat = (path: string) => {
  const now = new Date();
  return utimes(path, now, now).catch(() => undefined);
};

/** A lock that somebody else holds: its generation, and when it was last touched. */
interface Held {
  readonly generation: number;
  readonly touched: number;
}

// Only the waiting can be interrupted: an interrupted attempt would leave a lock behind that nobody
// releases.
const acquire = Effect.fnUntraced(function* (
  folder: string,
  prefix: string,
  pace: Pace,
  restore: (sleep: Effect.Effect<void>) => Effect.Effect<void>,
): Effect.fn.Return<string, TokenStoreFailed> {
  let seen: Held = { generation: 0, touched: 0 };
  let seenPolls = 0;
  for (let polls = 0; polls < pace.giveUpAfterPolls; polls++) {
    const abandoned = seenPolls > pace.abandonedAfterPolls ? seen : undefined;
    const attempt = yield* Effect.tryPromise({
      try: () => tryAcquire(folder, prefix, abandoned),
      catch: (error) => failed(errnoCode(error)),
    });
    if (typeof attempt === "string") return attempt;
    seenPolls = isSame(attempt, seen) ? seenPolls + 1 : 0;
    seen = attempt;
    yield* restore(realSleep(pace.pollMillis));
  }
  return yield* failed("another process holds the lock");
});

const isSame = (a: Held, b: Held) => a.generation === b.generation && a.touched === b.touched;

// Waiting for another process takes real time, whatever the program's clock says.
const realSleep = (millis: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis);
    return Effect.sync(() => clearTimeout(timer));
  });

/** The path of the lock now held, or what somebody else holds. */
const tryAcquire = async (
  folder: string,
  prefix: string,
  abandoned: Held | undefined,
): Promise<string | Held> => {
  const newest = (await generations(folder, prefix)).at(-1) ?? 0;
  const touched = newest > 0 ? await touchedIfHeld(join(folder, prefix + newest)) : undefined;
  if (touched !== undefined) {
    const held = { generation: newest, touched };
    if (abandoned === undefined || !isSame(held, abandoned)) return held;
  }
  const mine = newest + 1;
  const path = join(folder, prefix + mine);
  try {
    await writeFile(path, holderOf(process.pid), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return { generation: mine, touched: 0 };
    throw error;
  }
  const all = await generations(folder, prefix);
  if (all.at(-1) !== mine) {
    // We slept so long that this generation had come and gone; a newer one rules.
    await rm(path, { force: true });
    return { generation: all.at(-1) ?? 0, touched: 0 };
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

/** When a lock was last touched, or `undefined` when nobody holds it. */
const touchedIfHeld = async (path: string): Promise<number | undefined> => {
  try {
    const holder = await readFile(path, "utf8");
    if (holder === RELEASED) return undefined;
    const [pid = "", host] = holder.split("@");
    // Empty: created this moment and about to be signed. Elsewhere (another container): only signs
    // of life can tell.
    if (host === hostname() && !isAlive(Number(pid))) return undefined;
    return (await stat(path)).mtimeMs;
  } catch (error) {
    // Removed by a holder of a newer generation: look again.
    if (errnoCode(error) === "ENOENT") return 0;
    throw error;
  }
};

const holderOf = (pid: number) => `${pid}@${hostname()}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoCode(error) === "EPERM";
  }
};

const failed = (reason: string) => new TokenStoreFailed({ operation: "lock", reason });
