/**
 * Carries the application to Node's HTTP server: reads a request within its limits, calls `handle`,
 * and performs the response, delays, slow bodies and cut connections included.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Application } from "../Application.ts";
import { codingOf, encodeBody } from "./contentEncoding.ts";
import { type Listener, listenerOf } from "./Listener.ts";
import {
  bodyLimit,
  effectOf,
  type Headers,
  refusedBody,
  type RequestInput,
  type ResponseOutput,
  tooLarge,
} from "./messages.ts";

/** Headers that a request may carry once (RFC 9110 §5.3): a second one would be lost in silence. */
const ONCE = ["authorization", "content-length", "content-type", "host", "cookie"];

let connections = 0;
/** Names of connections. */
const names = new WeakMap<object, string>();

/** Names the connections of a server. */
export const nameConnections = (server: Server): void => {
  server.on("connection", (socket) => names.set(socket, String(++connections)));
};

export type Served = Pick<Application, "handle" | "parts" | "platform" | "ready">;

/** The request listener of one listener of the sandbox; `listener` undefined serves all three. */
export const nodeListener =
  (application: Served, listener: Listener | undefined): RequestListener =>
  (message, response) => {
    if (message.url?.[0] !== "/") takeAbsolute(message);
    const target = listener ?? listenerOf(message.url ?? "/");
    const start = (): void =>
      readBody(message, response, (body) => {
        const request = inputOf(message, body, target);
        const output = application.handle(request);
        if (output.deferred === undefined) return send(application, request, response, output);
        output.deferred.then(
          (deferred) => send(application, request, response, deferred),
          failed("a document could not be built"),
        );
      });
    const failed = (what: string) => (cause: unknown) => {
      application.parts.log(what, cause);
      response.writeHead(500).end();
    };
    const wait = application.ready(target);
    if (wait === undefined) start();
    else wait.then(start, failed("a part of the sandbox could not be loaded"));
  };

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/isu;

/** The absolute form of a target (RFC 9112 §3.2.2): its authority takes the place of `Host`. */
const takeAbsolute = (message: IncomingMessage): void => {
  const [, host, path = ""] = ABSOLUTE.exec(message.url ?? "") ?? [];
  if (host === undefined) return;
  message.url = path.startsWith("/") ? path : `/${path}`;
  message.headers.host = host;
};

/** Reads the body within its limits; a request that may not be answered is refused. */
const readBody = (
  message: IncomingMessage,
  response: ServerResponse,
  onBody: (body: Uint8Array) => void,
): void => {
  const { headers, headersDistinct } = message;
  const doubled = ONCE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (doubled !== undefined)
    return refuse(response, 400, refusedBody(2, `The header ${doubled} is given more than once.`));
  const limit = bodyLimit(message.url ?? "/");
  const length = headers["content-length"];
  if (Number(length ?? 0) > limit) return refuse(response, 413, tooLarge(limit));
  if (length === undefined && headers["transfer-encoding"] === undefined)
    return onBody(new Uint8Array());
  const chunks: Array<Buffer> = [];
  let size = 0;
  message.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (!response.headersSent) refuse(response, 413, tooLarge(limit));
  });
  message.on("end", () => {
    if (size <= limit) onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  });
  message.on("error", () => response.destroy());
};

const send = (
  application: Served,
  request: RequestInput,
  response: ServerResponse,
  output: ResponseOutput,
): void => {
  if (output.onEnd !== undefined) watchEnd(response, output);
  if (output.stream !== undefined) return pushStream(response, output, output.stream);
  const { headers, status, wire } = output;
  const coding = codingOf(request, output, application.platform.codings);
  const encode = () => encodeBody(application.platform, output, coding);
  if (wire === undefined && coding === "identity")
    return write(response, status, headers, output.body);
  const encoded = wire === undefined ? encode() : undefined;
  // A page that is known already waits for nothing.
  if (encoded !== undefined && !(encoded instanceof Promise))
    return write(response, status, encoded.headers, encoded.bytes);
  perform(response, output, () => encoded ?? encode()).catch((cause: unknown) => {
    application.parts.log("a response could not be sent", cause);
    response.destroy();
  });
};

/** Waits, compresses, and does to the connection what the response asks for. */
const perform = async (
  response: ServerResponse,
  output: ResponseOutput,
  encode: () => ReturnType<typeof encodeBody>,
): Promise<void> => {
  for (const effect of output.wire ?? []) {
    if (effect.kind === "delay") await waitFor(response, effect.milliseconds);
    const { socket } = response;
    if (response.destroyed || socket === null || socket.destroyed) return;
    if (effect.kind === "hang") return;
    if (effect.kind === "reset") return void socket.resetAndDestroy();
  }
  const { bytes, headers } = await encode();
  return performBody(response, { ...output, headers }, bytes);
};

