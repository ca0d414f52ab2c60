/** Adapts the rate limiter to the callbacks of the pipeline. */
import type {
  LimiterOptions,
  LimiterStoreError,
  Outcome,
  PolicyLimiterService,
  RequestNotSent,
} from "@game-data/rate-limit";
import { PolicyLimiter } from "@game-data/rate-limit";
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import type { NotSent, Settle, Submit } from "./PipelineOptions.ts";

/** Requests permits of a limiter. */
export const submitTo =
  (limiter: PolicyLimiterService): Submit =>
  ({ identity, ...request }, { granted, refused }) => {
    const outcome = Deferred.makeUnsafe<Outcome>();
    let isDecided = false;
    // A permit may be granted before `runFork` returns the fiber.
    const ended = Promise.withResolvers<void>();
    const settle: Settle = (reported) => {
      Deferred.doneUnsafe(outcome, Exit.succeed(reported));
      return ended.promise;
    };
    const run = limiter.run(
      { ...request, identity },
      (permit) => {
        isDecided = true;
        granted(permit, settle);
        return Deferred.await(outcome);
      },
      (exit) => (Exit.isSuccess(exit) ? exit.value : {}),
    );
    const fiber = Effect.runFork(
      Effect.ensuring(
        run.pipe(
          Effect.catch((error) =>
            Effect.sync(() => {
              isDecided = true;
              refused(toNotSent(error));
            }),
          ),
        ),
        Effect.sync(ended.resolve),
      ),
    );
    return () => {
      if (!isDecided) fiber.interruptUnsafe();
    };
  };

const toNotSent = (error: RequestNotSent | LimiterStoreError): NotSent => {
  if (error._tag === "LimiterStoreError")
    return { kind: "store", detail: error.message, cause: error };
  const { policy, reason, retryAfter } = error;
  const retryAfterMillis = Duration.toMillis(retryAfter);
  return { kind: reason, policy, retryAfterMillis, cause: error };
};

/** A limiter in the memory of this process. */
export const limiterInMemory = (
  options?: LimiterOptions,
): Layer.Layer<PolicyLimiter, ConfigurationInvalid> =>
  Layer.build(PolicyLimiter.layerMemory(options)).pipe(
    Effect.mapError(
      ({ expected, option }) =>
        new ConfigurationInvalid({ option: `limiter.${option}`, reason: `must be ${expected}` }),
    ),
    Layer.effectContext,
  );
