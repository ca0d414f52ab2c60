/**
 * An interceptor for undici: `new Agent().compose(limitDispatch(limiter))`.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { limitDispatch } from "@game-data/rate-limit/undici";
 *
 * // new Agent().compose(interceptor)
 * const interceptor = limitDispatch(createLimiter());
 * if (typeof interceptor !== "function") throw new Error("not reached");
 * ```
 *
 * @packageDocumentation
 */
import type { Dispatcher } from "undici";
import type { Lease, Limiter } from "../Limiter.ts";
import type { LimiterRequest } from "../limiterOptions.ts";
import { checkAdapter, routeOf } from "../limitFetch.ts";
import { outcomeOf } from "../outcomeOf.ts";

/** Options that tell requests apart. */
export interface DispatchOptions extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: method, host and path, with ids left out. */
  readonly route?: ((request: Dispatcher.DispatchOptions) => string) | undefined;
  /** The user of a request. Default: all are one. */
  readonly identity?: ((request: Dispatcher.DispatchOptions) => string) | undefined;
}

/** An `EventEmitter` of Node. */
interface Emitter {
  readonly once: (name: string, listener: () => void) => unknown;
  readonly off: (name: string, listener: () => void) => unknown;
}

interface Signalled {
  readonly signal?: AbortSignal | Emitter | null | undefined;
}

/** The interceptor. */
export const limitDispatch = (
  limiter: Pick<Limiter, "acquire">,
  options: DispatchOptions = {},
): Dispatcher.DispatcherComposeInterceptor => {
  checkAdapter(limiter, "acquire", options);
  return (dispatch) => (request, handler) => {
    const url = new URL(request.path, String(request.origin ?? "http://localhost"));
    const fail = (cause: unknown): void =>
      handler.onResponseError?.(undefined as never, cause as Error);
    const send = (lease: Lease): void => {
      try {
        dispatch(request, settling(handler, lease));
      } catch (cause) {
        void lease.settle({ status: undefined, sent: false });
        fail(cause);
      }
    };
    limiter
      .acquire({
        route: options.route?.(request) ?? routeOf(request.method, url),
        identity: options.identity?.(request),
        priority: options.priority,
        maxWait: options.maxWait,
        signal: signalOf(request),
      })
      .then(send, fail);
    return true;
  };
};

/** The signal of a request; undici takes an emitter as well. */
const signalOf = (request: object): AbortSignal | undefined => {
  const { signal } = request as Signalled;
  if (!signal || !("once" in signal)) return signal ?? undefined;
  const reason = new DOMException("This operation was aborted", "AbortError");
  return {
    reason,
    addEventListener: (name: string, abort: () => void) => signal.once(name, abort),
    removeEventListener: (name: string, abort: () => void) => signal.off(name, abort),
  } as never;
};

const settling = (
  handler: Dispatcher.DispatchHandler,
  lease: Lease,
): Dispatcher.DispatchHandler => {
  const settle = (outcome: Parameters<Lease["settle"]>[0]): void => {
    lease.settle(outcome).catch(() => undefined);
  };
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (controller, status, headers, socket) => {
      settle({ status });
      handler.onRequestUpgrade?.(controller, status, headers, socket);
    },
    onResponseStart: (controller, status, headers, message) => {
      if (status >= 200) settle(outcomeOf({ status, headers }));
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => {
      settle({ status: undefined });
      handler.onResponseError?.(controller, error);
    },
  };
};
