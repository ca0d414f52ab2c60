/**
 * The way through Effect's server down to the connection, for faults that HTTP itself forbids.
 *
 * Effect's Node server writes nothing when the connection is gone or the response has ended, so a
 * fault writes by itself, waits until the connection is closed, and hands back an answer that
 * nobody reads. Without a port there is no connection: `connectionOf` answers undefined, and the
 * caller says so (501).
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest";
import * as Effect from "effect/Effect";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import { IncomingMessage, ServerResponse } from "node:http";
import type { DecodedResponse } from "./BodyFaults.ts";

/** The connection behind a request, if there is one. */
export const connectionOf = (
  request: HttpServerRequest.HttpServerRequest,
): ServerResponse | undefined => {
  if (!(request.source instanceof IncomingMessage)) return undefined;
  const response = NodeHttpServerRequest.toServerResponse(request);
  return response instanceof ServerResponse ? response : undefined;
};

/** Resets the connection (RST): the client reads "connection reset by peer". */
export const resetConnection = (connection: ServerResponse): Effect.Effect<void> =>
  Effect.callback((resume) => {
    connection.once("close", () => resume(Effect.void));
    const socket = connection.socket;
    if (socket === null || socket.destroyed) resume(Effect.void);
    else socket.resetAndDestroy();
  });

/** What is sent of an answer, and how it ends. */
export interface RawSend {
  readonly answer: DecodedResponse;
  /** The length that the header announces. */
  readonly announcedLength: number;
  /** How many bytes of the body go out. */
  readonly sentBytes: number;
  readonly ending: "close" | "reset";
}

/** Sends an answer whose length is a lie, then ends the connection. */
export const sendRaw = (
  connection: ServerResponse,
  { announcedLength, answer, ending, sentBytes }: RawSend,
): Effect.Effect<void> =>
  Effect.callback((resume) => {
    connection.once("close", () => resume(Effect.void));
    const socket = connection.socket;
    if (socket === null || socket.destroyed) return resume(Effect.void);
    connection.strictContentLength = false;
    connection.writeHead(answer.status, {
      ...answer.headers,
      "content-length": String(announcedLength),
    });
    connection.write(answer.body.subarray(0, sentBytes), () =>
      ending === "reset" ? socket.resetAndDestroy() : socket.destroySoon(),
    );
    if (sentBytes === 0) connection.flushHeaders();
  });
