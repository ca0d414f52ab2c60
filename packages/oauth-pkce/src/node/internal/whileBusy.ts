/** Waits for SQLite's write lock without blocking this process. */
import { setTimeout as sleep } from "node:timers/promises";

const SQLITE_BUSY = 5;
/** Another process is paused or hangs: its lock is not waited for any longer. */
const MAX_WAIT_MILLIS = 5_000;
const PAUSE_MILLIS = 5;

/** A lock that was held for too long; its code is all that a store's error tells. */
class Busy extends Error {
  readonly code = "SQLITE_BUSY";
}

/**
 * Runs a statement, and again after a pause while another process writes. SQLite's own
 * `busy_timeout` blocks the event loop: the response to a refresh would wait behind it, and count
 * as lost.
 */
export const whileBusy = async <A>(run: () => A, maxWaitMillis = MAX_WAIT_MILLIS): Promise<A> => {
  const end = performance.now() + maxWaitMillis;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= end) throw new Busy();
    }
    // Uneven, so that two waiting processes do not meet again and again.
    await sleep(PAUSE_MILLIS * (1 + Math.random()));
  }
};

/** The low byte is the primary code; BUSY_SNAPSHOT and BUSY_RECOVERY share it. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
