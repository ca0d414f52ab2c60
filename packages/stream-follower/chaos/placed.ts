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
import { inSchema } from "./Postgres.ts";
import { httpSource } from "../test/support/HttpSource.ts";

interface Order {
  readonly postgres: string;
  readonly port: number;
  readonly server: string;
  readonly realms: ReadonlyArray<StashRealm>;
  /** The schemas that keep the pages of each realm: a stream each. Default `pages`. */
  readonly schemas?: ReadonlyArray<string>;
}

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const { realms, schemas = ["pages"] } = order;

const follow = (realm: StashRealm, schema: string) => {
  const sink = SinkPostgres.layer({ url: inSchema(order.postgres, schema), keepPages: Infinity });
  return Effect.gen(function* () {
    process.stdout.write(`${JSON.stringify({ began: realm, schema, at: Date.now() })}\n`);
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
};

const streams = schemas.flatMap((schema) =>
  realms.map((realm) => [`${schema}/${realm}`, follow(realm, schema)] as const),
);

Placement.layer({
  url: order.postgres,
  host: "127.0.0.1",
  port: order.port,
  tasks: Object.fromEntries(streams),
}).pipe(
  Layer.launch,
  Effect.provideService(References.MinimumLogLevel, "Error"),
  NodeRuntime.runMain,
);
