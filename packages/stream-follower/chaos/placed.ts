/**
 * One process of the placement test: takes part in the cluster, and prints the task whenever a
 * follower begins on it.
 *
 * Usage: node placed.ts '{"cluster":"postgres://…","port":34431,"server":"http://…","stores":["postgres://…"]}'
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import { Effect, Layer, References } from "effect";
import { Placement } from "../src/cluster/index.ts";
import { Follower, Lease, PageSource } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { httpSource } from "../test/support/HttpSource.ts";

/** Settings of a process, passed as JSON in its first argument. */
export interface PlacedOrder {
  readonly cluster: string;
  readonly port: number;
  readonly server: string;
  /** Each store keeps the streams of three realms. */
  readonly stores: ReadonlyArray<string>;
}

const order = JSON.parse(process.argv[2] ?? "{}") as PlacedOrder;

const follow = (task: string, store: string, realm: "pc" | "console_a" | "console_b") =>
  Effect.gen(function* () {
    process.stdout.write(`began ${task}\n`);
    const address = yield* StoreUrl.parse(store);
    yield* Follower.run({
      source: "stashes",
      realm,
      onLeaseLost: "fail",
      pollInterval: { min: 20, max: 100 },
      backoff: { base: 20, cap: 500 },
    }).pipe(Effect.provide(Layer.provideMerge(Lease.next, StoreUrl.layer(address))));
  }).pipe(Effect.provideService(PageSource.PageSource, httpSource(order.server)));

const tasks = order.stores.flatMap((store, index) =>
  (["pc", "console_a", "console_b"] as const).map((realm) => {
    const task = `${index}/${realm}`;
    return [task, follow(task, store, realm)] as const;
  }),
);

Placement.layer({
  url: order.cluster,
  host: "127.0.0.1",
  port: order.port,
  tasks: Object.fromEntries(tasks),
}).pipe(
  Layer.launch,
  Effect.provideService(References.MinimumLogLevel, "Error"),
  NodeRuntime.runMain,
);
