/** An interceptor for undici: `new Agent().compose(limitDispatch(limiter))`. */
import type { Dispatcher } from "undici";
import { readOutcome } from "./promise.ts";
import type { Limiter } from "./promise.ts";
import type { LimiterRequest } from "./PolicyLimiter.ts";
import { routeOf } from "./routeOf.ts";

/** Options of `limitDispatch`. */
export interface DispatchOptions extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: `routeOf`. */
  readonly route?: ((request: Dispatcher.DispatchOptions) => string) | undefined;
  /** The user of a request. Default: all requests are of one user. */
  readonly identity?: ((request: Dispatcher.DispatchOptions) => string) | undefined;
}

/** Returns an interceptor whose requests wait for a limiter. */
export const limitDispatch =
  (
    limiter: Pick<Limiter, "run">,
    { identity, maxWait, priority, route }: DispatchOptions = {},
  ): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (request, handler) => {
    const url = new URL(request.path, String(request.origin ?? "http://localhost"));
    const { release, signal } = abortable(request);
    let isSent = false;
    limiter
      .run(
        {
          route: route?.(request) ?? routeOf(request.method, url),
          identity: identity?.(request),
          priority,
          maxWait,
          signal,
        },
        () =>
          new Promise<unknown>((resolve) => {
            dispatch(request, observe(handler, resolve));
            isSent = true;
          }),
      )
      .catch((error: unknown) => {
        if (!isSent) handler.onResponseError?.(undefined as never, error as Error);
      })
      .finally(release);
    return true;
  };

/** Returns the signal of a request, which may be an event emitter, and what removes the listener. */
const abortable = (request: object) => {
  const { signal } = request as { readonly signal?: AbortSignal | NodeJS.EventEmitter };
  if (!signal || !("once" in signal)) return { signal, release: () => undefined };
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("The request was aborted", "AbortError"));
  signal.once("abort", abort);
  return { signal: controller.signal, release: () => void signal.off("abort", abort) };
};

/** Passes events on, and resolves with the status and the headers, or with nothing. */
const observe = (
  handler: Dispatcher.DispatchHandler,
  resolve: (response: unknown) => void,
): Dispatcher.DispatchHandler => ({
  onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
  onRequestUpgrade: (controller, status, headers, socket) => {
    resolve({ status });
    handler.onRequestUpgrade?.(controller, status, headers, socket);
  },
  onResponseStart: (controller, status, headers, message) => {
    if (status >= 200) resolve(readOutcome({ status, headers }));
    handler.onResponseStart?.(controller, status, headers, message);
  },
  onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
  onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
  onResponseError: (controller, error) => {
    resolve(undefined);
    handler.onResponseError?.(controller, error);
  },
});
