/** Configuration, state and clock: what is there before anything is loaded, for every other part. */
import { Accounts } from "./clients/Accounts.ts";
import { Clients } from "./clients/Clients.ts";
import { VirtualClock } from "./clock/VirtualClock.ts";
import type { SandboxConfig } from "./Config.ts";
import type { WordsTranslation } from "./data/words.ts";
import type { ResponseOutput } from "./http/messages.ts";
import type { Log } from "./internal/log.ts";
import type { Platform } from "./platform/Platform.ts";
import { type Engine, Store } from "./store/Store.ts";

export interface ApplicationParts {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly engine: Engine;
  readonly log: Log;
  /** The real time in milliseconds; the platform's by default. */
  readonly baseClock?: () => number;
  /** Waits in the time of the surroundings, for delays; a timer by default. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  readonly words?: WordsTranslation | undefined;
  /** Builds the OpenAPI documents and their pages, where there is something to build them with. */
  readonly documents?: (path: string) => Promise<ResponseOutput> | undefined;
}

/** The store's key of the instant at which the world starts. */
export const WORLD_START = "world.birth";

export type Core = ReturnType<typeof makeCore>;

/** Opens the state. Throws `RegistrationRejected`, or an `Error` where the store holds another world. */
export const makeCore = (parts: ApplicationParts) => {
  const { config, engine, platform } = parts;
  const store = new Store(engine);
  const known = store.getMeta("seed");
  if (known !== undefined && known !== String(config.seed))
    throw new Error(`it holds the world of seed ${known}, not ${config.seed}`);
  store.setMeta("seed", String(config.seed));
  const clock = new VirtualClock(parts.baseClock ?? platform.now, store, config.now);
  // A configured start is the world's to the millisecond, so that two processes with equal
  // options have one world.
  const stored = store.getMeta(WORLD_START);
  const worldStart = stored === undefined ? (config.now ?? clock.now()) : Number(stored);
  if (stored === undefined) store.setMeta(WORLD_START, String(worldStart));
  const accounts = new Accounts(config.seed, platform);
  const clients = new Clients({ store, accounts, platform, config });
  return { config, platform, store, clock, accounts, clients, parts, worldStart };
};
