/**
 * The one form of every refusal, and the requests that end in Node before any route: what its parser
 * cannot read, expectations and tunnels.
 */
import { Effect } from "effect";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Headers of every answer that does not have stricter ones. */
const HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "same-origin" };

/** Headers that every answer of a status has. */
export const headersOf = (status: number): Readonly<Record<string, string>> => ({
  ...HEADERS,
  ...(status === 413 && { connection: "close" }),
  ...((status === 429 || status === 503) && { "retry-after": "1" }),
});

export const PROBLEM = "application/problem+json";

export const problemOf = (status: number) => ({
  type: "about:blank",
  title: STATUS_CODES[status],
  status,
});

/** Refuses a request for which there are no routes yet. */
export const refuseEarly = (_: IncomingMessage, response: ServerResponse): void =>
  void response
    .writeHead(503, { ...headersOf(503), "content-type": PROBLEM })
    .end(JSON.stringify(problemOf(503)));

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what no route ever sees, and counts it as every other request of the address. */
export const refuseUnread = (
  server: Server,
  admit: (address: string | undefined) => Effect.Effect<boolean>,
): void => {
  const last = new WeakMap<Duplex, ServerResponse>();
  const refuse = (socket: Duplex & { readonly remoteAddress?: string }, status: number) =>
    Effect.runFork(
      Effect.map(admit(socket.remoteAddress), (isAdmitted) => {
        const response = last.get(socket);
        const isAnswering = response?.headersSent === true && !response.writableFinished;
        if (isAnswering || !socket.writable) socket.destroy();
        else socket.end(textOf(isAdmitted ? status : 429), () => socket.destroy());
      }),
    );
  server.on("request", ({ socket }, response) => last.set(socket, response));
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket) =>
    code.startsWith("HPE_") || code.startsWith("ERR_")
      ? refuse(socket, STATUSES[code] ?? 400)
      : socket.destroy(),
  );
  server.on("connect", (_, socket) =>
    refuse(
      socket.on("error", () => undefined),
      400,
    ),
  );
  // A route's guard refuses it.
  server.on("checkExpectation", (...exchange) => server.emit("request", ...exchange));
};

const textOf = (status: number): string => {
  const body = JSON.stringify(problemOf(status));
  const headers = { ...headersOf(status), connection: "close", "content-type": PROBLEM };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  return `${first}${lines.join("")}content-length: ${body.length}\r\n\r\n${body}`;
};
