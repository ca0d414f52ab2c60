/**
 * One follower per stream: leases of SQLite, PostgreSQL and NATS, and what a holder does when its store
 * is away.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Fiber, Scope } from "effect";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { Lease, Parts, SinkError } from "../src/index.ts";
import { LeaseNats } from "../src/nats/index.ts";
import { LeasePostgres } from "../src/postgres/index.ts";
import { LeaseSqlite } from "../src/sqlite/index.ts";
import { useCleanups, useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { KEY, run, tagOf, virtually } from "./support/Run.ts";

const { cleanups, scoped } = useCleanups();

type Open = (options: Lease.LeaseOptions) => Promise<Lease.LeaseService>;

const TIMES = { ttl: 600, renewInterval: 150, acquireInterval: 100 } as const;

const contract = (open: Open) => {
  it("lets one in, and the next one after it has left, with a higher epoch", async () => {
    const [one, two] = [await open(TIMES), await open(TIMES)];
    const scope = Effect.runSync(Scope.make());
    const first = await run(Effect.provideService(one.hold(KEY), Scope.Scope, scope));
    const waiting = Effect.runFork(Effect.scoped(two.hold(KEY)));
    // Longer than the lease lives: it is renewed.
    await sleep(750);
    expect(waiting.pollUnsafe()).toBe(undefined);
    await run(Scope.close(scope, Exit.void));
    const second = await run(Fiber.join(waiting));
    expect(second.epoch).toBeGreaterThan(first.epoch);
  });

  it("passes on by itself when its holder is silent for longer than its life", async () => {
    const silent = await open({ ...TIMES, renewInterval: 60_000 });
    const next = await open(TIMES);
    const held = await scoped(silent.hold(KEY));
    const begun = performance.now();
    const taken = await scoped(next.hold(KEY));
    expect(taken.epoch).toBe(held.epoch + 1);
    expect(performance.now() - begun).toBeGreaterThan(300);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it("tells a holder that it was taken over", async () => {
    const holder = await open({ ttl: 300, renewInterval: 1200, acquireInterval: 50 });
    const held = await scoped(holder.hold(KEY));
    await scoped((await open(TIMES)).hold(KEY));
    expect(tagOf(await Effect.runPromiseExit(held.lost))).toBe("LeaseLost");
  });

  it("is kept per stream: each source and realm has its own", async () => {
    const [one, two] = [await open(TIMES), await open(TIMES)];
    await scoped(one.hold(KEY));
    for (const key of [
      { source: "exchange", realm: "pc" },
      { source: "stashes", realm: "console_b" },
    ] as const) {
      expect((await scoped(two.hold(key))).epoch).toBe(1);
    }
  });
};

describe("LeaseSqlite", () => {
  let path = "";
  beforeEach(() => {
    path = join(newFolder(), "lease.db");
  });
  contract((options) => scoped(LeaseSqlite.make({ path, ...options })));
});

describeWithService("postgres", "LeasePostgres", (database) => {
  const nextUrl = useSchemas(database);
  let url = "";
  beforeEach(() => {
    url = nextUrl();
  });
  contract((options) => scoped(LeasePostgres.make({ url, ...options })));
});

describeWithService("nats", "LeaseNats", (program) => {
  const cluster = useCluster(program);
  let url = "";
  beforeEach(() => {
    url = cluster.nextUrl();
  });
  contract((options) => scoped(LeaseNats.make({ url, ...options })));
});

/** A store whose every answer is well, besides what is given. */
const leaseOf = (store: Partial<Lease.LeaseStore>, options: Lease.LeaseOptions = {}) =>
  Lease.fromStore(
    {
      take: () => Effect.succeed(1),
      renew: () => Effect.succeed(true),
      release: () => Effect.void,
      ...store,
    },
    options,
  );
const away = Effect.fail(new SinkError({ operation: "lease", kind: "unavailable" }));

/** Whether a lease is lost after some times, one after the other. */
const lostAfter = (lease: Lease.LeaseService, seconds: ReadonlyArray<number>) =>
  virtually(
    Effect.scoped(
      Effect.gen(function* () {
        const held = yield* lease.hold(KEY);
        const lost = yield* Effect.forkChild(Effect.exit(held.lost));
        return yield* Effect.forEach(seconds, (wait) =>
          Effect.as(Effect.sleep(wait * 1000), lost).pipe(
            Effect.map((fiber) => fiber.pollUnsafe() !== undefined),
          ),
        );
      }),
    ),
  );

