/**
 * The one clock behind every timestamp that the sandbox writes, compares or shows.
 *
 * It stands on Effect's `Clock`, so a test that drives `TestClock` drives the sandbox too, and adds
 * what a test of a running server needs: an offset (`advance`, `set`) and a standstill (`freeze`,
 * `resume`). Its state lies in the store: a database whose tokens were issued "next month" is read
 * with next month's clock after a restart.
 *
 * Only instants are virtual. `Effect.sleep` in the server waits in the time of the surrounding
 * `Clock`.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { SandboxConfig } from "../Config.ts";
import { Store } from "../store/Store.ts";

/** Where the clock stands: running beside the real one at an offset, or still. */
export interface ClockState {
  /** Whether time stands still. */
  readonly frozen: boolean;
  /** Milliseconds between the surrounding clock and this one while it runs. */
  readonly offset: number;
  /** The instant at which it stands, in milliseconds since the epoch; meaningful while `frozen`. */
  readonly at: number;
}

/** The sandbox's virtual clock. Every effect that changes it answers the instant it then shows. */
export class SandboxClock extends Context.Service<
  SandboxClock,
  {
    /** The present instant in milliseconds since the epoch. */
    readonly now: Effect.Effect<number>;
    /** The present instant, for synchronous code such as a transaction. */
    nowUnsafe(): number;
    /** Moves on by a duration; a negative one is treated as zero. */
    advance(duration: Duration.Input): Effect.Effect<number>;
    /** Moves to an instant (milliseconds since the epoch), forwards or backwards. */
    set(instant: number): Effect.Effect<number>;
    /** Stands still, at the present instant or at a given one. */
    freeze(at?: number): Effect.Effect<number>;
    /** Runs on from where it stands. */
    readonly resume: Effect.Effect<number>;
    /** Back to where it stood when the sandbox was first started. */
    readonly reset: Effect.Effect<number>;
    /** How it runs at present. */
    readonly state: Effect.Effect<ClockState>;
    /** The same clock as Effect's own service: request handlers see virtual time through it. */
    readonly effectClock: Clock.Clock;
  }
>()("@game-data/sandbox/SandboxClock") {
  /** The clock over the surrounding `Clock`, restored from the store. */
  static readonly layer: Layer.Layer<SandboxClock, never, Store | SandboxConfig> = Layer.effect(
    SandboxClock,
    Effect.gen(function* () {
      const base = yield* Clock.Clock;
      const store = yield* Store;
      const { now: start } = yield* SandboxConfig;
      const initial = (): ClockState => ({
        frozen: false,
        offset: start === undefined ? 0 : start - base.currentTimeMillisUnsafe(),
        at: 0,
      });
      const stored = store.getMeta(META_KEY);
      let state: ClockState = stored === undefined ? initial() : (JSON.parse(stored) as ClockState);

      const nowUnsafe = () =>
        Math.floor(state.frozen ? state.at : base.currentTimeMillisUnsafe() + state.offset);
      const become = (next: () => ClockState) =>
        Effect.sync(() => {
          state = next();
          store.setMeta(META_KEY, JSON.stringify(state));
          return nowUnsafe();
        });
      const moveTo = (instant: number): ClockState =>
        state.frozen
          ? { ...state, at: instant }
          : { ...state, offset: instant - base.currentTimeMillisUnsafe() };

      if (stored === undefined) yield* become(initial);
      store.onReset("clock", () => store.setMeta(META_KEY, JSON.stringify(state)));

      return SandboxClock.of({
        now: Effect.sync(nowUnsafe),
        nowUnsafe,
        advance: (duration) =>
          become(() => moveTo(nowUnsafe() + Math.max(0, Duration.toMillis(duration)))),
        set: (instant) => become(() => moveTo(instant)),
        freeze: (at) => become(() => ({ ...state, frozen: true, at: at ?? nowUnsafe() })),
        resume: become(() => ({
          frozen: false,
          at: 0,
          offset: nowUnsafe() - base.currentTimeMillisUnsafe(),
        })),
        reset: become(initial),
        state: Effect.sync(() => state),
        effectClock: virtualClock(base, nowUnsafe),
      });
    }),
  );
}

const META_KEY = "clock";

/** Effect's `Clock` with virtual instants and the sleeping and the monotonic time of `base`. */
const virtualClock = (base: Clock.Clock, nowUnsafe: () => number): Clock.Clock => {
  const nanos = () => BigInt(nowUnsafe()) * 1_000_000n;
  return {
    currentTimeMillisUnsafe: nowUnsafe,
    currentTimeMillis: Effect.sync(nowUnsafe),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration),
  };
};
