/**
 * Where the limiter keeps what it knows: in the memory of one process, or in Redis for all
 * processes that share a budget.
 *
 * A store does one thing: change the value of a key atomically, at the store's own time. The
 * arithmetic stays in one place (the planner), whatever the store. Values are plain JSON data.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The store cannot be reached. */
export class LimiterStoreError extends Data.TaggedError("LimiterStoreError")<{
  readonly detail: string;
  readonly cause?: unknown;
}> {
  /** Always `true`: nothing was sent. */
  get isRetryable(): boolean {
    return true;
  }
  override get message(): string {
    return `The store of the rate limiter failed: ${this.detail}.`;
  }
  override toJSON(): object {
    return { _tag: this._tag, detail: this.detail, message: this.message };
  }
}

/** The functions of a store. */
export interface LimiterStoreService {
  /** Whether other processes change it too: waiters then look again now and then. */
  readonly shared: boolean;
  /**
   * Changes the value of `key` atomically. `change` gets the value (`undefined`: none) and the
   * store's time in milliseconds, may run more than once, and returns its result with the new
   * value; the same value back means that nothing is written.
   */
  readonly modify: <S, A>(
    key: string,
    change: (value: S | undefined, now: number) => readonly [result: A, value: S | undefined],
  ) => Effect.Effect<A, LimiterStoreError>;
  /**
   * The same at once, at the given time. Only stores in this process's memory have it; it saves a
   * detour per request.
   */
  readonly modifyUnsafe?: <S, A>(
    key: string,
    now: number,
    change: (value: S | undefined, now: number) => readonly [result: A, value: S | undefined],
  ) => A;
}

/** The store of a limiter. */
export class LimiterStore extends Context.Service<LimiterStore, LimiterStoreService>()(
  "@game-data/rate-limit/LimiterStore",
) {
  /** A store in the memory of this process. */
  static readonly layerMemory: Layer.Layer<LimiterStore> = Layer.sync(LimiterStore, () =>
    makeMemoryStore(),
  );
}

/** A store in the memory of this process; its time is Effect's `Clock`. */
export const makeMemoryStore = (): LimiterStoreService => {
  const values = new Map<string, unknown>();
  const modifyUnsafe: NonNullable<LimiterStoreService["modifyUnsafe"]> = <S, A>(
    key: string,
    now: number,
    change: (value: S | undefined, now: number) => readonly [A, S | undefined],
  ): A => {
    const [result, value] = change(values.get(key) as S | undefined, now);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    return result;
  };
  return {
    shared: false,
    modifyUnsafe,
    modify: (key, change) =>
      Effect.map(Clock.currentTimeMillis, (now) => modifyUnsafe(key, now, change)),
  };
};
