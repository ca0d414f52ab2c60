/**
 * The one clock behind every timestamp that the sandbox writes, compares or shows.
 *
 * It reads a real clock and adds what a test of a running server needs: an offset (`advance`,
 * `set`) and a stop (`freeze`, `resume`). Its state is in the store, so tokens that were issued
 * "next month" are still valid after a restart. Only instants are virtual; a delay waits in real
 * time.
 */
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Store } from "../store/Store.ts";

/** State of the clock: running at an offset from the real one, or frozen. */
export interface ClockState {
  readonly frozen: boolean;
  /** Milliseconds between the real clock and this one while it runs. */
  readonly offset: number;
  /** The instant of a frozen clock, in milliseconds since the epoch. */
  readonly at: number;
}

const KEY = "clock";

/** The sandbox's virtual clock. Every method that changes it returns the new instant. */
export class VirtualClock {
  readonly #base: () => number;
  readonly #store: Store;
  readonly #start: number | undefined;
  #state: ClockState;

  /** Restores a clock over `base` from the store. At its first start the clock shows `start`. */
  constructor(base: () => number, store: Store, start: number | undefined) {
    this.#base = base;
    this.#store = store;
    this.#start = start;
    const stored = store.meta.get(KEY)?.value;
    this.#state = stored === undefined ? this.#initial() : (JSON.parse(stored) as ClockState);
    if (stored === undefined) this.#become(this.#state);
    store.onReset(() => this.#become(this.#state));
  }

  /** The present instant in milliseconds since the epoch. */
  readonly now = (): number =>
    Math.floor(this.#state.frozen ? this.#state.at : this.#base() + this.#state.offset);

  get state(): ClockState {
    return this.#state;
  }

  /** Moves on by milliseconds; a negative number is treated as zero. */
  advance(millis: number): number {
    return this.set(this.now() + Math.max(0, millis));
  }

  /** Moves to an instant, forwards or backwards. */
  set(instant: number): number {
    const { frozen } = this.#state;
    return this.#become(
      frozen ? { ...this.#state, at: instant } : { ...this.#state, offset: instant - this.#base() },
    );
  }

  /** Stops the clock, at the present instant or at a given one. */
  freeze(at: number = this.now()): number {
    return this.#become({ ...this.#state, frozen: true, at });
  }

  resume(): number {
    return this.#become({ frozen: false, at: 0, offset: this.now() - this.#base() });
  }

  /** Runs again from the configured start, or in real time if none was configured. */
  reset(): number {
    return this.#become(this.#initial());
  }

  #initial(): ClockState {
    const offset = this.#start === undefined ? 0 : this.#start - this.#base();
    return { frozen: false, offset, at: 0 };
  }

  #become(state: ClockState): number {
    this.#state = state;
    this.#store.meta.put({ key: KEY, value: JSON.stringify(state) });
    return this.now();
  }
}

const clockService = (clock: VirtualClock) => ({
  /** The present instant in milliseconds since the epoch. */
  now: Effect.sync(clock.now),
  /** Moves on by a duration; a negative one is treated as zero. */
  advance: (duration: Duration.Input) =>
    Effect.sync(() => clock.advance(Duration.toMillis(duration))),
  /** Moves to an instant (milliseconds since the epoch), forwards or backwards. */
  set: (instant: number) => Effect.sync(() => clock.set(instant)),
  /** Stops the clock, at the present instant or at a given one. */
  freeze: (at?: number) => Effect.sync(() => clock.freeze(at)),
  /** Continues from the present instant. */
  resume: Effect.sync(() => clock.resume()),
  /** Runs again from the configured start, or in real time if none was configured. */
  reset: Effect.sync(() => clock.reset()),
  state: Effect.sync(() => clock.state),
});

/**
 * The virtual clock as an Effect service. Every effect that changes it returns the new instant. It
 * uses Effect's `Clock`, so a test that drives `TestClock` drives the sandbox too. `Effect.sleep` waits
 * in the time of the surrounding `Clock`.
 */
export class SandboxClock extends Context.Service<SandboxClock, ReturnType<typeof clockService>>()(
  "@game-data/sandbox/SandboxClock",
) {
  static readonly from = clockService;
}
