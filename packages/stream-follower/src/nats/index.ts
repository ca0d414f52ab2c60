/**
 * Fan-out of a page log by NATS JetStream: `publish` copies the log, and `consume` reads the copy.
 *
 * Optional peer dependencies: `@nats-io/jetstream` and `@nats-io/transport-node`.
 *
 * ```ts
 * import { publish, type PublishOptions } from "@game-data/stream-follower/nats";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 * import { Effect } from "effect";
 *
 * // `nats` is a connection of `@nats-io/transport-node`.
 * const copyLog = (nats: PublishOptions["nats"], store: StoreUrl.StoreUrl) => {
 *   const key = { source: "stashes", realm: "pc" } as const;
 *   return publish({ nats, key, stream: "GAME_DATA_STASHES_PC" }).pipe(
 *     Effect.provide(StoreUrl.logLayer(store)),
 *   );
 * };
 * if (copyLog.length !== 2) throw new Error("a connection and a store");
 * ```
 */
export { consume, type ConsumeOptions } from "./consume.ts";
export { publish, type PublishOptions } from "./publish.ts";
