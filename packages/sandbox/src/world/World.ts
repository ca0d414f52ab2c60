/**
 * The world as a service of the sandbox: born at the first start, and remembered by its birth
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

const BIRTH_KEY = "world.birth";

/** The world of the configured seed, born at the first start and remembered in the store. */
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
      const stored = store.getMeta(BIRTH_KEY);
      // A configured start is the birth to the millisecond, so that two processes with equal
      // options have one world.
      const birth = stored === undefined ? (config.now ?? clock.nowUnsafe()) : Number(stored);
      if (stored === undefined) store.setMeta(BIRTH_KEY, String(birth));
      return new WorldModel({
        seed: config.seed,
        birth,
        accounts: accounts.all,
        options: config.world,
        now: () => clock.nowUnsafe(),
      });
    }),
  );
}
