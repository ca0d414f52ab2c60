/** Serves the control plane as an Effect. */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import * as Queue from "effect/Queue";
import * as Stream from "effect/Stream";
import type { Incoming } from "../http/Exchange.ts";
import type { RequestInput, ResponseOutput } from "../http/messages.ts";
import { utf8 } from "../internal/encoding.ts";

export const bridge =
  (plane: (request: RequestInput) => ResponseOutput) =>
  ({ body, connection, headers, method, url }: Incoming) =>
    Effect.gen(function* () {
      const first = plane({
        method,
        url,
        header: (name) => headers[name],
        body,
        ip: connection.ip,
      });
      const output =
        first.deferred === undefined ? first : yield* Effect.promise(() => first.deferred!);
      const { status, stream } = output;
      if (stream === undefined)
        return output.body === ""
          ? Response.empty({ status, headers: output.headers })
          : Response.text(output.body, {
              status,
              headers: output.headers,
              contentType: output.headers["content-type"],
            });
      const events = Stream.callback<Uint8Array>(
        (queue) =>
          Effect.acquireRelease(
            Effect.sync(() => stream((text) => void Queue.offerUnsafe(queue, utf8(text)))),
            (stop) => Effect.sync(stop),
          ),
        { bufferSize: 1_000, strategy: "sliding" },
      );
      return Response.stream(events, {
        status,
        headers: output.headers,
        contentType: output.headers["content-type"],
      });
    });
