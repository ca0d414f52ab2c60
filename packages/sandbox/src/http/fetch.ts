/**
 * Serves a sandbox as a function from `Request` to `Promise<Response>` without a Node API.
 *
 * A `Request` no longer shows what its constructor normalises: dot segments, backslashes,
 * fragments, and which header was repeated. Faults that cut a connection are refused with 501.
 */
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import type { Addresses } from "../Options.ts";
import { readBody } from "../internal/encoding.ts";
import { tooLarge } from "./errors.ts";
import type { Handle, Incoming, Listener } from "./Exchange.ts";
import { bodyLimit } from "./routes.ts";

export type Fetch = (request: Request) => Promise<globalThis.Response>;

/** Makes the `fetch` of a sandbox. The origin of a request selects the listener. */
export const fetchFunction = (
  handle: Handle,
  { authUrl, baseUrl, controlUrl }: Addresses,
  context: Context.Context<never>,
): Fetch => {
  const origins = new Map<string, Listener>([
    [new URL(controlUrl).origin, "control"],
    [new URL(baseUrl).origin, "data"],
    [new URL(authUrl).origin, "auth"],
  ]);
  return async (request) => {
    const { origin, pathname, search } = new URL(request.url);
    const listener = origins.get(origin);
    if (listener === undefined) throw new TypeError("this sandbox does not answer at that address");
    // Read before the body, because Bun drops an unread `content-type` when the body is read.
    const headers = Object.fromEntries(request.headers);
    const body = await readBody(request, bodyLimit(pathname));
    if (body === undefined)
      return new globalThis.Response(tooLarge(listener, bodyLimit(pathname)), {
        status: 413,
        headers: { "content-type": "application/json" },
      });
    const incoming: Incoming = {
      method: request.method,
      url: `${pathname}${search}`,
      headers,
      body,
      connection: { id: "in process", ip: "127.0.0.1" },
    };
    const { signal } = request;
    const response = await Effect.runPromiseWith(context)(handle(listener, incoming), {
      signal,
    }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw cause;
    });
    return Response.toWeb(response, { withoutBody: request.method === "HEAD", context, signal });
  };
};
