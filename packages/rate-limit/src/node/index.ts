/**
 * A request function over `node:http` and `node:https` that waits for a permit: for got, and for
 * programs that use them directly. One permit per attempt: got's retries and redirects pass the
 * limiter again.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { limitRequest } from "@game-data/rate-limit/node";
 *
 * // got.extend({ request: limitRequest(limiter) })
 * const request = limitRequest(createLimiter());
 * if (typeof request !== "function") throw new Error("not reached");
 * ```
 *
 * @packageDocumentation
 */
import * as http from "node:http";
import * as https from "node:https";
import type { Limiter, LimiterRequest, RequestOutcome } from "../index.ts";
import { checkAdapter, routeOf } from "../limitFetch.ts";
import { outcomeOf } from "../outcomeOf.ts";

/** Options that tell requests apart. */
export interface RequestOptions extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: method, host and path, with ids left out. */
  readonly route?:
    | ((request: { readonly method: string; readonly url: URL }) => string)
    | undefined;
  /** The user of a request. Default: all are one. */
  readonly identity?:
    | ((request: { readonly url: URL; readonly options: http.RequestOptions }) => string)
    | undefined;
}

/** The function. */
export const limitRequest = (limiter: Pick<Limiter, "acquire">, options: RequestOptions = {}) => {
  checkAdapter(limiter, "acquire", options);
  return async (
    url: URL,
    request: http.RequestOptions,
    callback?: (response: http.IncomingMessage) => void,
  ): Promise<http.ClientRequest> => {
    const method = request.method ?? "GET";
    const lease = await limiter.acquire({
      route: options.route?.({ method, url }) ?? routeOf(method, url),
      identity: options.identity?.({ url, options: request }),
      priority: options.priority,
      maxWait: options.maxWait,
      signal: request.signal,
    });
    const settle = (outcome: RequestOutcome): void => {
      lease.settle(outcome).catch(() => undefined);
    };
    const sent = (url.protocol === "https:" ? https : http).request(url, request, callback);
    sent.once("response", (response) => settle(outcomeOf(response)));
    sent.once("close", () => settle({ status: undefined }));
    return sent;
  };
};
