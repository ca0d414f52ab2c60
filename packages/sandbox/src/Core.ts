/** Types of the parts that every other part of a sandbox uses. */
import type { Accounts } from "./clients/Accounts.ts";
import type { Clients } from "./clients/Clients.ts";
import type { VirtualClock } from "./clock/VirtualClock.ts";
import type { SandboxConfig } from "./Config.ts";
import type { Recording } from "./record/Recording.ts";
import type { WordsTranslation } from "./data/words.ts";
import type { ResponseOutput } from "./http/messages.ts";
import type { Log } from "./internal/log.ts";
import type { Platform } from "./platform/Platform.ts";
import type { Engine, Store } from "./store/Store.ts";

/** The parts of an application. */
export interface ApplicationParts {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly engine: Engine;
  readonly log: Log;
  /** The real time in milliseconds; the platform's by default. */
  readonly baseClock?: () => number;
  /** Waits in the time of the surroundings, for delays; a timer by default. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Captured answers that are served instead of generated ones. */
  readonly replay?: Recording | undefined;
  readonly words?: WordsTranslation | undefined;
  /** Builds the OpenAPI documents and their pages, where there is something to build them with. */
  readonly documents?: (path: string) => Promise<ResponseOutput> | undefined;
}

/** The store's key of the instant at which the world starts. */
export const WORLD_START = "world.birth";

/** Configuration, state and clock: what is there before anything is loaded. */
export interface Core {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly parts: ApplicationParts;
  /** The instant at which the world starts. */
  readonly worldStart: number;
}
