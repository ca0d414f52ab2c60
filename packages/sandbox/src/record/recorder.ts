/**
 * `game-data-sandbox record`: a proxy in front of a deployment that writes what passes through it
 * into a folder for `--replay`, redacted.
 *
 * It sends nothing of its own and passes everything on untouched, `Retry-After` and rate headers
 * included. Only whole answers 200 to GET requests of the data API are written; anything else
 * passes through, and nothing of an OAuth exchange is ever written. Browsers are sent to the
 * deployment's own pages, which accept forms and cookies of their own address only.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { WordsTranslation } from "../data/words.ts";
import { pathOf } from "../http/messages.ts";
import { makeReader, makeWriter, manifestOf } from "./answers.ts";
import { MANIFEST } from "./Manifest.ts";
import { wordsOf } from "../internal/wordsOf.ts";

export interface RecordOptions {
  /** Address of the deployment's data API. */
  readonly upstream: string;
  /** Address of the deployment's OAuth server. Without it OAuth requests have to go there. */
  readonly authUpstream?: string | undefined;
  /** The folder to write into; it is made where it does not exist. */
  readonly folder: string;
  /** Default: any free one. */
  readonly port?: number | undefined;
  readonly words?: WordsTranslation | undefined;
  /** Whether answers are redacted. Default true; only an upstream on loopback may go without. */
  readonly isRedacted?: boolean | undefined;
  /** Told of every answer: the file, or why there is none. */
  readonly onAnswer?: (line: string) => void;
}

/** Headers that belong to one connection (RFC 9110 §7.6.1), and what fetch has undone. */
const NOT_FORWARDED = new Set(
  wordsOf(`
  connection keep-alive proxy-authorization te trailer transfer-encoding upgrade host
  content-length
`),
);

export const startRecorder = async (options: RecordOptions) => {
  const { authUpstream, folder, onAnswer = () => {}, upstream } = options;
  const write = makeWriter(folder);
  const read = makeReader(options);
  claim(folder);
  let isEmpty = true;
  const stop = new AbortController();

  const record = (url: string, answer: Response, body: Uint8Array): void => {
    const { headers, status } = answer;
    if (status !== 200 || !headers.get("content-type")?.startsWith("application/json")) return;
    const found = read(url, body);
    if (found === undefined) return;
    if ("reason" in found) return onAnswer(`left out ${found.endpoint}: ${found.reason}`);
    onAnswer(`${write(found)}: ${found.replaced} redacted`);
    isEmpty = false;
  };

  const passData: Pass = async (request, response) => {
    const { answer, body } = await pass(upstream, request, response, stop.signal);
    if (request.method === "GET") record(request.url ?? "/", answer, body);
  };

  const passOAuth =
    (base: string): Pass =>
    async (request, response) => {
      const { method = "GET", url = "/" } = request;
      // Queries and bodies contain codes and tokens, so the line names the path only.
      const name = `${method} ${pathOf(url)}`;
      if (method === "GET") {
        response.writeHead(302, { location: addressOf(base, url), "cache-control": "no-store" });
        response.end();
        return onAnswer(`${name}: sent to the deployment, not written`);
      }
      const { answer } = await pass(base, request, response, stop.signal);
      onAnswer(`${name}: ${answer.status}, not written`);
    };

  const servers: Array<Server> = [];
  const close = async (): Promise<void> => {
    // What the deployment has not answered by now is not waited for.
    stop.abort();
    await Promise.all(servers.map(closed));
    if (isEmpty) rmSync(join(folder, MANIFEST));
  };
  try {
    servers.push(await listen(passData, options.port ?? 0, onAnswer));
    if (authUpstream !== undefined)
      servers.push(await listen(passOAuth(authUpstream), 0, onAnswer));
  } catch (cause) {
    await close();
    throw cause;
  }
  const [data, auth] = servers;
  // The addresses to use instead of the deployment's.
  return { url: urlOf(data!), authUrl: auth && urlOf(auth), close };
};

/** Makes the folder one recorder's own: of two that start at once one is refused. */
const claim = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, MANIFEST), manifestOf([]), { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw new Error(`${folder} holds a recording: remove it, or name another folder`, { cause });
  }
};

/** Serves on loopback; a failure of the deployment is told, and answered 502. */
const listen = (handle: Pass, port: number, tell: (line: string) => void): Promise<Server> => {
  const server = createServer((request, response) => {
    handle(request, response).catch((cause: Error) => {
      const { message } = (cause.cause as Error | undefined) ?? cause;
      tell(`no answer of the deployment: ${message}`);
      if (response.headersSent) return response.destroy();
      // A connection that stayed open would keep a recorder from its end.
      response.writeHead(502, { "content-type": "text/plain", connection: "close" });
      return response.end("no answer upstream\n");
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
};

/** Passes a request on and its answer back. Returns the answer. */
const pass = async (
  base: string,
  request: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal,
): Promise<{ readonly answer: Response; readonly body: Uint8Array }> => {
  const url = request.url ?? "/";
  const { method = "GET" } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    NOT_FORWARDED.has(name) || value === undefined
      ? []
      : [[name, Array.isArray(value) ? value.join(", ") : value] as [string, string]],
  );
  const sent = method === "GET" || method === "HEAD" ? undefined : await wholeBody(request);
  const answer = await fetch(addressOf(base, url), {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.any([stop, goneOf(response)]),
    ...(sent !== undefined && { body: sent }),
  });
  // Whole or not at all: a body that is cut rejects here.
  const body = await wholeBody(answer.body ?? []);
  for (const [name, value] of answer.headers)
    if (!NOT_FORWARDED.has(name) && name !== "content-encoding") response.appendHeader(name, value);
  response.writeHead(answer.status, { "content-length": body.length });
  response.end(method === "HEAD" ? undefined : body);
  return { answer, body };
};

const goneOf = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
};

type Pass = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The deployment's address of a request. It may have a path of its own. */
const addressOf = (base: string, url: string): string => base.replace(/(?<!\/)\/+$/u, "") + url;

const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });

/** Bytes of a body, inflated: a deployment's page has a few megabytes. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** All of a body; fails at the limit, while it still arrives and is inflated. */
const wholeBody = async (pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
  const chunks: Array<Uint8Array> = [];
  let length = 0;
  for await (const chunk of pieces) {
    length += chunk.byteLength;
    if (length > MOST_BODY_BYTES) throw new Error(`a body has more than ${MOST_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};
