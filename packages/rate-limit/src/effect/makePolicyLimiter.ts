/**
 * The limiter as a service: the engine on Effect's clock.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { Engine } from "../core/Engine.ts";
import type { EngineClock } from "../core/Engine.ts";
import type { Grant } from "../core/State.ts";
import { engineOptions } from "../Limiter.ts";
import type { Permit, RequestOutcome } from "../Model.ts";
import { LimiterStore, LimiterStoreError } from "./LimiterStore.ts";
import * as Metrics from "./Metrics.ts";
import type { LimitedRequest, PolicyLimiterOptions, PolicyLimiterService } from "./Model.ts";
import { RequestNotSent } from "./RequestNotSent.ts";

const millis = (input: Duration.Input | undefined): number | undefined =>
  input === undefined ? undefined : Duration.toMillis(input);

const storeError = (cause: unknown): LimiterStoreError =>
  new LimiterStoreError({
    detail: (cause instanceof Error ? cause.message : String(cause)).replace(
      /^The store of the rate limiter failed: (.*)\.$/su,
      "$1",
    ),
    cause,
  });

const ask = <A>(question: () => Promise<A>): Effect.Effect<A, LimiterStoreError> =>
  Effect.tryPromise({ try: question, catch: storeError });

/** A limiter over the `LimiterStore` of the context. */
export const makePolicyLimiter = Effect.fnUntraced(function* (options: PolicyLimiterOptions = {}) {
  const store = yield* LimiterStore;
  const clock = yield* Clock.Clock;
  const context = yield* Effect.context<never>();
  const engineClock: EngineClock = {
    now: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
    wall: () => clock.currentTimeMillisUnsafe(),
    schedule: (after, wake) => {
      const fiber = Effect.runForkWith(context)(
        Effect.andThen(
          clock.sleep(Duration.millis(Math.ceil(after * 1000) / 1000)),
          Effect.sync(wake),
        ),
      );
      return () => fiber.interruptUnsafe();
    },
  };
  const engine = new Engine(
    engineOptions({
      ...options,
      store,
      maxWait: millis(options.maxWait),
      inFlightTimeout: millis(options.inFlightTimeout),
      clientErrorWindow: millis(options.clientErrorWindow),
      firewallCooldown: millis(options.firewallCooldown),
      bucketSizes: options.bucketSizes?.map((size) => Duration.toMillis(size)),
      onEvent: (event) => {
        if (event.type === "granted")
          Metrics.waits.updateUnsafe(event.waitedMillis, context as never);
        else if (event.type === "violation")
          Metrics.violationsOf(event.policy).updateUnsafe(1, context as never);
        else Metrics.notSentOf(event.kind).updateUnsafe(1, context as never);
      },
    }),
    engineClock,
  );

  /** Waits for a permit; one that was granted in the moment of an interruption is given back. */
  const acquire = (
    request: LimitedRequest,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ) =>
    Effect.suspend(() => {
      let taken: readonly [Permit, Grant] | undefined;
      const waiting = Effect.callback<readonly [Permit, Grant], RequestNotSent | LimiterStoreError>(
        (resume) => {
          const leave = engine.submit(
            { ...request, maxWaitMillis: millis(request.maxWait) },
            {
              granted: (permit, grant) => {
                taken = [permit, grant];
                resume(Effect.succeed(taken));
              },
              refused: ({ retryAfterMillis, ...details }) =>
                resume(
                  Effect.fail(
                    new RequestNotSent({
                      ...details,
                      retryAfter: Duration.millis(retryAfterMillis),
                    }),
                  ),
                ),
              failed: (cause) => resume(Effect.fail(storeError(cause))),
            },
          );
          return Effect.sync(leave);
        },
      );
      return Effect.onExit(restore(waiting), (exit) => {
        if (Exit.isFailure(exit) && taken)
          void engine.settle(taken[1], { status: undefined, sent: false })?.catch(() => undefined);
        return Effect.void;
      });
    });

  const settle = <A, E>(
    grant: Grant,
    exit: Exit.Exit<A, E>,
    report: (exit: Exit.Exit<A, E>) => RequestOutcome,
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      let recording: Promise<void> | undefined;
      try {
        recording = engine.settle(grant, report(exit));
      } catch (defect) {
        // The caller's `report` or dialect threw. Release the slot.
        engine.settleUnknown(grant);
        return Effect.die(defect);
      }
      return recording === undefined
        ? Effect.void
        : Effect.tryPromise(() => recording).pipe(
            Effect.catch((error) =>
              Effect.logWarning("rate limiter: a response could not be recorded", error),
            ),
          );
    });

  const run: PolicyLimiterService["run"] = (request, send, report) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acquire(request, restore), ([permit, grant]) =>
        Effect.onExit(restore(Effect.suspend(() => send(permit))), (exit) =>
          settle(grant, exit, report),
        ),
      ),
    );

  const service: PolicyLimiterService = {
    run,
    forecast: (route, count) =>
      Effect.map(
        ask(() => engine.forecast(route, count)),
        ({ durationMillis, ...rest }) => ({ ...rest, duration: Duration.millis(durationMillis) }),
      ),
    snapshot: (route) => ask(() => engine.snapshot(route)),
    explain: Effect.sync(() => engine.explain()),
    waiting: Effect.sync(() => engine.waiting),
  };
  return { service, close: Effect.ignore(Effect.tryPromise(() => engine.close())) };
});
