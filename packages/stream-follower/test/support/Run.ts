/**
 * Runs followers in tests: under a virtual clock that is pushed forward while work is pending, or
 * live.
 */
import { Cause, Effect, Exit, Fiber, Layer, References } from "effect";
import { TestClock } from "effect/testing";
import { setImmediate } from "node:timers/promises";
import { Follower, Lease, PageSource } from "../../src/index.ts";
import * as SinkMemory from "./SinkMemory.ts";
import { Sink, type SinkService } from "../../src/Sink.ts";
import type { Script } from "./ScriptedSource.ts";
import { scripted } from "./ScriptedSource.ts";
import type { Seen } from "./FaultServer.ts";
import { fold, type MadePage } from "./History.ts";

/** Runs an effect without its log. */
export const quietly = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"));

/** What a follower asks for: a source, a sink (in memory) and a lease (none). */
export const over = (
  source: PageSource.PageSourceService,
  sink: SinkService = SinkMemory.make(SinkMemory.empty()),
  lease: Layer.Layer<Lease.Lease> = Lease.none,
): Layer.Layer<PageSource.PageSource | Sink | Lease.Lease> =>
  Layer.mergeAll(Layer.succeed(PageSource.PageSource, source), Layer.succeed(Sink, sink), lease);

const REAL_LIMIT_MILLIS = 60_000;

/**
 * Runs an effect under a virtual clock; time passes in steps of `stepMillis`, between which real
 * I/O is done.
 */
export const virtually = <A, E>(
  effect: Effect.Effect<A, E>,
  options: {
    readonly stepMillis?: number;
    readonly limitMillis?: number;
    /** Real work that is going on: time stands still until there is none. */
    readonly pending?: () => Promise<void> | undefined;
  } = {},
): Promise<Exit.Exit<A, E>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.provideService(effect, References.MinimumLogLevel, "None"),
      );
      const started = performance.now();
      // A run without a limit ends by itself: a slow disk may take hours of virtual time.
      const isOver = (passed: number): boolean =>
        options.limitMillis === undefined
          ? performance.now() - started > REAL_LIMIT_MILLIS
          : passed >= options.limitMillis;
      for (let passed = 0; !isOver(passed) && fiber.pollUnsafe() === undefined;) {
        yield* Effect.promise(() => settled(options.pending));
        yield* TestClock.adjust(options.stepMillis ?? 250);
        passed += options.stepMillis ?? 250;
      }
      if (fiber.pollUnsafe() === undefined) yield* Fiber.interrupt(fiber);
      return yield* Fiber.await(fiber);
    }).pipe(Effect.provide(TestClock.layer())),
  );

/** Work of threads and of the disk, for which virtual time waits. */
export const realWork = () => {
  const going = new Set<Promise<void>>();
  return {
    pending: () => going.values().next().value,
    during: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const { promise, resolve } = Promise.withResolvers<void>();
        going.add(promise);
        const end = Effect.sync(() => {
          going.delete(promise);
          resolve();
        });
        return Effect.ensuring(effect, end);
      }),
  };
};

/** Turns of the event loop, not time: what is ready runs, however busy the machine is. */
const settled = async (pending?: () => Promise<void> | undefined): Promise<void> => {
  for (let turn = 0; turn < 8; turn += 1) await setImmediate();
  const work = pending?.();
  if (work === undefined) return;
  await work;
  await settled(pending);
};

/** Result of following a script. */
export interface Followed {
  readonly exit: Exit.Exit<Follower.RunSummary, unknown>;
  readonly memory: SinkMemory.Memory;
  readonly seen: ReadonlyArray<Seen>;
}

type RunOptions = Follower.StashRun | Follower.ExchangeRun;

/** Follows a script into memory until it is caught up, virtually. */
export const follow = async (
  script: Script,
  options: Partial<Follower.StashRun> | Follower.ExchangeRun = {},
  clock: { readonly stepMillis?: number; readonly limitMillis?: number } = {},
  memory: SinkMemory.Memory = SinkMemory.empty(),
): Promise<Followed> => {
  const { source, seen } = scripted(script);
  const run = { source: "stashes", until: "caughtUp", ...options } as RunOptions;
  const exit = await virtually(
    Follower.run(run).pipe(Effect.provide(over(source, SinkMemory.make(memory)))),
    clock,
  );
  return { exit, memory, seen };
};

/** The tag of the error that an exit failed with. */
export const tagOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined;
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") return (reason.error as { _tag?: string })._tag;
  }
  return `defect or interruption: ${Cause.pretty(exit.cause)}`;
};

/** A memory sink's stashes as the oracle writes them. */
const stateOf = (memory: SinkMemory.Memory): Map<string, string | null> =>
  new Map(
    [...memory.stashes].map(([id, { change }]) => [
      id,
      change === undefined ? null : JSON.stringify(change.value),
    ]),
  );

/** Ids of the stashes that are not as the oracle says: none, if all is well. */
export const differencesOf = (
  state: ReadonlyMap<string, string | null>,
  pages: ReadonlyArray<MadePage>,
): ReadonlyArray<string> => {
  const wanted = fold(pages);
  const ids = new Set([...state.keys(), ...wanted.keys()]);
  return [...ids].filter((id) => state.get(id) !== wanted.get(id));
};

/** The same for a memory sink. */
export const differences = (memory: SinkMemory.Memory, pages: ReadonlyArray<MadePage>) =>
  differencesOf(stateOf(memory), pages);
