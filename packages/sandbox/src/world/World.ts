/**
 * The world as a service of the sandbox: created at the first start, and remembered by its worldStart
 * alone.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Accounts } from "../clients/Accounts.ts";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { SandboxConfig } from "../Config.ts";
import { Store } from "../store/Store.ts";
import { WorldModel } from "./WorldModel.ts";

const WORLD_START_KEY = "world.birth";

/** The world of the configured seed, created at the first start and remembered in the store. */
export class World extends Context.Service<World, WorldModel>()("@game-data/sandbox/World") {
  /** The world over the seeded accounts and the virtual clock. */
  static readonly layer: Layer.Layer<
    World,
    never,
    SandboxConfig | Accounts | SandboxClock | Store
  > = Layer.effect(
    World,
    Effect.gen(function* () {
      const config = yield* SandboxConfig;
      const accounts = yield* Accounts;
      const clock = yield* SandboxClock;
      const store = yield* Store;
      const stored = store.getMeta(WORLD_START_KEY);
      // A configured start is the worldStart to the millisecond, so that two processes with equal
      // options have one world.
      const worldStart = stored === undefined ? (config.now ?? clock.nowUnsafe()) : Number(stored);
      if (stored === undefined) store.setMeta(WORLD_START_KEY, String(worldStart));
      return new WorldModel({
        seed: config.seed,
        worldStart,
        accounts: accounts.all,
        options: config.world,
        now: () => clock.nowUnsafe(),
      });
    }),
  );
}
