/**
 * The first step: gives the call its span, its total time and its abort signal.
 */
import * as Effect from "effect/Effect";
import { Timeout } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { Step } from "./Call.ts";
import { Deadline } from "./Deadline.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./time.ts";

export const bound =
  ({ instruments, totalTimeout }: PipelineOptions): Step =>
  (call, next) => {
    const { options, request } = call;
    const total = toMillis(options.totalTimeout, totalTimeout);
    const { signal } = options;
    const running = next(call);
    const bounded =
      Number.isFinite(total) || signal !== undefined
        ? race(running, total, signal, () => new Timeout({ ...callInfo(call), kind: "total" }))
        : running;
    return instruments.trace ? instruments.trace(request, bounded) : bounded;
  };

/** Runs a call in a fiber of its own, which the end of its time or the signal interrupts. */
const race = (
  running: Effect.Effect<unknown, GameApiError>,
  millis: number,
  signal: AbortSignal | undefined,
  timeout: () => Timeout,
): Effect.Effect<unknown, GameApiError> =>
  Effect.withFiber((parent) => {
    const deadline = new Deadline(millis, parent, timeout);
    const racing = deadline.race<unknown>((settle) => {
      const abort = () => {
        fiber.interruptUnsafe();
        settle(Effect.interrupt);
      };
      const fiber = Effect.runForkWith(parent.context)(running);
      fiber.addObserver((exit) => {
        signal?.removeEventListener("abort", abort);
        settle(exit);
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
      return () => fiber.interruptUnsafe();
    });
    return Effect.onExitPrimitive(racing, () => {
      deadline.clear();
      return undefined;
    });
  });
