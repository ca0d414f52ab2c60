/**
 * Distributes a page log by NATS JetStream: `publish` copies the log, and `consume` reads the copy.
 *
 * Optional peer dependencies: `@nats-io/jetstream` and `@nats-io/transport-node`.
 */
export { consume, type ConsumeOptions } from "./consume.ts";
export { publish, type PublishOptions } from "./publish.ts";
