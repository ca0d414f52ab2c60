/**
 * Where the limiter keeps what it knows: in memory, in a file (`./file`), or in Redis (`./redis`).
 */
import * as Context from "effect/Context";
import * as Data from "effect/Data";
import * as Layer from "effect/Layer";
import { memoryStore } from "../Store.ts";
import type { Store } from "../Store.ts";

/**
 * The store of the limiter failed, so the request was not sent.
 *
 * What to do: look at `cause`; make the file or the server reachable and try again.
 */
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

/** The store of a limiter. */
export class LimiterStore
  extends /*#__PURE__*/ Context.Service<LimiterStore, Store>()(
    "@game-data/rate-limit/LimiterStore",
  )
{
  /** A store in the memory of this process. */
  static readonly layerMemory: Layer.Layer<LimiterStore> = /*#__PURE__*/ Layer.sync(
    LimiterStore,
    () => memoryStore(),
  );

  /** A store of yours: `fileStore(…)`, `redisStore(…)`. */
  static layer(store: Store): Layer.Layer<LimiterStore> {
    return Layer.succeed(LimiterStore, store);
  }
}
