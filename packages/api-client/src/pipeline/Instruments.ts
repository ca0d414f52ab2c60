/**
 * Spans, metrics, logs and scopes of calls. They are handed to the client, because the Promise
 * client has none of Effect's, and carrying them would cost it a fifth of its size.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import * as References from "effect/References";
import * as Scope from "effect/Scope";
import * as Tracer from "effect/Tracer";
import { toCurl } from "../CallOptions.ts";
import type { RequestInfo, RetryInfo } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import type { RawResponse } from "../RawResponse.ts";
import type { PreparedRequest } from "./Call.ts";

type AnyFiber = Fiber.Fiber<unknown, unknown>;

/** The metrics of calls. */
type MetricName = keyof typeof Metrics.all;

export interface Instruments {
  /** Records a call as a span. */
  readonly trace?: (
    request: PreparedRequest,
    running: Effect.Effect<unknown, GameApiError>,
  ) => Effect.Effect<unknown, GameApiError>;
  /** Updates a metric. */
  readonly measure?: (
    metric: MetricName,
    value: number,
    attributes: Metrics.Attributes,
    fiber: AnyFiber,
  ) => void;
  /** Releases the connection of a response with its scope. */
  readonly scoped?: (
    opening: Effect.Effect<RawResponse, GameApiError>,
  ) => Effect.Effect<RawResponse, GameApiError, Scope.Scope>;
  /** Logs a request, which is described only if somebody reads it. */
  readonly onRequest?: (request: () => RequestInfo, fiber: AnyFiber) => void;
  /** Logs a retry. */
  readonly onRetry?: (retry: RetryInfo, fiber: AnyFiber) => void;
  readonly warn: (message: string, cause: unknown, fiber: AnyFiber) => void;
}

/** Calls a hook. One that throws, or rejects, is logged as a warning and changes nothing. */
export const callHook = <A>(
  hook: ((value: A) => void) | undefined,
  value: A,
  { warn }: Instruments,
  fiber: AnyFiber,
): void => {
  if (hook === undefined) return;
  new Promise((resolve) => resolve(hook(value))).catch((cause: unknown) =>
    warn("GameApi: a hook threw", cause, fiber),
  );
};

/** Effect's tracer, metrics, loggers and scopes. */
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
  measure: (metric, value, attributes, fiber) =>
    Metrics.withAttributes(metric, attributes).updateUnsafe(value, fiber.context),
  scoped: (opening) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(opening), ({ abort }) =>
        Effect.flatMap(Scope.Scope, (scope) => Scope.addFinalizer(scope, Effect.sync(abort))),
      ),
    ),
  onRequest: (request, fiber) => debug(() => toCurl(request()), fiber),
  onRetry: ({ delayMillis, error, operation }, fiber) =>
    debug(() => `${operation}: retry in ${Math.round(delayMillis)} ms after ${error._tag}`, fiber),
  warn: (message, cause, fiber) => {
    Effect.runForkWith(fiber.context)(Effect.logWarning(message, cause));
  },
};

/** The console, for programs without Effect. `onRequest` and `toCurl` show the requests. */
export const consoleInstruments: Instruments = {
  warn: (message, cause) => console.warn(message, cause),
};

/** Logs a message that is made only if somebody reads it. */
const debug = (message: () => string, fiber: AnyFiber): void => {
  if (DEBUG.has(fiber.getRef(References.MinimumLogLevel))) {
    Effect.runForkWith(fiber.context)(Effect.logDebug(message()));
  }
};

/** The tracer of programs that install none. It exports nothing. */
const nativeTracer = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Tracer.Tracer);

/** Minimum log levels at which debug messages are logged. */
const DEBUG: ReadonlySet<string> = /*#__PURE__*/ new Set(["Debug", "Trace", "All"]);
