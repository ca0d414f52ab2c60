/**
 * The seam between the client and HTTP: one function that sends a request.
 *
 * The client brings transports for `fetch` and for Effect's `HttpClient`; undici has an entry of
 * its own, `@game-data/api-client/undici`. Write one yourself for tests or for another HTTP
 * library.
 */
import { helpOf } from "@game-data/contract/failure";
import * as Data from "effect/Data";

/** A request as it is sent. */
export interface OutgoingRequest {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** Names in lower case. They hold the access token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A response whose headers have arrived. */
export interface IncomingResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The remaining compression of the body: `identity`, `gzip`, … */
  readonly encoding: string;
  /** The next bytes of the body; `undefined` at its end. Rejects if the connection breaks. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /**
   * The rest of the body as text, decompressed, where the transport has a faster way than `read`
   * and verifies the announced length itself. Beyond `limit` bytes it rejects with an
   * `InflateError` of `@game-data/contract/inflate`.
   */
  readonly text?: ((limit: number) => Promise<string>) | undefined;
  /** Releases the connection; harmless after the end of the body. */
  readonly abort: () => void;
}

/**
 * The request got no response. A call fails with `TransportError` instead, which has it as cause.
 *
 * What to do: only a transport of your own makes it; say with `sent` whether the request left.
 */
export class SendError
  extends /*#__PURE__*/ Data.TaggedError("SendError")<{
    /** `request`: the request cannot be expressed; `connect`: it was sent and got no response. */
    readonly kind: "request" | "connect";
    readonly detail: string;
    readonly cause?: unknown;
  }>
{
  override get message(): string {
    return this.detail;
  }
  /** The address of the error's page. */
  get help(): string {
    return helpOf(this._tag);
  }
  /** The fields without `cause`, which may hold headers. */
  override toJSON(): object {
    const { _tag, detail, help, kind, message } = this;
    return { _tag, kind, detail, message, help };
  }
}

/**
 * Sends a request without following redirects, and calls `settle` once: with the response as soon
 * as its headers have arrived, or with the error. Returns a function that aborts the request.
 */
export type Transport = (
  request: OutgoingRequest,
  settle: (result: IncomingResponse | SendError) => void,
) => () => void;

/** The error of a request whose transport failed. */
export const unanswered = (cause: unknown, otherwise?: string): SendError =>
  new SendError({ kind: "connect", detail: describeCause(cause, otherwise), cause });

/** What a transport settled with instead of a response; `undefined`: it is one. */
export const settledError = (result: IncomingResponse | SendError): SendError | undefined => {
  if (result instanceof SendError) return result;
  try {
    const { headers, read, status } = Object(result) as IncomingResponse;
    return Number.isSafeInteger(status) && typeof read === "function" && Object(headers) === headers
      ? undefined
      : unanswered(result, "the transport gave no response");
  } catch (cause) {
    return unanswered(cause);
  }
};

/** Text about a failure that holds no header and no URL; `otherwise` for one that is no error. */
export const describeCause = (cause: unknown, otherwise = "the connection broke"): string => {
  if (!(cause instanceof Error)) return otherwise;
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const { code } = inner as { readonly code?: unknown };
  return typeof code === "string" && !inner.message.includes(code)
    ? `${code}: ${inner.message}`
    : inner.message;
};
