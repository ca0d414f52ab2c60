/**
 * Spans and logs of calls. They are handed to the pipeline, because the Promise client has no
 * tracer and no logger of Effect's, and carrying them would cost it a fifth of its size.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import * as References from "effect/References";
import * as Tracer from "effect/Tracer";
import type { GameApiError } from "../Errors.ts";
import type { PreparedRequest } from "./Call.ts";

type AnyFiber = Fiber.Fiber<unknown, unknown>;

export interface Instruments {
  /** Records a call as a span. */
  readonly trace?: (
    request: PreparedRequest,
    running: Effect.Effect<unknown, GameApiError>,
  ) => Effect.Effect<unknown, GameApiError>;
  /** Logs a message that is made only if somebody reads it. */
  readonly debug?: (message: () => string, fiber: AnyFiber) => void;
  readonly warn: (message: string, cause: unknown, fiber: AnyFiber) => void;
}

/** Calls a hook. A hook that throws is logged as a warning and changes nothing. */
export const callHook = <A>(
  hook: ((value: A) => void) | undefined,
  value: A,
  { warn }: Instruments,
  fiber: AnyFiber,
): void => {
  if (hook === undefined) return;
  try {
    hook(value);
  } catch (cause) {
    warn("GameApi: a hook threw", cause, fiber);
  }
};

/** Effect's tracer and loggers. */
export const effectInstruments: Instruments = {
  trace: (request, running) =>
    Effect.withFiber((fiber) => {
      // A span that nobody records costs as much as the retry step and the auth step together.
      if (
        Context.getOption(fiber.context, Tracer.ParentSpan)._tag === "None" &&
        fiber.getRef(Tracer.Tracer) === nativeTracer
      ) {
        return running;
      }
      return Effect.withSpan(running, `GameApi.${request.operation}`, {
        kind: "client",
        attributes: {
          "http.request.method": request.method,
          "http.route": request.route.slice(request.route.indexOf(" ") + 1),
        },
        captureStackTrace: false,
      });
    }),
  debug: (message, fiber) => {
    if (DEBUG.has(fiber.getRef(References.MinimumLogLevel))) {
      Effect.runForkWith(fiber.context)(Effect.logDebug(message()));
    }
  },
  warn: (message, cause, fiber) => {
    Effect.runForkWith(fiber.context)(Effect.logWarning(message, cause));
  },
};

/** The console, for programs without Effect. `onRequest` and `toCurl` show the requests. */
export const consoleInstruments: Instruments = {
  warn: (message, cause) => console.warn(message, cause),
};

/** The tracer of programs that install none. It exports nothing. */
const nativeTracer = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Tracer.Tracer);

/** Minimum log levels at which debug messages are logged. */
const DEBUG: ReadonlySet<string> = /*#__PURE__*/ new Set(["Debug", "Trace", "All"]);
