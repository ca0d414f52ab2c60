/**
 * The NATS JetStream driver: a page log that many programs read. Its optional peer dependencies are
 * `@nats-io/transport-node` and `@nats-io/jetstream`; it needs nats-server 2.10.27 or newer.
 *
 * ```ts
 * import { Layer } from "effect";
 * import { LeaseNats, SinkNats } from "@game-data/stream-follower/nats";
 *
 * const url = "nats://follower@broker.example:4222/game_data";
 * const store = Layer.merge(SinkNats.layer({ url, replicas: 3 }), LeaseNats.layer({ url }));
 * if (!Layer.isLayer(store)) throw new Error("a layer of Sink, Store, PageLog and Lease");
 * ```
 */
export * as LeaseNats from "./lease.ts";
export * as SinkNats from "./sink.ts";
