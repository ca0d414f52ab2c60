/**
 * Who is next on a policy: by priority, then by arrival. Plain data and callbacks; the limiter's
 * fibers wait on them.
 */
import * as Effect from "effect/Effect";

/** Somebody who waits for a permit. */
export interface Waiter {
  readonly priority: number;
  readonly order: number;
  queue: string | undefined;
  /** A call that came while nobody listened. */
  isWoken: boolean;
  resume: (() => void) | undefined;
}

/** The queues of a limiter by policy. */
export class WaitQueues {
  readonly #queues = new Map<string, Array<Waiter>>();
  #arrivals = 0;

  /** A waiter that stands in no queue yet. */
  create(priority: number): Waiter {
    return {
      priority,
      order: this.#arrivals++,
      queue: undefined,
      isWoken: false,
      resume: undefined,
    };
  }

  /** Puts `waiter` into the queue of `key`, leaving the one it stood in. */
  enqueue(waiter: Waiter, key: string): void {
    if (waiter.queue === key) return;
    this.remove(waiter);
    const queue = this.#queues.get(key) ?? [];
    const index = queue.findIndex(
      (other) =>
        other.priority < waiter.priority ||
        (other.priority === waiter.priority && other.order > waiter.order),
    );
    queue.splice(index === -1 ? queue.length : index, 0, waiter);
    this.#queues.set(key, queue);
    waiter.queue = key;
  }

  /** Takes `waiter` out; the next one is told. */
  remove(waiter: Waiter): void {
    if (waiter.queue === undefined) return;
    const queue = this.#queues.get(waiter.queue) ?? [];
    const index = queue.indexOf(waiter);
    if (index !== -1) queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(waiter.queue);
    else if (index === 0) wake(queue[0]);
    waiter.queue = undefined;
  }

  /** Whether `waiter` is the next one of its queue. */
  isHead(waiter: Waiter): boolean {
    return waiter.queue !== undefined && this.#queues.get(waiter.queue)?.[0] === waiter;
  }

  /** Whether anybody stands in the queue of `key`. */
  hasWaiters(key: string): boolean {
    return this.#queues.has(key);
  }

  /**
   * Lets the next one of every queue look again. Who turns out to belong elsewhere leaves, which
   * wakes the one behind.
   */
  wakeHeads(): void {
    for (const queue of this.#queues.values()) wake(queue[0]);
  }

  /** How many wait in all. */
  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.length;
    return size;
  }
}

/** Waits until `waiter` is isWoken, or for `millis`. */
export const waitForWake = (waiter: Waiter, millis: number): Effect.Effect<void> => {
  const isWoken = Effect.callback<void>((resume) => {
    if (waiter.isWoken) {
      waiter.isWoken = false;
      resume(Effect.void);
      return;
    }
    waiter.resume = () => resume(Effect.void);
    return Effect.sync(() => {
      waiter.resume = undefined;
    });
  });
  return Number.isFinite(millis) ? Effect.asVoid(Effect.timeoutOption(isWoken, millis)) : isWoken;
};

const wake = (waiter: Waiter | undefined): void => {
  if (waiter === undefined) return;
  const { resume } = waiter;
  waiter.resume = undefined;
  if (resume) resume();
  else waiter.isWoken = true;
};
