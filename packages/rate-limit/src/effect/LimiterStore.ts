/**
 * The store of a limiter: in memory, in a file (`./file`), or in Redis (`./redis`).
 */
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import { memoryStore } from "../Store.ts";
import type { Store } from "../Store.ts";

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
