/** Runs followers in tests: under a virtual clock, or live. */
import { Cause, Clock, Duration, Effect, Exit, Fiber, Layer } from "effect";
import { Metric, References, Scheduler } from "effect";
import { TestClock } from "effect/testing";
import { setImmediate, setTimeout } from "node:timers/promises";
import { Follower, Lease, PageSource, Sink, Status, type StreamKey } from "../../src/index.ts";
import * as SinkMemory from "./SinkMemory.ts";
import type { Script } from "./ScriptedSource.ts";
import { scripted } from "./ScriptedSource.ts";
import type { Seen } from "./FaultServer.ts";
import { fold, type MadePage } from "./History.ts";

export const KEY = { source: "stashes", realm: "pc" } as const satisfies StreamKey;
export const HOURS = { source: "exchange", realm: "game2" } as const satisfies StreamKey;

export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect);

export const quietly = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"));

/** What a follower asks for: a source, a sink (in memory) and a lease (none). */
export const over = (
  source: PageSource.PageSourceService,
  sink: Sink.SinkService = SinkMemory.make(SinkMemory.empty()),
  lease: Layer.Layer<Lease.Lease> = Lease.none,
): Layer.Layer<PageSource.PageSource | Sink.Sink | Lease.Lease> =>
  Layer.mergeAll(
    Layer.succeed(PageSource.PageSource, source),
    Layer.succeed(Sink.Sink, sink),
    lease,
  );

const REAL_LIMIT_MILLIS = 60_000;

/** How `virtually` passes time. */
interface VirtualTime {
  readonly limitMillis?: number;
  /** Real milliseconds that threads get before time passes: zlib's, or those of a disk. */
  readonly realMillis?: number;
}

/**
 * Runs an effect under a virtual clock: when nothing runs any more, it is the time at which the next
 * sleep ends.
 */
export const virtually = <A, E>(
  effect: Effect.Effect<A, E>,
  { limitMillis = Infinity, realMillis = 0 }: VirtualTime = {},
): Promise<Exit.Exit<A, E>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const sleeps = new Set<{ readonly end: number }>();
      const sleep = (duration: Duration.Duration) =>
        Effect.suspend(() => {
          const entry = { end: clock.currentTimeMillisUnsafe() + Duration.toMillis(duration) };
          sleeps.add(entry);
          const awake = Effect.sync(() => sleeps.delete(entry));
          return Effect.ensuring(clock.sleep(duration), awake);
        });
      const { isQuiet, scheduler } = watched(yield* Scheduler.Scheduler);
      const fiber = yield* effect.pipe(
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.provideService(Clock.Clock, { ...clock, sleep }),
        Effect.provideService(Scheduler.Scheduler, scheduler),
        Effect.forkChild,
      );
      const started = performance.now();
      while (true) {
        yield* Effect.promise(() => isQuiet(realMillis));
        if (fiber.pollUnsafe() !== undefined) break;
        const next = Math.min(limitMillis, ...[...sleeps].map(({ end }) => end));
        if (next === limitMillis && clock.currentTimeMillisUnsafe() >= limitMillis) break;
        // A run without a limit ends by itself: a slow disk may take hours of virtual time.
        if (limitMillis === Infinity && performance.now() - started > REAL_LIMIT_MILLIS) break;
        if (next === Infinity) yield* Effect.promise(() => setTimeout(1));
        else yield* TestClock.setTime(next);
      }
      if (fiber.pollUnsafe() === undefined) yield* Fiber.interrupt(fiber);
      return yield* Fiber.await(fiber);
    }).pipe(Effect.provide(TestClock.layer())),
  );

/** Turns of the event loop without a task of a fiber, after which none is to be expected. */
const QUIET_TURNS = 6;

/** A scheduler that reports each task of its fibers. */
export const counted = (inner: Scheduler.Scheduler, onTask: () => void): Scheduler.Scheduler => ({
  executionMode: inner.executionMode,
  shouldYield: (fiber) => inner.shouldYield(fiber),
  makeDispatcher: () => {
    const dispatcher = inner.makeDispatcher();
    return {
      flush: () => dispatcher.flush(),
      scheduleTask: (task, priority) => {
        onTask();
        dispatcher.scheduleTask(task, priority);
      },
    };
  },
});

/** A scheduler, and whether its fibers rest: in turns of the event loop, however busy the machine is. */
const watched = (inner: Scheduler.Scheduler) => {
  let tasks = 0;
  const isQuiet = async (realMillis: number): Promise<void> => {
    if (realMillis > 0) await setTimeout(realMillis);
    for (let turn = 0, before = tasks; turn < QUIET_TURNS; turn += 1) {
      await setImmediate();
      if (tasks !== before) turn = 0;
      before = tasks;
    }
  };
  return { isQuiet, scheduler: counted(inner, () => (tasks += 1)) };
};

/** The value of an effect under a virtual clock, whose parts are its own; fails as it fails. */
export const valueOf = async <A, E>(
  effect: Effect.Effect<A, E>,
  time?: VirtualTime,
): Promise<A> => {
  const exit = await virtually(
    effect.pipe(
      Effect.provideService(Status.Streams, new Map()),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    ),
    time,
  );
  if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause));
  return exit.value;
};

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
  {
    streams = new Map(),
    ...time
  }: VirtualTime & { streams?: Map<string, Status.StreamRecord> } = {},
  memory: SinkMemory.Memory = SinkMemory.empty(),
): Promise<Followed> => {
  const { source, seen } = scripted(script);
  const stream = { source: "stashes", until: "caughtUp", ...options } as RunOptions;
  const exit = await virtually(
    Follower.run(stream).pipe(
      Effect.provide(over(source, SinkMemory.make(memory))),
      Effect.provideService(Status.Streams, streams),
    ),
    { ...time, realMillis: script.isZipped === true ? 2 : 0 },
  );
  return { exit, memory, seen };
};

/** Milliseconds between each request and the one before it, of all or of one id. */
export const waitsOf = (seen: ReadonlyArray<Seen>, id?: string): ReadonlyArray<number> => {
  const at = seen.filter((one) => id === undefined || one.id === id).map((one) => one.at);
  return at.slice(1).map((time, index) => time - at[index]!);
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
    [...memory.stashes].map(([id, change]) => [id, change ? JSON.stringify(change.value) : null]),
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

export const differences = (memory: SinkMemory.Memory, pages: ReadonlyArray<MadePage>) =>
  differencesOf(stateOf(memory), pages);
