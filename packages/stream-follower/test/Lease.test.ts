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
import { Lease, Parts, SinkError, type StreamKey } from "../src/index.ts";
import { LeaseNats } from "../src/nats/index.ts";
import { LeasePostgres } from "../src/postgres/index.ts";
import { LeaseSqlite } from "../src/sqlite/index.ts";
import { useCleanups, useCluster, useSchemas, newFolder } from "./support/hooks.ts";
import { tagOf, virtually } from "./support/Run.ts";

const KEY: StreamKey = { source: "stashes", realm: "pc" };

const { cleanups, scoped } = useCleanups();

type Open = (options: Lease.LeaseOptions) => Promise<Lease.LeaseService>;

const TIMES = { ttl: 600, renewInterval: 150, acquireInterval: 100 } as const;

const contract = (open: Open) => {
  it("lets one in, and the next one after it has left, with a higher epoch", async () => {
    const [one, two] = [await open(TIMES), await open(TIMES)];
    const scope = Effect.runSync(Scope.make());
    const first = await Effect.runPromise(Effect.provideService(one.hold(KEY), Scope.Scope, scope));
    const waiting = Effect.runFork(Effect.scoped(two.hold(KEY)));
    await sleep(900);
    expect(waiting.pollUnsafe()).toBe(undefined);
    await Effect.runPromise(Scope.close(scope, Exit.void));
    const left = performance.now();
    const second = await Effect.runPromise(Fiber.join(waiting));
    expect(second.epoch).toBeGreaterThan(first.epoch);
    expect(performance.now() - left).toBeLessThan(600);
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
    const next = await open(TIMES);
    await scoped(next.hold(KEY));
    expect(tagOf(await Effect.runPromiseExit(held.lost))).toBe("LeaseLost");
  });

  it("is kept per stream: each source and realm has its own", async () => {
    const one = await open(TIMES);
    const two = await open(TIMES);
    await scoped(one.hold(KEY));
    await scoped(two.hold({ source: "exchange", realm: "pc" }));
    await scoped(two.hold({ source: "stashes", realm: "console_b" }));
    expect(true).toBe(true);
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

describe("a holder whose store is away", () => {
  const away = new SinkError({ operation: "lease", kind: "unavailable" });

  const holder = (renew: () => Effect.Effect<boolean, SinkError>) =>
    Lease.fromStore({
      take: () => Effect.succeed(1),
      renew,
      release: () => Effect.void,
    });

  it("keeps it through an outage that ends in time", async () => {
    let calls = 0;
    const flaky = () => {
      calls += 1;
      return calls % 3 === 0 ? Effect.succeed(true) : Effect.fail(away);
    };
    const exit = await virtually(
      Effect.scoped(
        Effect.gen(function* () {
          const held = yield* holder(flaky).hold(KEY);
          const lost = yield* Effect.forkChild(Effect.exit(held.lost));
          yield* Effect.sleep("60 seconds");
          return lost.pollUnsafe();
        }),
      ),
    );
    expect(exit).toEqual(Exit.succeed(undefined));
    expect(calls).toBeGreaterThan(15);
  });
});

it("is lost when its life is over, without another try to renew it", async () => {
  let renewals = 0;
  const lease = Lease.fromStore(
    {
      take: () => Effect.succeed(1),
      renew: () => {
        renewals += 1;
        return Effect.fail(new SinkError({ operation: "lease", kind: "unavailable" }));
      },
      release: () => Effect.void,
    },
    { ttl: "10 seconds", renewInterval: "5 seconds" },
  );
  const exit = await virtually(
    Effect.scoped(
      Effect.gen(function* () {
        const held = yield* lease.hold(KEY);
        const lost = yield* Effect.forkChild(Effect.exit(held.lost));
        yield* Effect.sleep("9 seconds");
        const early = lost.pollUnsafe();
        yield* Effect.sleep("2 seconds");
        return [early, lost.pollUnsafe() !== undefined];
      }),
    ),
  );
  expect(exit).toEqual(Exit.succeed([undefined, true]));
  expect(renewals).toBe(1);
});

describe("the lease of a process of this host that was killed", () => {
  it("is taken over at once; that of a living one is waited for", async () => {
    const path = join(newFolder(), "lease.db");
    const program = `
      const { Effect, Scope } = await import("effect");
      const { LeaseSqlite } = await import(${JSON.stringify(new URL("../src/sqlite/index.ts", import.meta.url).href)});
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
    const early = await Effect.runPromise(Effect.timeoutOption(take, "300 millis"));
    expect(early._tag).toBe("None");
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    const held = await Effect.runPromise(take);
    expect(held.epoch).toBe(2);
    await Effect.runPromise(Scope.close(scope, Exit.void));
  });
});

it("is given back where its taker was stopped before it heard of it", async () => {
  const released: Array<number> = [];
  const lease = Lease.fromStore({
    take: () => Effect.succeed(7),
    renew: () => Effect.succeed(true),
    release: (_, __, epoch) => Effect.sync(() => void released.push(epoch)),
  });
  const fiber = Effect.runFork(Effect.scoped(Effect.andThen(lease.hold(KEY), Effect.never)));
  await Effect.runPromise(Fiber.interrupt(fiber));
  expect(released).toEqual([7]);
});

it("is taken again where an attempt that was given up had taken it unheard", async () => {
  let holder = "";
  let takes = 0;
  const lease = Lease.fromStore({
    take: (_, owner) =>
      Effect.suspend(() => {
        takes += 1;
        if (takes === 1) {
          // The statement reached the server, and its answer never came.
          holder = owner;
          return Effect.never;
        }
        return Effect.succeed(owner === holder ? takes : undefined);
      }),
    renew: () => Effect.succeed(true),
    release: () => Effect.void,
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
  const lease = Lease.fromStore({
    take: (_, owner) =>
      Effect.sync(() => {
        owners.push(owner);
        return owners.length;
      }),
    renew: () => Effect.succeed(true),
    release: () => Effect.void,
  });
  await virtually(Effect.scoped(Effect.andThen(lease.hold(KEY), lease.hold(KEY))));
  expect(new Set(owners).size).toBe(2);
});