const inputOf = (message: IncomingMessage, body: Uint8Array, listener: Listener): RequestInput => {
  const { headers, socket } = message;
  return {
    method: message.method ?? "GET",
    url: message.url ?? "/",
    header: (name) => {
      const value = headers[name];
      return typeof value === "string" ? value : value?.join(", ");
    },
    body,
    ip: socket.remoteAddress ?? "",
    connection: names.get(socket)!,
    hasSocket: true,
    listener,
  };
};

/** Refuses what may not be answered, and ends the connection: more of it may be on its way. */
const refuse = (response: ServerResponse, status: number, body: string): void => {
  response.shouldKeepAlive = false;
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  write(response, status, { ...headers, connection: "close" }, body);
};

const write = (
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: string | Uint8Array,
): void => {
  if (status === 204 || status === 304) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
};

const watchEnd = (response: ServerResponse, { body, onEnd, wire }: ResponseOutput): void => {
  const isCut = wire?.some(({ kind }) => kind === "truncate" || kind === "gzipCut") === true;
  // Emitted once for every response: after its last byte is handed to the system, or when the
  // connection ends before.
  response.on("close", () => {
    const isWhole = response.writableFinished && !isCut;
    const bytes = isWhole ? Buffer.byteLength(body) : 0;
    onEnd!({ bytes, isWhole, isAnswered: response.headersSent });
  });
};

const waitFor = (response: ServerResponse, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      // A body in many pieces waits many times.
      response.off("close", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    response.once("close", end);
  });

/** Sends a body in pieces, or one whose length is a lie, and ends the connection. */
const performBody = async (
  response: ServerResponse,
  output: ResponseOutput,
  bytes: Uint8Array,
): Promise<void> => {
  const truncate = effectOf(output, "truncate");
  const length = effectOf(output, "contentLength");
  if (truncate !== undefined)
    // At least one byte is missing, or nothing would be cut.
    return sendRaw(response, output, bytes, {
      announced: bytes.length,
      sent: Math.min(truncate.atByte, Math.max(0, bytes.length - 1)),
      ending: truncate.ending,
    });
  if (length !== undefined)
    return sendRaw(response, output, bytes, {
      announced: Math.max(0, bytes.length + length.differsBy),
      sent: bytes.length,
      ending: "close",
    });
  const dribble = effectOf(output, "dribble");
  if (dribble === undefined) return write(response, output.status, output.headers, bytes);
  response.writeHead(output.status, output.headers);
  for (let at = 0; at < bytes.length; at += dribble.bytes) {
    await waitFor(response, dribble.everyMilliseconds);
    if (response.destroyed) return;
    response.write(bytes.subarray(at, at + dribble.bytes));
  }
  response.end();
};

const sendRaw = (
  response: ServerResponse,
  { headers, status }: ResponseOutput,
  bytes: Uint8Array,
  how: { readonly announced: number; readonly sent: number; readonly ending: "close" | "reset" },
): void => {
  const { socket } = response;
  if (socket === null || socket.destroyed) return;
  response.strictContentLength = false;
  response.writeHead(status, { ...headers, "content-length": String(how.announced) });
  response.write(bytes.subarray(0, how.sent), () =>
    how.ending === "reset" ? socket.resetAndDestroy() : socket.destroySoon(),
  );
  if (how.sent === 0) response.flushHeaders();
};

/** A comment in time keeps proxies and browsers from giving a quiet stream up. */
const HEARTBEAT_MILLIS = 15_000;
/** Bytes that may wait for a slow reader before pieces are dropped. */
const MAX_BUFFERED = 1024 * 1024;

const pushStream = (
  response: ServerResponse,
  { headers, status }: ResponseOutput,
  stream: NonNullable<ResponseOutput["stream"]>,
): void => {
  response.writeHead(status, headers);
  let dropped = 0;
  const stop = stream((text) => {
    if (response.writableLength > MAX_BUFFERED) {
      dropped += 1;
      return;
    }
    if (dropped > 0) response.write(`event: dropped\ndata: ${dropped}\n\n`);
    dropped = 0;
    response.write(text);
  });
  const beat = setInterval(() => response.write(": \n\n"), HEARTBEAT_MILLIS);
  response.once("close", () => {
    clearInterval(beat);
    stop();
  });
};
