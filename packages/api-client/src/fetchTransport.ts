/** A transport over `fetch`. */
import * as Effect from "effect/Effect";
import { describeCause, SendError, type IncomingResponse, type Transport } from "./Transport.ts";

/** Sends requests with `fetch`; by default with the global one, looked up at every request. */
export const fetchTransport =
  (fetch?: typeof globalThis.fetch): Transport =>
  ({ method, url, headers, body }) =>
    Effect.callback((resume) => {
      const controller = new AbortController();
      const { signal } = controller;
      const init: RequestInit = { method, headers, signal, redirect: "manual" };
      if (body !== undefined) init.body = body;
      const send = fetch ?? globalThis.fetch;
      Promise.resolve()
        .then(() => send(url, init))
        .then(
          (response) => resume(Effect.succeed(fromResponse(response, controller))),
          (cause: unknown) =>
            resume(
              Effect.fail(new SendError({ kind: "connect", detail: describeCause(cause), cause })),
            ),
        );
      return Effect.sync(() => controller.abort());
    });

const fromResponse = (response: Response, controller: AbortController): IncomingResponse => {
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  // Fetch has decompressed the body, so that these two are no longer true of it.
  if ((headers["content-encoding"]?.trim() || "identity") !== "identity") {
    delete headers["content-encoding"];
    delete headers["content-length"];
  }
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    status: response.status,
    headers,
    encoding: "identity",
    read: async () => {
      reader ??= response.body?.getReader();
      return (await reader?.read())?.value;
    },
    abort: () => controller.abort(),
  };
};
