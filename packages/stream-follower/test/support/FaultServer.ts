/**
 * A server of the streams that misbehaves on demand, on real loopback HTTP.
 *
 * It answers from an `answer` function (by default: a made-up history by id) and bends the answer
 * with the fault that `fault` names for the request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { bodyOf, type MadePage } from "./History.ts";

export interface Seen {
  readonly index: number;
  readonly id: string | undefined;
  readonly source: "stashes" | "exchange";
  readonly realm: string;
  readonly at: number;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
}

export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "wrongLength" }
  | { readonly kind: "corruptGzip" }
  | { readonly kind: "malformed"; readonly keepHead: boolean }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" }
  | { readonly kind: "stallAfter"; readonly at: number }
  | { readonly kind: "delay"; readonly millis: number }
  | { readonly kind: "replace"; readonly answer: Answer };

export interface ServerOptions {
  readonly answer: (seen: Seen) => Answer;
  readonly fault?: (seen: Seen) => Fault | undefined;
  /** Time before the first byte. */
  readonly latencyMillis?: number;
}

export interface FaultServer {
  readonly url: string;
  readonly seen: Array<Seen>;
  readonly close: () => Promise<void>;
}

export const startFaultServer = async (options: ServerOptions): Promise<FaultServer> => {
  const seen: Array<Seen> = [];
  const server = createServer((request, response) => {
    const one = read(request, seen.length);
    seen.push(one);
    serve(options, one, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const read = (request: IncomingMessage, index: number): Seen => {
  const url = new URL(request.url ?? "/", "http://server.invalid");
  const [, first, second, third] = url.pathname.split("/");
  const exchange = first === "currency-exchange";
  const isRealm = second !== undefined && !/^\d+$/.test(second);
  const hour = isRealm ? third : second;
  return {
    index,
    source: exchange ? "exchange" : "stashes",
    realm: isRealm ? second : "pc",
    id: (exchange ? hour : url.searchParams.get("id")) ?? undefined,
    at: performance.now(),
  };
};

const serve = async (options: ServerOptions, seen: Seen, response: ServerResponse) => {
  const fault = options.fault?.(seen);
  const answer = fault?.kind === "replace" ? fault.answer : options.answer(seen);
  if (fault?.kind === "hang") return;
  if (fault?.kind === "reset") {
    response.destroy();
    return;
  }
  if (fault?.kind === "delay") await sleep(fault.millis);
  if (options.latencyMillis !== undefined) await sleep(options.latencyMillis);
  if (fault?.kind === "status") {
    response.writeHead(fault.status, fault.headers).end("{}");
    return;
  }
  const { bytes, headers, status } = responseOf(answer, fault);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  await send(fault, bytes, response);
};

/** An answer as bytes and headers, with the fault that lies in them. */
export const responseOf = (answer: Answer, fault: Fault | undefined, isZipped = true) => {
  const plain = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const text = fault?.kind === "malformed" ? spoil(plain, fault.keepHead) : answer.body;
  const gzip = isZipped && answer.headers?.["content-encoding"] === undefined;
  const bytes = Uint8Array.from(gzip ? gzipSync(text) : Buffer.from(text as string));
  if (fault?.kind === "corruptGzip") bytes[bytes.length - 6]! ^= 0xff;
  const length = fault?.kind === "wrongLength" ? bytes.length + 10 : bytes.length;
  return {
    status: answer.status ?? 200,
    headers: {
      "content-length": String(length),
      ...(gzip ? { "content-encoding": "gzip" } : {}),
      ...answer.headers,
    },
    bytes,
  };
};

const send = async (fault: Fault | undefined, bytes: Uint8Array, response: ServerResponse) => {
  const at = fault?.kind === "cut" || fault?.kind === "stallAfter" ? fault.at : 1;
  if (at === 1 && fault?.kind !== "wrongLength") return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length * at)));
  if (fault?.kind === "stallAfter") return;
  await sleep(5);
  response.destroy();
};

const spoil = (body: Uint8Array, keepHead: boolean): Uint8Array => {
  const half = body.subarray(0, Math.max(1, Math.floor(body.length * 0.6)));
  return keepHead ? Buffer.from(half) : Buffer.from(`<html>${body.length}</html>`);
};

/** Answers a history by id; `visible` is how many of its pages exist yet. */
export const answerHistory =
  (pages: ReadonlyArray<MadePage>, visible: () => number = () => pages.length) =>
  (seen: Seen): Answer => {
    const index = seen.id === undefined ? 0 : pages.findIndex((page) => page.id === seen.id);
    const page = pages[index];
    if (page !== undefined && index < visible()) return { body: bodyOf(page) };
    const end = pages.at(-1)?.nextId;
    if (page === undefined && seen.id !== end) return { status: 404, body: '{"error":{"code":1}}' };
    return { body: JSON.stringify({ next_change_id: seen.id ?? pages[0]?.id, stashes: [] }) };
  };
