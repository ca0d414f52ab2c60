/** An interceptor for undici: `new Agent().compose(limitDispatch(limiter))`. */
import type { Dispatcher } from "undici";
import { type Limiter, readOutcome } from "./promise.ts";
import { classify, type ClassifyOptions } from "./routeOf.ts";

/** Returns an interceptor for undici whose requests wait for the limiter. */
export const limitDispatch =
  (
    limiter: Pick<Limiter, "run">,
    options: ClassifyOptions<Dispatcher.DispatchOptions> = {},
  ): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (request, handler) => {
    const url = new URL(request.path, String(request.origin ?? "http://localhost"));
    // undici itself aborts a request that was sent. Here the signal removes a waiting request.
    const { signal } = request as { readonly signal?: unknown };
    let isSent = false;
    limiter
      .run(
        {
          ...classify(options, request, request.method, url),
          signal: signal instanceof AbortSignal ? signal : undefined,
        },
        () =>
          new Promise<unknown>((resolve) => {
            dispatch(request, observe(handler, resolve));
            isSent = true;
          }),
      )
      .catch((error: unknown) => {
        if (!isSent) handler.onResponseError?.(undefined as never, error as Error);
      });
    return true;
  };

/** Passes all events on. Resolves with status and headers, or with `undefined` after an error. */
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
