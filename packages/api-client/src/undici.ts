/**
 * A transport over undici, the fastest on Node. `undici` is an optional peer dependency.
 *
 * @example
 * ```ts
 * import { undiciTransport } from "@game-data/api-client/undici";
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport: undiciTransport(),
 * });
 * await api.close();
 * ```
 */
import * as Effect from "effect/Effect";
import { type Dispatcher, getGlobalDispatcher } from "undici";
import { describeCause, SendError, type IncomingResponse, type Transport } from "./Transport.ts";

/** Sends requests through a dispatcher; by default through undici's global one. */
export const undiciTransport =
  (dispatcher: Dispatcher = getGlobalDispatcher()): Transport =>
  ({ method, url, headers, body }) =>
    Effect.callback((resume) => {
      const controller = new AbortController();
      const { origin, pathname, search } = new URL(url);
      dispatcher
        .request({
          origin,
          path: pathname + search,
          method: method as "GET",
          headers: headers as Record<string, string>,
          body: body ?? null,
          signal: controller.signal,
          // The client has timeouts of its own.
          headersTimeout: 0,
          bodyTimeout: 0,
        })
        .then(
          (response) => resume(Effect.succeed(fromResponse(response))),
          (cause: unknown) =>
            resume(
              Effect.fail(new SendError({ kind: "connect", detail: describeCause(cause), cause })),
            ),
        );
      return Effect.sync(() => controller.abort());
    });

const fromResponse = ({ body, headers, statusCode }: Dispatcher.ResponseData): IncomingResponse => {
  // A body that breaks before it is read would end the process otherwise.
  body.on("error", () => undefined);
  const flat = headers as Record<string, string | undefined>;
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) flat[name] = value.join(", ");
  }
  let iterator: AsyncIterator<Uint8Array> | undefined;
  return {
    status: statusCode,
    headers: flat,
    encoding: flat["content-encoding"]?.trim().toLowerCase() || "identity",
    read: async () => {
      iterator ??= body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return (await iterator.next()).value as Uint8Array | undefined;
    },
    text: () => body.text(),
    abort: () => {
      if (!body.readableEnded) body.destroy();
    },
  };
};