it("is kept through an outage of its store that ends in time", async () => {
  let calls = 0;
  const renew = () => Effect.suspend(() => ((calls += 1) % 3 === 0 ? Effect.succeed(true) : away));
  expect(await lostAfter(leaseOf({ renew }), [60])).toEqual(Exit.succeed([false]));
  expect(calls).toBeGreaterThan(15);
});

it("is lost when its life is over, without another try to renew it", async () => {
  let renewals = 0;
  const renew = () =>
    Effect.andThen(
      Effect.sync(() => (renewals += 1)),
      away,
    );
  const lease = leaseOf({ renew }, { ttl: "10 seconds", renewInterval: "5 seconds" });
  expect(await lostAfter(lease, [9, 2])).toEqual(Exit.succeed([false, true]));
  expect(renewals).toBe(1);
});

/** An answer that takes its time, the first one. */
const late = <A>(seconds: number, answer: A) => {
  let calls = 0;
  return () => ((calls += 1) === 1 ? Effect.as(Effect.sleep(seconds * 1000), answer) : away);
};

it.each<[string, Partial<Lease.LeaseStore>, ReadonlyArray<number>]>([
  ["taken", { take: late(4, 1), renew: () => away }, [5, 2]],
  ["renewed", { renew: late(6, true) }, [14, 2]],
])(
  "lives from when it was asked for, however late the answer came: %s",
  async (_, store, seconds) => {
    expect(await lostAfter(leaseOf(store), seconds)).toEqual(Exit.succeed([false, true]));
  },
);

describe("the lease of a process of this host that was killed", () => {
  it("is taken over at once; that of a living one is waited for", async () => {
    const path = join(newFolder(), "lease.db");
    const program = `
      const Effect = await import("effect/Effect");
      const LeaseSqlite = await import(${JSON.stringify(new URL("../src/sqlite/lease.ts", import.meta.url).href)});
      await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const lease = yield* LeaseSqlite.make({ path: ${JSON.stringify(path)}, ttl: "1 hour" });
        yield* lease.hold({ source: "stashes", realm: "pc" });
        console.log("held");
        yield* Effect.never;
      })));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    });
    cleanups.push(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const ours = await scoped(LeaseSqlite.make({ path, acquireInterval: "20 millis" }));
    const scope = Effect.runSync(Scope.make());
    const take = Effect.provideService(ours.hold(KEY), Scope.Scope, scope);
    const early = await run(Effect.timeoutOption(take, "300 millis"));
    expect(early._tag).toBe("None");
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    const held = await run(take);
    expect(held.epoch).toBe(2);
    await run(Scope.close(scope, Exit.void));
  });
});

it.each([
  ["before it heard of it", undefined],
  ["while it is held", "1 second"],
] as const)("is given back where its taker is stopped %s", async (_, held) => {
  const released: Array<number> = [];
  const lease = leaseOf({
    take: () => Effect.succeed(7),
    release: (_key, _owner, epoch) => Effect.sync(() => void released.push(epoch)),
  });
  const taker = Effect.scoped(Effect.andThen(lease.hold(KEY), Effect.never));
  await virtually(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(taker, { startImmediately: true });
      if (held !== undefined) yield* Effect.sleep(held);
      yield* Fiber.interrupt(fiber);
    }),
  );
  expect(released).toEqual([7]);
});

it("is taken again where an attempt that was given up had taken it unheard", async () => {
  let holder = "";
  let takes = 0;
  const lease = leaseOf({
    take: (_, owner) =>
      Effect.suspend(() => {
        takes += 1;
        if (takes > 1) return Effect.succeed(owner === holder ? takes : undefined);
        // The statement reached the server, and its answer never came.
        holder = owner;
        return Effect.never;
      }),
  });
  const exit = await virtually(
    Effect.scoped(
      Effect.gen(function* () {
        const held = yield* lease.hold(KEY);
        const stream = yield* Parts.stream(KEY);
        return [held.epoch, stream.facts.holder?.who, takes];
      }),
    ),
  );
  expect(exit).toEqual(Exit.succeed([2, "us", 2]));
});

it("belongs to one follower of a process, by a name of its own", async () => {
  const owners: Array<string> = [];
  const lease = leaseOf({ take: (_, owner) => Effect.sync(() => owners.push(owner)) });
  await virtually(Effect.scoped(Effect.andThen(lease.hold(KEY), lease.hold(KEY))));
  expect(new Set(owners).size).toBe(2);
});
