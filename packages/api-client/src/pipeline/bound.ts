/**
 * The first step: gives the call its span, its total time and its abort signal.
 */
import * as Effect from "effect/Effect";
import { Timeout } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { Step } from "./Call.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./time.ts";

export const bound =
  ({ instruments, totalTimeout }: PipelineOptions): Step =>
  (call, next) => {
    const { options, request } = call;
    const total = toMillis(options.totalTimeout, totalTimeout);
    const running = next(call);
    const timed = Number.isFinite(total)
      ? Effect.timeoutOrElse(running, {
          duration: total,
          orElse: () => Effect.fail(new Timeout({ ...callInfo(call), kind: "total" })),
        })
      : running;
    const abortable = options.signal ? interruptOnAbort(timed, options.signal) : timed;
    return instruments.trace ? instruments.trace(request, abortable) : abortable;
  };

const interruptOnAbort = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  signal: AbortSignal,
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const abort = () => resume(Effect.interrupt);
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      return Effect.sync(() => signal.removeEventListener("abort", abort));
    }),
  );
