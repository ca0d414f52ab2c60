/** One timer, which is set again only where the time changes. */
import type { Clock } from "../Store.ts";
import { NEVER } from "./basics.ts";

const LONGEST_TIMER = 2 ** 31 - 1;

/** The timer. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #at = NEVER;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `at`, seen from `now`; `Infinity`: never. */
  set(at: number, now: number): void {
    if (at === this.#at) return;
    this.stop();
    this.#at = at;
    if (at === NEVER) return;
    const after = Math.min(Math.max(0, at - now), LONGEST_TIMER);
    this.#cancel = this.#clock.schedule(after, () => {
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
