/**
 * Carries the application to the web platform: a function from `Request` to `Promise<Response>`
 * that needs no Node API. It runs in browsers, workerd, Deno, Bun and Node.
 *
 * A `Request` has lost what its constructor normalises: dot segments, backslashes, fragments, and
 * which header came twice. Faults that cut a connection are refused with 501.
 */
import type { Application } from "../Application.ts";
import { pages } from "../internal/PageCache.ts";
import { bodyLimit, tooLarge } from "./bodyLimits.ts";
import { contentEncoding, LEAST_BYTES } from "./contentEncoding.ts";
import type { Listener } from "./Listener.ts";
import type { RequestInput, ResponseOutput, WireEffect } from "./messages.ts";

/** Answers a request to one of the sandbox's addresses. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** The handler of an application; the origin of a request names its listener. */
export const fetchHandler = (application: Application): FetchHandler => {
  const { authUrl, baseUrl, controlUrl } = application.config;
  const origins = new Map<string, Listener>([
    [new URL(controlUrl).origin, "control"],
    [new URL(baseUrl).origin, "data"],
    [new URL(authUrl).origin, "auth"],
  ]);
  return async (request) => {
    const { origin, pathname, search } = new URL(request.url);
    const listener = origins.get(origin);
    if (listener === undefined) throw new TypeError("this sandbox does not answer at that address");
    await application.ready(listener);
    const limit = bodyLimit(pathname);
    const body = await readBody(request, limit);
    if (body === undefined) {
      const message = tooLarge(limit);
      return Response.json({ reason: message, error: { code: 10, message } }, { status: 413 });
    }
    const input: RequestInput = {
      method: request.method,
      url: `${pathname}${search}`,
      header: (name) => request.headers.get(name) ?? undefined,
      body,
      ip: "127.0.0.1",
      connection: "in process",
      hasSocket: false,
      listener,
    };
    const output = application.handle(input);
    return perform(application, input, (await output.deferred) ?? output, request.signal);
  };
};

/** Reads a body, counting its bytes as they come; undefined above the limit. */
const readBody = async (request: Request, limit: number): Promise<Uint8Array | undefined> => {
  if (request.body === null) return new Uint8Array();
  if (Number(request.headers.get("content-length") ?? 0) > limit) return undefined;
  const reader = request.body.getReader();
  const chunks: Array<Uint8Array> = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};

const encoder = new TextEncoder();

const perform = async (
  application: Application,
  request: RequestInput,
  output: ResponseOutput,
  signal: AbortSignal,
): Promise<Response> => {
  const { platform } = application;
  const { onEnd, wire = [] } = output;
  const over = (bytes: number, isWhole: boolean, isAnswered = true) =>
    onEnd?.({ bytes, isWhole, isAnswered });
  for (const effect of wire) {
    if (effect.kind !== "delay" && effect.kind !== "hang") continue;
    try {
      await pause(application, effect.kind === "delay" ? effect.milliseconds : undefined, signal);
    } catch (cause) {
      over(0, false, false);
      throw cause;
    }
  }
  const headers = new Headers(output.headers);
  if (output.stream !== undefined) return streamed(output, headers);
  if (output.status === 204 || output.status === 303 || request.method === "HEAD") {
    over(0, true);
    return new Response(null, { status: output.status, headers });
  }
  let bytes = typeof output.body === "string" ? encoder.encode(output.body) : output.body;
  const length = bytes.length;
  const cut = wire.find((effect) => effect.kind === "gzipCut");
  const coding =
    cut !== undefined
      ? "gzip"
      : output.mayCompress === true && length >= LEAST_BYTES
        ? contentEncoding(request.header("accept-encoding"), platform.codings)
        : "identity";
  if (coding !== "identity") {
    const plain = bytes;
    const pack = () => platform.compress(plain, coding);
    const { cacheKey } = output;
    bytes = await (cacheKey === undefined ? pack() : pages.coded(cacheKey, coding, pack));
    headers.set("content-encoding", coding);
  }
  if (cut?.kind === "gzipCut")
    bytes = bytes.subarray(0, Math.min(bytes.length - 1, Math.floor(bytes.length * cut.fraction)));
  over(length, cut === undefined);
  const dribble = wire.find((effect) => effect.kind === "dribble");
  const body = dribble?.kind === "dribble" ? pieces(application, bytes, dribble, signal) : bytes;
  return new Response(body as ReadableStream, { status: output.status, headers });
};

/** Waits so long, or for ever; rejects when the client gives up. */
const pause = async (
  { parts: { sleep = timer } }: Application,
  milliseconds: number | undefined,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    await (milliseconds === undefined ? aborted : Promise.race([sleep(milliseconds), aborted]));
  } finally {
    signal.removeEventListener("abort", abort!);
  }
};

const timer = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

const pieces = (
  application: Application,
  bytes: Uint8Array,
  { bytes: size, everyMilliseconds }: Extract<WireEffect, { readonly kind: "dribble" }>,
  signal: AbortSignal,
) => {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (at >= bytes.length) return controller.close();
      await pause(application, everyMilliseconds, signal);
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
};

const streamed = ({ status, stream }: ResponseOutput, headers: Headers): Response => {
  let stop: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stop = stream!((text) => controller.enqueue(encoder.encode(text)));
    },
    cancel: () => stop?.(),
  });
  return new Response(body, { status, headers });
};
