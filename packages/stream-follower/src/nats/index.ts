/**
 * Fan-out of a page log by NATS JetStream: `publish` copies the log, and `consume` reads the copy.
 *
 * Optional peer dependencies: `@nats-io/jetstream` and `@nats-io/transport-node`.
 *
 * ```ts
 * import { connect } from "@nats-io/transport-node";
 * import { publish } from "@game-data/stream-follower/nats";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 * import { Effect } from "effect";
 *
 * const copy = async (store: string) => {
 *   const nats = await connect({ servers: "nats://127.0.0.1:4222" });
 *   const key = { source: "stashes", realm: "pc" } as const;
 *   const url = await Effect.runPromise(StoreUrl.parse(store));
 *   await publish({ nats, key, stream: "GAME_DATA_STASHES_PC" }).pipe(
 *     Effect.provide(StoreUrl.logLayer(url)),
 *     Effect.runPromise,
 *   );
 * };
 * if (typeof copy !== "function") throw new Error("a publisher");
 * ```
 */
export { consume, type ConsumeOptions } from "./consume.ts";
export { publish, type PublishOptions } from "./publish.ts";
