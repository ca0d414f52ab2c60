/** The state of a sandbox: its store, clock, accounts, applications and grants. */
import { Accounts, Clients } from "./clients/Clients.ts";
import { VirtualClock } from "./clock/VirtualClock.ts";
import { Grants } from "./oauth/Grants.ts";
import type { SandboxConfig } from "./Options.ts";
import type { Platform } from "./platform/Platform.ts";
import { type File, Store } from "./store/Store.ts";
import { formatSizes, parseSizes } from "./world/Sizes.ts";

export interface StateParts {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  /** The real time in milliseconds since the epoch. */
  readonly realNow: () => number;
  readonly file?: File | undefined;
}

export type SandboxState = ReturnType<typeof openState>;

/** Opens the state. Throws `RegistrationRejected`, or an `Error` if the file holds another world. */
export const openState = ({ config: given, file, platform, realNow }: StateParts) => {
  const store = new Store(file);
  const setting = (key: string, initial: () => string): string => {
    const value = store.meta.get(key)?.value ?? initial();
    store.meta.put({ key, value });
    return value;
  };
  const seed = Number(setting("seed", () => String(given.seed ?? 1)));
  if (given.seed !== undefined && given.seed !== seed)
    throw new Error(`it holds the world of seed ${seed}, not ${given.seed}`);
  const asked = formatSizes(given.world);
  const sizes = setting(WORLD_SIZES, () => asked);
  if (asked !== "" && asked !== sizes)
    throw new Error(`it holds a world of ${sizes || "the default sizes"}, not of ${asked}`);
  const config = { ...given, seed, world: parseSizes(sizes) };
  const clock = new VirtualClock(realNow, store, config.now);
  // Keep the milliseconds of a configured start, so that equal options give the same world in two
  // processes.
  const worldStart = Number(setting(WORLD_START, () => String(config.now ?? clock.now())));
  const accounts = new Accounts(seed, platform);
  const clients = new Clients({ store, accounts, platform, config });
  const grants = new Grants(store, platform, clock.now);
  return { config, platform, store, clock, worldStart, accounts, clients, grants };
};

/** Key of the setting with the instant at which the world starts. */
export const WORLD_START = "world.start";
/** Key of the setting with the sizes of the world. */
export const WORLD_SIZES = "world.sizes";
