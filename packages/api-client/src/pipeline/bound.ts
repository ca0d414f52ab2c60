/**
 * The first step: gives the call its span, its total time and its abort signal.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Tracer from "effect/Tracer";
import { Timeout } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { PipelineOptions, Step } from "./Call.ts";
import { toMillis } from "./time.ts";

export const bound =
  ({ totalTimeout }: PipelineOptions): Step =>
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
    return Effect.withFiber((fiber) => {
      // A span that nobody records costs as much as the retry step and the auth step together.
      if (
        Context.getOption(fiber.context, Tracer.ParentSpan)._tag === "None" &&
        fiber.getRef(Tracer.Tracer) === nativeTracer
      ) {
        return abortable;
      }
      return Effect.withSpan(abortable, `GameApi.${request.operation}`, {
        kind: "client",
        attributes: {
          "http.request.method": request.method,
          "http.route": request.route.slice(request.route.indexOf(" ") + 1),
        },
        captureStackTrace: false,
      });
    });
  };

/** The tracer of programs that install none. It exports nothing. */
const nativeTracer = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Tracer.Tracer);

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
