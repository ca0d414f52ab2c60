/** One follower per stream, and what a holder does if its store is unavailable. */
import { Effect, Exit, Fiber, Scope } from "effect";
import { describe, expect, it } from "vitest";
import { Lease, Sink, SinkError, Status } from "../src/index.ts";
import { onEachDatabase, useCleanups } from "./support/hooks.ts";
import { KEY, run, tagOf, virtually } from "./support/Run.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { openStore } from "./support/Stores.ts";

const { scoped } = useCleanups();

/** A lease of a store does not use the sink. */
const hold = (lease: Lease.LeaseService) =>
  Effect.provideService(lease.hold(KEY), Sink.Sink, SinkMemory.make(SinkMemory.empty()));

const TIMES = { ttl: 600, renewInterval: 150, acquireInterval: 100 } as const;

onEachDatabase((newStore) => {
  const opener = () => {
    const url = newStore();
    return async (times: Lease.LeaseOptions = TIMES) =>
      (await scoped(openStore(url, { lease: times }))).lease;
  };
  /** Takes a lease and renews it until the scope is closed. */
  const keepHolding = (lease: Lease.LeaseService) =>
    Effect.tap(hold(lease), ({ keep }) => Effect.forkScoped(keep));

  it("one process holds the lease, and after its release the next process with a higher epoch", async () => {
    const open = opener();
    const [one, two] = [await open(), await open()];
    const scope = Effect.runSync(Scope.make());
    const first = await run(Effect.provideService(keepHolding(one), Scope.Scope, scope));
    const waiting = Effect.runFork(Effect.scoped(hold(two)));
    // Longer than the lease lives without renewal.
    await run(Effect.sleep(750));
    expect(waiting.pollUnsafe()).toBe(undefined);
    await run(Scope.close(scope, Exit.void));
    const second = await run(Fiber.join(waiting));
    expect(second.epoch).toBeGreaterThan(first.epoch);
  });

  it("the next process gets the lease if the holder does not renew it within its ttl", async () => {
    const open = opener();
    const held = await scoped(hold(await open({ ...TIMES, renewInterval: 60_000 })));
    const begun = performance.now();
    const taken = await scoped(hold(await open()));
    expect(taken.epoch).toBe(held.epoch + 1);
    expect(performance.now() - begun).toBeGreaterThan(300);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it("a lease whose holder was replaced fails with LeaseLost", async () => {
    const open = opener();
    const held = await scoped(
      hold(await open({ ttl: 300, renewInterval: 1200, acquireInterval: 50 })),
    );
    await scoped(hold(await open()));
    expect(tagOf(await Effect.runPromiseExit(held.keep))).toBe("LeaseLost");
  });
});

/** A lease over a store that answers well, except for the given functions. */
const leaseOver = (store: Partial<Lease.LeaseStore>, options: Lease.LeaseOptions = {}) =>
  Lease.fromStore(
    {
      take: () => Effect.succeed(1),
      renew: () => Effect.succeed(true),
      release: () => Effect.void,
      ...store,
    },
    options,
  );
const unavailable = Effect.fail(new SinkError({ operation: "lease", reason: "unavailable" }));

/** Returns whether a lease is lost after each of some waits. */
const lostAfter = (lease: Lease.LeaseService, seconds: ReadonlyArray<number>) =>
  virtually(
    Effect.scoped(
      Effect.gen(function* () {
        const { keep } = yield* hold(lease);
        const fiber = yield* Effect.forkChild(Effect.exit(keep));
        return yield* Effect.forEach(seconds, (wait) =>
          Effect.map(Effect.sleep(wait * 1000), () => fiber.pollUnsafe() !== undefined),
        );
      }),
    ),
  );

describe("a lease", () => {
  it("a holder keeps its lease through an outage of the store that is shorter than the ttl", async () => {
    let calls = 0;
    const renew = () =>
      Effect.suspend(() => ((calls += 1) % 3 === 0 ? Effect.succeed(true) : unavailable));
    expect(await lostAfter(leaseOver({ renew }), [60])).toEqual(Exit.succeed([false]));
    expect(calls).toBeGreaterThan(15);
  });

  it("a holder that cannot renew loses its lease at the end of the ttl, without another renewal", async () => {
    let renewals = 0;
    const renew = () =>
      Effect.andThen(
        Effect.sync(() => (renewals += 1)),
        unavailable,
      );
    const lease = leaseOver({ renew }, { ttl: "10 seconds", renewInterval: "5 seconds" });
    expect(await lostAfter(lease, [9, 2])).toEqual(Exit.succeed([false, true]));
    expect(renewals).toBe(1);
  });

  /** Answers late, once. */
  const late = <A>(seconds: number, answer: A) => {
    let calls = 0;
    return () =>
      (calls += 1) === 1 ? Effect.as(Effect.sleep(seconds * 1000), answer) : unavailable;
  };

  it.each<[string, Partial<Lease.LeaseStore>, ReadonlyArray<number>]>([
    ["taken", { take: late(4, 1), renew: () => unavailable }, [5, 2]],
    ["renewed", { renew: late(6, true) }, [14, 2]],
  ])(
    "the ttl of a lease counts from the request, however late the response: %s",
    async (_, store, seconds) => {
      expect(await lostAfter(leaseOver(store), seconds)).toEqual(Exit.succeed([false, true]));
    },
  );

  it("a lease is released if its holder is interrupted", async () => {
    // The second attempt never returns, but may have taken the lease.
    for (const take of [Effect.succeed(7), Effect.never]) {
      const released: Array<string> = [];
      const owners: Array<string> = [];
      const lease = leaseOver({
        take: (_, owner) =>
          Effect.andThen(
            Effect.sync(() => owners.push(owner)),
            take,
          ),
        release: (_, owner) => Effect.sync(() => void released.push(owner)),
      });
      const taker = Effect.scoped(Effect.andThen(hold(lease), Effect.never));
      await virtually(Effect.timeoutOption(taker, "1 second"));
      expect(released).toEqual(owners.slice(0, 1));
    }
  });

  it("a process gets the lease that its own attempt took before the attempt timed out", async () => {
    let holder = "";
    let takes = 0;
    const lease = leaseOver({
      take: (_, owner) =>
        Effect.suspend(() => {
          takes += 1;
          if (takes > 1) return Effect.succeed(owner === holder ? takes : undefined);
          // The statement reaches the server, and the response never arrives.
          holder = owner;
          return Effect.never;
        }),
    });
    const streams = new Map<string, Status.StreamRecord>();
    const exit = await virtually(
      Effect.scoped(Effect.map(hold(lease), ({ epoch }) => [epoch, takes])).pipe(
        Effect.provideService(Status.Streams, streams),
      ),
    );
    expect(exit).toEqual(Exit.succeed([2, 2]));
  });

  it("two followers of one process are different owners of a lease", async () => {
    const owners: Array<string> = [];
    const take = (_: unknown, owner: string) => Effect.sync(() => owners.push(owner));
    const lease = leaseOver({ take });
    await virtually(Effect.scoped(Effect.andThen(hold(lease), hold(lease))));
    expect(new Set(owners).size).toBe(2);
  });

  it.each([
    ["keeps the epoch of the sink with Lease.none", Lease.none, 5],
    ["takes the next epoch of the sink with Lease.next", Lease.next, 6],
  ])("Lease.none and Lease.next take the epoch from the sink: %s", async (_, layer, epoch) => {
    const sink = SinkMemory.make(SinkMemory.empty());
    await run(sink.claim(KEY, 5));
    const held = Effect.flatMap(Lease.Lease, (lease) => lease.hold(KEY)).pipe(
      Effect.provide(layer),
      Effect.provideService(Sink.Sink, sink),
      Effect.scoped,
    );
    expect((await run(held)).epoch).toBe(epoch);
  });
});
