/**
 * The retry step: repeats an attempt that may succeed later, after a random, bounded wait.
 *
 * Safe methods are repeated. Others are repeated only if the service did not process the request,
 * or if the call says that doing it twice does no harm.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import type { GameApiError } from "../Errors.ts";
import { RetryBudget, retryDelay } from "../Retry.ts";
import type { Call, Step } from "./Call.ts";
import { callHook } from "./Instruments.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./time.ts";

export const retry = ({
  hooks,
  instruments,
  retry: settings,
  totalTimeout,
}: PipelineOptions): Step => {
  const budget = new RetryBudget(settings.budget);
  const deposit = (value: unknown) => {
    budget.deposit();
    return Effect.succeed(value);
  };
  return (call, next) => {
    const times = call.options.retries ?? settings.times;
    const total = toMillis(call.options.totalTimeout, totalTimeout);
    let retried = 0;
    let deadline = Number.POSITIVE_INFINITY;

    const attempt: Effect.Effect<unknown, GameApiError> = Effect.suspend(() =>
      Effect.matchEffect(next(call), { onSuccess: deposit, onFailure }),
    );
    const onFailure = (error: GameApiError) => {
      const isPermitted =
        isSafe(call) || call.options.retryUnsafe === true || wasNotProcessed(error);
      if (!isPermitted || !isRetryWorthwhile(error) || retried >= times || !budget.withdraw()) {
        return Effect.fail(error);
      }
      return repeat(error);
    };
    const repeat = (error: GameApiError) =>
      Effect.flatMap(Random.next, (random) =>
        Effect.withFiber<unknown, GameApiError>((fiber) => {
          // After a 429 the limiter itself delays the whole policy.
          const asked =
            error._tag === "ServerError" && error.retryAfter !== undefined
              ? Duration.toMillis(error.retryAfter)
              : 0;
          const delayMillis = retryDelay(settings, retried, random, asked);
          const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
          if (now + delayMillis >= deadline || asked > call.maxWait) return Effect.fail(error);
          retried++;
          const { operation, route } = call.request;
          const info = { operation, route, attempts: call.attempts, error, delayMillis };
          instruments.measure?.("retries", 1, { route }, fiber);
          callHook(hooks.onRetry, info, instruments, fiber);
          instruments.onRetry?.(info, fiber);
          return Effect.andThen(Effect.sleep(delayMillis), attempt);
        }),
      );
    if (!Number.isFinite(total)) return attempt;
    return Effect.clockWith((clock) => {
      deadline = clock.currentTimeMillisUnsafe() + total;
      return attempt;
    });
  };
};

const isSafe = ({ request: { method } }: Call) => method === "GET" || method === "HEAD";

/** Whether the service did not process the request, so that even a POST may be repeated. */
const wasNotProcessed = (error: GameApiError) =>
  error._tag === "RateLimited" ||
  (error._tag === "TransportError" && (error.kind === "limiter" || error.kind === "token"));

/** Waiting does not shorten a wait that was too long, and an open circuit stays open. */
const isRetryWorthwhile = (error: GameApiError): boolean => {
  if (!error.isRetryable) return false;
  switch (error._tag) {
    case "RateLimited":
      return error.kind === "server";
    case "TransportError":
      return error.kind !== "circuit-open";
    case "Timeout":
      return error.kind !== "total";
    default:
      return true;
  }
};
