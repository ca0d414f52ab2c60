/** Serves a sandbox with Node's HTTP server: reads requests within their limits, and sends answers. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import * as Stream from "effect/Stream";
import { refusedBody, tooLarge } from "./errors.ts";
import type { Handle, Incoming, Listener, Wire } from "./Exchange.ts";
import { bodyLimit, listenerOf } from "./routes.ts";

// An `import` of node:http reads all of its exports, and so loads undici, http2 and tls, a fifth of
// the CPU time of a start.
// oxlint-disable-next-line no-restricted-properties -- nothing is inflated here
const { createServer } = process.getBuiltinModule("node:http");

const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds that open connections have to finish when the sandbox stops. */
const GRACE_MILLIS = 2_000;

let connections = 0;
const connectionIds = new WeakMap<object, string>();

/** Opens a server. Closing the scope closes it. Requests wait until a listener is added. */
export const openServer = (host: string, port: number) =>
  Effect.acquireRelease(
    Effect.callback<Server, Error>((resume) => {
      const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
      server.maxHeadersCount = MAX_HEADERS;
      server.on("connection", (socket) => connectionIds.set(socket, String(++connections)));
      server.once("error", (cause) => resume(Effect.fail(cause)));
      server.listen(port, host, () => resume(Effect.succeed(server)));
    }),
    closeServer,
  );

const closeServer = (server: Server) =>
  Effect.callback<void>((resume) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MILLIS);
    server.close(() => {
      clearTimeout(cut);
      resume(Effect.void);
    });
    server.closeIdleConnections();
  });

export const urlOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
};

/** Makes the request listener of a Node server. If `listener` is undefined, it serves all three. */
export const requestListener = (
  handle: Handle,
  listener: Listener | undefined,
  context: Context.Context<never>,
): RequestListener => {
  const run = Effect.runForkWith(context);
  return (message, response) => {
    if (message.url?.[0] !== "/") takeAbsolute(message);
    const to = listener ?? listenerOf(message.url!);
    const answer = (body: Uint8Array): Effect.Effect<void> =>
      Effect.flatMap(handle(to, incomingOf(message, response, body)), (one) => send(response, one));
    const fiber = run(
      (hasNoBody(message)
        ? answer(NO_BODY)
        : Effect.flatMap(readBody(to, message, response), answer)
      ).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError("a request could not be answered", defect),
            Effect.sync(() => response.destroy()),
          ),
        ),
      ),
    );
    response.once("close", () => {
      if (!response.writableFinished) fiber.interruptUnsafe();
    });
  };
};

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/isu;

/** Resolves an absolute target (RFC 9112 §3.2.2), whose authority replaces `Host`. */
const takeAbsolute = (message: IncomingMessage): void => {
  const [, host, path = ""] = ABSOLUTE.exec(message.url ?? "") ?? [];
  if (host === undefined) return;
  message.url = path.startsWith("/") ? path : `/${path}`;
  message.headers.host = host;
};

/** Headers that a request may carry once (RFC 9110 §5.3). Node would silently drop a second one. */
const ONCE: ReadonlySet<string> = new Set([
  "authorization",
  "content-length",
  "content-type",
  "host",
  "cookie",
]);

const repeatedHeader = ({ rawHeaders }: IncomingMessage): string | undefined => {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
};

const NO_BODY = new Uint8Array();

/** Whether a request announces no body and repeats no header, like most requests. */
const hasNoBody = (message: IncomingMessage): boolean =>
  message.headers["content-length"] === undefined &&
  message.headers["transfer-encoding"] === undefined &&
  repeatedHeader(message) === undefined;

/** Reads a body within its limit, or refuses the request and interrupts its fiber. */
const readBody = (listener: Listener, message: IncomingMessage, response: ServerResponse) =>
  Effect.callback<Uint8Array>((resume) => {
    const refuse = (status: number, body: string): void => {
      if (!response.headersSent) refuseRequest(response, status, body);
      resume(Effect.interrupt);
    };
    const repeated = repeatedHeader(message);
    if (repeated !== undefined)
      return refuse(
        400,
        refusedBody(listener, 2, `The header ${repeated} is given more than once.`),
      );
    const length = message.headers["content-length"];
    const limit = bodyLimit(message.url ?? "/");
    if (Number(length ?? 0) > limit) return refuse(413, tooLarge(listener, limit));
    const chunks: Array<Buffer> = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return refuse(413, tooLarge(listener, limit));
      chunks.push(chunk);
    });
    message.once("end", () => {
      if (size <= limit) resume(Effect.succeed(Buffer.concat(chunks)));
    });
    message.once("error", () => response.destroy());
  });

/** Refuses a request and ends its connection, because more of the request may be on its way. */
const refuseRequest = (response: ServerResponse, status: number, body: string): void => {
  response.shouldKeepAlive = false;
  // Omit the date, because the virtual time of the sandbox is not known here.
  response.sendDate = false;
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
};

const incomingOf = (
  message: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array,
): Incoming => ({
  method: message.method!,
  url: message.url!,
  // No value is a list, because only `set-cookie` can be one, and requests do not have it.
  headers: message.headers as Incoming["headers"],
  body,
  connection: {
    id: connectionIds.get(message.socket)!,
    ip: message.socket.remoteAddress ?? "",
    wire: wireOf(response),
  },
});

const wireOf = (response: ServerResponse): Wire => ({
  reset: () => response.socket?.resetAndDestroy(),
  onEnd: (ended) =>
    response.once("close", () =>
      ended({ isWhole: response.writableFinished, isAnswered: response.headersSent }),
    ),
  sendBroken: ({ headers, status }, bytes, { announced, ending, sent }) => {
    const { socket } = response;
    if (socket === null || socket.destroyed) return;
    response.strictContentLength = false;
    response.writeHead(status, { ...headers, "content-length": String(announced) });
    response.write(bytes.subarray(0, sent), () =>
      ending === "reset" ? socket.resetAndDestroy() : socket.destroySoon(),
    );
    if (sent === 0) response.flushHeaders();
  },
});

const send = (response: ServerResponse, answer: HttpServerResponse): Effect.Effect<void> => {
  const { body, headers, status } = answer;
  if (body._tag === "Stream") return sendStream(response, answer, body.stream);
  return Effect.sync(() => {
    if (response.destroyed) return;
    if (status === 204 || status === 304) return void response.writeHead(status, headers).end();
    if (body._tag !== "Uint8Array")
      return void response.writeHead(status, { ...headers, "content-length": "0" }).end();
    response.writeHead(status, headers);
    // Node sends a text and the head in one write.
    response.end(body.text ?? body.body);
  });
};

const sendStream = (
  response: ServerResponse,
  { headers, status }: HttpServerResponse,
  stream: Stream.Stream<Uint8Array, unknown>,
): Effect.Effect<void> =>
  Effect.sync(() => {
    response.writeHead(status, headers);
    response.flushHeaders();
  }).pipe(
    Effect.andThen(
      Stream.runForEach(stream, (bytes) =>
        response.write(bytes)
          ? Effect.void
          : Effect.callback<void>((resume) => {
              response.once("drain", () => resume(Effect.void));
            }),
      ),
    ),
    Effect.andThen(Effect.sync(() => void response.end())),
    Effect.orDie,
  );
