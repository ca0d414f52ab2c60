/**
 * Responses for unmatched requests: 404, 405, 421, 501, in the error shape of the data API, in
 * plain words on the other listeners.
 *
 * On the data API an unknown path is 404, a known path with another method 405 with `Allow`, a
 * method that the sandbox does not implement at all 501. A request under a name that is not the
 * sandbox's is 421 everywhere (RFC 9110 §15.5.20).
 */
import { ErrorCode } from "../contract.ts";
import type { Listener } from "./Listener.ts";
import {
  type Headers,
  json,
  pathOf,
  plain,
  type RequestInput,
  type ResponseOutput,
} from "./messages.ts";
import type { Route, Router } from "./Router.ts";

/** The response to a path that a listener does not serve; `router` if it may be another method. */
export const unknownPath = (
  listener: Listener,
  request: Pick<RequestInput, "method" | "url">,
  router?: Router<Route>,
): ResponseOutput => {
  if (listener === "control")
    return controlError("no such path; /control/openapi.json lists what there is", 404);
  if (listener === "auth") return plain("no such path on the auth address\n", 404);
  if (!METHODS.includes(request.method)) {
    const message = `The sandbox does not implement ${request.method}.`;
    return dataError(501, ErrorCode.InternalError, message);
  }
  const known = router?.methods(pathOf(request.url)) ?? [];
  if (known.length === 0) return dataError(404, ErrorCode.ResourceNotFound, "No such path.");
  const allow = METHODS.filter((method) => known.includes(method === "HEAD" ? "GET" : method)).join(
    ", ",
  );
  return dataError(405, ErrorCode.MethodNotAllowed, `Method not allowed; use ${allow}.`, { allow });
};

/** The response to a request under a name that is not the sandbox's. */
export const misdirectedRequest = (listener: Listener, reason: string): ResponseOutput => {
  if (listener === "data") return dataError(421, ErrorCode.InvalidQuery, `Misdirected: ${reason}.`);
  return listener === "control"
    ? controlError(reason, 421)
    : plain(`misdirected: ${reason}\n`, 421);
};

export const dataError = (
  status: number,
  code: number,
  message: string,
  headers: Headers = {},
): ResponseOutput => json({ error: { code, message } }, status, { ...NO_STORE, ...headers });

export const controlError = (
  reason: string,
  status = 400,
  more: Readonly<Record<string, unknown>> = {},
): ResponseOutput => json({ reason, ...more }, status, NO_STORE);

/** For answers that tell of one moment, or of secrets. */
export const NO_STORE: Headers = { "cache-control": "no-store" };

/** Methods that HTTP clients use; any other one is not implemented here. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
