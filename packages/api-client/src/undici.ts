/**
 * A transport over undici, the fastest on Node. `undici` is an optional peer dependency.
 *
 * @example
 * ```ts
 * import { undiciTransport } from "@game-data/api-client/undici";
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport: undiciTransport(),
 * });
 * await api.close();
 * ```
 */
import { acceptedCoding, inflate, InflateError } from "@game-data/contract/inflate";
import { type Dispatcher, getGlobalDispatcher } from "undici";
import { unanswered, type IncomingResponse, type Transport } from "./Transport.ts";

/** Sends requests through a dispatcher; by default through undici's global one. */
export const undiciTransport =
  (dispatcher: Dispatcher = getGlobalDispatcher()): Transport =>
  ({ method, url, headers, body }, settle) => {
    const pathAt = url.indexOf("/", "https://".length);
    const exchange = new Exchange(settle);
    dispatcher.dispatch(
      {
        origin: url.slice(0, pathAt),
        path: url.slice(pathAt),
        method: method as "GET",
        headers: headers as Record<string, string>,
        body: body ?? null,
        // The client has timeouts of its own.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
    return exchange.abort;
  };

const decoder = /*#__PURE__*/ new TextDecoder();

/** Bytes that are kept for a slow reader before the connection is paused. */
const MAX_BUFFERED_BYTES = 131_072;

/** One request and its response: a handler of undici's, without a Node stream in between. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly settle: Parameters<Transport>[1];
  private readonly chunks: Array<Buffer> = [];
  private controller: Dispatcher.DispatchController | undefined;
  private buffered = 0;
  private limit: number | undefined;
  private isAborted = false;
  private hasResponse = false;
  private ended: { readonly error?: unknown } | undefined;
  private wake: (() => void) | undefined;

  constructor(settle: Parameters<Transport>[1]) {
    this.settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isAborted) controller.abort(new Error("aborted"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | Array<string> | undefined>,
  ): void {
    if (status < 200) return;
    this.hasResponse = true;
    const flat = headers as Record<string, string | undefined>;
    for (const name in headers) {
      const value = headers[name];
      if (Array.isArray(value)) flat[name] = value.join(", ");
    }
    const encoding = flat["content-encoding"]?.trim().toLowerCase() || "identity";
    const response: IncomingResponse = {
      status,
      headers: flat,
      encoding,
      read: () => this.read(),
      text: (limit) => this.text(encoding, limit),
      abort: this.abort,
    };
    this.settle(response);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.buffered += chunk.byteLength;
    if (this.limit !== undefined) {
      if (this.buffered <= this.limit) return;
      const error = new InflateError({
        reason: "too-large",
        detail: `more than ${this.limit} bytes`,
      });
      this.end({ error });
      controller.abort(error);
      return;
    }
    if (this.buffered > MAX_BUFFERED_BYTES) controller.pause();
    this.wake?.();
  }

  onResponseEnd(): void {
    this.end({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end({ error });
    if (this.hasResponse) return;
    this.settle(unanswered(error));
  }

  readonly abort = (): void => {
    if (this.ended || this.isAborted) return;
    this.isAborted = true;
    this.controller?.abort(new Error("aborted"));
  };

  private end(ended: { readonly error?: unknown }): void {
    this.ended ??= ended;
    this.wake?.();
  }

  private wait(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = () => {
        this.wake = undefined;
        resolve();
      };
    });
  }

  private async read(): Promise<Uint8Array | undefined> {
    while (this.chunks.length === 0 && this.ended === undefined) {
      this.controller?.resume();
      await this.wait();
    }
    const chunk = this.chunks.shift();
    if (chunk === undefined && this.ended?.error !== undefined) throw this.ended.error;
    this.buffered -= chunk?.byteLength ?? 0;
    return chunk;
  }

  /** Undici itself compares the length with the announced one. */
  private async text(encoding: string, limit: number): Promise<string> {
    const coding = acceptedCoding(encoding);
    this.limit = limit;
    if (this.ended === undefined) {
      this.controller?.resume();
      await this.wait();
    }
    if (this.ended?.error !== undefined) throw this.ended.error;
    const [first] = this.chunks;
    const whole = this.chunks.length === 1 && first ? first : Buffer.concat(this.chunks);
    if (coding !== "identity") return decoder.decode(await inflate(whole, coding, { limit }));
    if (whole.byteLength > limit)
      throw new InflateError({ reason: "too-large", detail: `more than ${limit} bytes` });
    const text = whole.toString("utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}
