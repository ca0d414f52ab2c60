/**
 * One publisher process of the kill test: copies the log of a store into a JetStream stream.
 *
 * Usage: node publisher.ts '{"store":"sqlite:…","server":"nats://…","stream":"COPY"}'
 */
import { connect } from "@nats-io/transport-node";
import * as Effect from "effect/Effect";
import * as References from "effect/References";
import { publish } from "../src/nats/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";

/** Settings of a publisher process, passed as JSON in its first argument. */
export interface PublisherOrder {
  readonly store: string;
  readonly server: string;
  readonly stream: string;
  readonly until: "caughtUp" | "forever";
}

const order = JSON.parse(process.argv[2] ?? "{}") as PublisherOrder;
const nats = await connect({ servers: order.server, maxReconnectAttempts: -1 });
const key = { source: "stashes", realm: "pc" } as const;
process.stdout.write("connected\n");
const exit = await Effect.gen(function* () {
  const address = yield* StoreUrl.parse(order.store);
  yield* Effect.provide(
    publish({ nats, key, maxBytes: 500e6, ...order }),
    StoreUrl.logLayer(address),
  );
}).pipe(Effect.provideService(References.MinimumLogLevel, "Error"), Effect.runPromiseExit);
if (exit._tag === "Failure") process.stderr.write(`${String(exit.cause)}\n`);
process.exit(exit._tag === "Success" ? 0 : 1);
