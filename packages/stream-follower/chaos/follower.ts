/**
 * One follower process of the kill test: follows a fault server into a store under a lease, until
 * it is told to stop or killed.
 *
 * It imports no barrel of Effect: a process is started many times, and starts faster without.
 *
 * Usage: node follower.ts '{"server":"http://…","sink":"sqlite","target":"…","until":"forever"}'
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as References from "effect/References";
import { Follower, PageSource, Signals } from "../src/index.ts";
import { httpSource } from "../test/support/HttpSource.ts";

/** Settings of a follower process, passed as JSON in its first argument. */
export interface FollowerOrder {
  readonly server: string;
  readonly sink: "sqlite" | "postgres" | "nats";
  /** File or URL of the store. */
  readonly target: string;
  /** File or URL of the lease. */
  readonly lease: string;
  readonly until: "caughtUp" | "forever";
  readonly leaseTtlMillis: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as FollowerOrder;

const times = {
  ttl: order.leaseTtlMillis,
  renewInterval: order.leaseTtlMillis / 4,
  acquireInterval: order.leaseTtlMillis / 5,
};

/** Sink and lease. A process loads the driver of its own store alone, and starts twice as fast. */
const store = async () => {
  const { lease: at, target } = order;
  if (order.sink === "postgres") {
    const { LeasePostgres, SinkPostgres } = await import("../src/postgres/index.ts");
    const sink = SinkPostgres.layer({ url: target, keepPages: Infinity });
    return Layer.merge(sink, LeasePostgres.layer({ url: at, ...times }));
  }
  if (order.sink === "nats") {
    const { LeaseNats, SinkNats } = await import("../src/nats/index.ts");
    const sink = SinkNats.layer({ url: target, maxBytes: 1e9 });
    return Layer.merge(sink, LeaseNats.layer({ url: at, ...times }));
  }
  const { LeaseSqlite, SinkSqlite } = await import("../src/sqlite/index.ts");
  const lease = LeaseSqlite.layer({ path: at, ...times });
  return Layer.merge(SinkSqlite.layer({ path: target, keepBytes: Infinity }), lease);
};

const follow = Follower.run({
  source: "stashes",
  until: order.until,
  stopWhen: Signals.terminationSignal(),
  pollInterval: { min: 50, max: 200 },
  backoff: { base: 20, cap: 500 },
  badPageRetryDelays: [50, 200, 500],
  stallTimeout: 2000,
  responseTimeout: 2000,
}).pipe(
  Effect.tap((summary) => Effect.sync(() => process.stdout.write(`${JSON.stringify(summary)}\n`))),
  Effect.provide(await store()),
  Effect.provideService(PageSource.PageSource, httpSource(order.server)),
  Effect.provideService(References.MinimumLogLevel, "Error"),
);

// A store that is not there yet when the process starts is a reason to start again, as a supervisor
// would.
const exit = await Effect.runPromiseExit(follow);
if (exit._tag === "Failure") process.stderr.write(`${String(exit.cause)}\n`);
process.exit(exit._tag === "Success" ? 0 : 1);
