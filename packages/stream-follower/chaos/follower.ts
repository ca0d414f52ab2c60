/**
 * One follower process of the kill test: follows a fault server into a store under a lease, until it
 * is stopped or killed. Its first line on stdout is the address of its health.
 *
 * It imports no barrel of Effect, because a process is started many times and starts faster without.
 *
 * Usage: node follower.ts '{"server":"http://…","store":"sqlite:…","until":"forever"}'
 */
import * as Effect from "effect/Effect";
import * as References from "effect/References";
import * as Health from "../src/Health.ts";
import { Follower, PageSource } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { httpSource } from "../test/support/HttpSource.ts";

/** Settings of a follower process, passed as JSON in its first argument. */
export interface FollowerOrder {
  readonly server: string;
  /** Address of the store, which has the lease as well. */
  readonly store: string;
  readonly until: "caughtUp" | "forever";
  readonly leaseTtlMillis: number;
}

const KEY = { source: "stashes", realm: "pc" } as const;
const order = JSON.parse(process.argv[2] ?? "{}") as FollowerOrder;

const lease = {
  ttl: order.leaseTtlMillis,
  renewInterval: order.leaseTtlMillis / 4,
  acquireInterval: order.leaseTtlMillis / 5,
};

const terminated = Effect.callback<void>((resume) => {
  process.once("SIGTERM", () => resume(Effect.void));
});

const follow = Effect.gen(function* () {
  process.stdout.write(`${yield* Health.serve()}\n`);
  const address = yield* StoreUrl.parse(order.store);
  const stores = yield* StoreUrl.open(KEY, address, { keepBytes: 1e9, lease });
  yield* Follower.run({
    source: "stashes",
    until: order.until,
    stopWhen: terminated,
    pollInterval: { min: 50, max: 200 },
    backoff: { base: 20, cap: 500 },
    badPageRetryDelays: [50, 200, 500],
    stallTimeout: 2000,
    responseTimeout: 2000,
  }).pipe(
    Effect.provideContext(stores),
    Effect.provideService(PageSource.PageSource, httpSource(order.server)),
  );
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"));

const exit = await Effect.runPromiseExit(follow);
if (exit._tag === "Failure") process.stderr.write(`${String(exit.cause)}\n`);
process.exit(exit._tag === "Success" ? 0 : 1);
