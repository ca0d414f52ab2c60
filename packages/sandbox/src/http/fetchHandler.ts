/**
 * Carries the application to the web platform: a function from `Request` to `Promise<Response>`
 * that needs no Node API. It runs in browsers, workerd, Deno, Bun and Node.
 *
 * A `Request` has lost what its constructor normalises: dot segments, backslashes, fragments, and
 * which header came twice. Faults that cut a connection are refused with 501.
 */
import type { Application } from "../Application.ts";
import { utf8 } from "../internal/encoding.ts";
import { codingOf, encodeBody } from "./contentEncoding.ts";
import type { Listener } from "./Listener.ts";
import {
  bodyLimit,
  effectOf,
  type RequestInput,
  type ResponseOutput,
  tooLarge,
  type WireEffect,
} from "./messages.ts";

type FetchHandler = (request: Request) => Promise<Response>;

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
    if (body === undefined)
      return new Response(tooLarge(limit), { status: 413, headers: { "content-type": JSON_TYPE } });
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
  const chunks: Array<Uint8Array<ArrayBuffer>> = [];
  let size = 0;
  // Not every browser iterates over a stream.
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
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
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

const JSON_TYPE = "application/json";

const perform = async (
  application: Application,
  request: RequestInput,
  output: ResponseOutput,
  signal: AbortSignal,
): Promise<Response> => {
  const end = (bytes: number, isWhole: boolean, isAnswered = true) =>
    output.onEnd?.({ bytes, isWhole, isAnswered });
  try {
    for (const effect of output.wire ?? []) {
      if (effect.kind === "delay") await pause(application, effect.milliseconds, signal);
      if (effect.kind === "hang") await pause(application, undefined, signal);
    }
  } catch (cause) {
    end(0, false, false);
    throw cause;
  }
  const { status } = output;
  if (output.stream !== undefined) return streamed(output, output.stream);
  if (status === 204 || status === 303 || request.method === "HEAD") {
    end(0, true);
    return new Response(null, { status, headers: output.headers });
  }
  const { platform } = application;
  const coding = codingOf(request, output, platform.codings);
  const { bytes, headers, length } = await encodeBody(platform, output, coding);
  end(length, effectOf(output, "gzipCut") === undefined);
  const dribble = effectOf(output, "dribble");
  const body = dribble === undefined ? bytes : pieces(application, bytes, dribble, signal);
  return new Response(body as ReadableStream, { status, headers });
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

const streamed = (
  { headers, status }: ResponseOutput,
  stream: NonNullable<ResponseOutput["stream"]>,
): Response => {
  let stop: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stop = stream((text) => controller.enqueue(utf8(text)));
    },
    cancel: () => stop?.(),
  });
  return new Response(body, { status, headers });
};
