/**
 * One process of the placement test: takes part in the cluster, and prints a line whenever a
 * follower begins on it.
 *
 * Usage: node placed.ts
 * '{"postgres":"postgres://…","port":34431,"server":"http://…","realms":["pc"]}'
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, References } from "effect";
import { Placement } from "../src/cluster/index.ts";
import { Follower, Lease, PageSource, type StashRealm } from "../src/index.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { httpSource } from "../test/support/HttpSource.ts";

/** Settings of a process, passed as JSON in its first argument. */
export interface PlacedOrder {
  readonly postgres: string;
  readonly port: number;
  readonly server: string;
  readonly realms: ReadonlyArray<StashRealm>;
}

const order = JSON.parse(process.argv[2] ?? "{}") as PlacedOrder;
const sink = SinkPostgres.layer({ url: order.postgres, schema: "pages", keepPages: Infinity });

const follow = (realm: StashRealm) =>
  Effect.gen(function* () {
    process.stdout.write(`${JSON.stringify({ began: realm, at: Date.now() })}\n`);
    yield* Follower.run({
      source: "stashes",
      realm,
      onLeaseLost: "fail",
      pollInterval: { min: 20, max: 100 },
      backoff: { base: 20, cap: 500 },
    });
  }).pipe(
    Effect.provide(Lease.next.pipe(Layer.provideMerge(sink))),
    Effect.provideService(PageSource.PageSource, httpSource(order.server)),
  );

Placement.layer({
  url: order.postgres,
  host: "127.0.0.1",
  port: order.port,
  tasks: Object.fromEntries(order.realms.map((realm) => [`stashes/${realm}`, follow(realm)])),
}).pipe(
  Layer.launch,
  Effect.provideService(References.MinimumLogLevel, "Error"),
  NodeRuntime.runMain,
);
