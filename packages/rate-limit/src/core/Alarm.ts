/** One timer, which is set again only where the time changes; and the clock of the process. */
import type { Clock } from "../Store.ts";
import { NEVER } from "./basics.ts";

const LONGEST_TIMER = 2 ** 31 - 1;

/** The timer. */
export class Alarm {
  readonly #schedule: Clock["schedule"];
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #at = NEVER;

  constructor(schedule: Clock["schedule"], ring: () => void) {
    this.#schedule = schedule;
    this.#ring = ring;
  }

  get isSet(): boolean {
    return this.#cancel !== undefined;
  }

  /** Rings at `at`, seen from `now`; `Infinity`: never. */
  set(at: number, now: number): void {
    if (at === this.#at) return;
    this.stop();
    this.#at = at;
    if (at === NEVER) return;
    const after = Math.min(Math.max(0, at - now), LONGEST_TIMER);
    this.#cancel = this.#schedule(after, () => {
      this.#at = NEVER;
      this.#cancel = undefined;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = NEVER;
  }
}

export const processClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule: (after, wake) => {
    const timer = setTimeout(wake, after);
    return () => clearTimeout(timer);
  },
  watch: (after, wake) => {
    const timer: { readonly unref?: () => void } = setTimeout(wake, after);
    timer.unref?.();
    return () => clearTimeout(timer as never);
  },
};
