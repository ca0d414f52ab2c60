/** The options of a queue, with all defaults in them. */
import type { LimiterEvent } from "../Model.ts";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import type { Store } from "../Store.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import type { CoreOptions } from "./State.ts";

/** The options of a queue; times in milliseconds. */
export interface QueueOptions {
  readonly store: Store;
  readonly key: string;
  readonly dialect: RateLimitDialect;
  readonly core: CoreOptions;
  readonly errors: ClientErrorOptions;
  readonly maxInFlight: number;
  readonly maxWait: number;
  /** For a priority, the places of each window that lower ones never take. */
  readonly reserve: ReadonlyArray<readonly [priority: number, places: number]>;
  /** Called for each grant, each 429 and each request that was not sent. */
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** The places of each window that requests of a priority leave to higher ones. */
export const placesKept = ({ reserve }: QueueOptions, priority: number): number =>
  reserve.reduce((sum, [above, places]) => sum + (priority < above ? places : 0), 0);
