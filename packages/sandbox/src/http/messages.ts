/**
 * Requests and responses as the sandbox's core sees them: plain values, without I/O.
 *
 * An adapter (`nodeListener`, `fetchHandler`) reads a request into a `RequestInput` and performs a
 * `ResponseOutput`, what must wait included: delays, slow bodies, compression.
 */
import type { Listener } from "./Listener.ts";

export interface RequestInput {
  readonly method: string;
  /** Path and query, raw, as on the wire. */
  readonly url: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
  /** Address of the peer. */
  readonly ip: string;
  /** Names the connection, for the journal. */
  readonly connection: string;
  /**
   * The person who answers an authorization request at once, in the place of a browser. The control
   * plane sets it; no adapter does, so nothing from outside can.
   */
  readonly actor?: Actor | undefined;
  /** Whether the adapter can cut the connection, as some faults ask. */
  readonly hasSocket: boolean;
  readonly listener: Listener;
}

interface Actor {
  /** UUID of the account. */
  readonly sub: string;
  /** Refuses instead. */
  readonly deny: boolean;
}

/** Names of headers are in lower case. */
export type Headers = Readonly<Record<string, string>>;

export interface ResponseOutput {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
  readonly mayCompress?: boolean;
  /** Names a body that never changes, so that an adapter can keep it compressed. */
  readonly cacheKey?: string;
  /** Effects that the adapter applies to the bytes, in order. */
  readonly wire?: ReadonlyArray<WireEffect>;
  /** Takes the place of the body: pushes pieces of text until it is stopped. */
  readonly stream?: (send: (text: string) => void) => () => void;
  /** Takes the place of the whole response once it is there. */
  readonly deferred?: Promise<ResponseOutput>;
  /** Told by the adapter once the response has ended. */
  readonly onEnd?: (end: ResponseEnd) => void;
}

interface ResponseEnd {
  /** Bytes of the body that were sent. */
  readonly bytes: number;
  /** Whether the client was sent all of it. */
  readonly isWhole: boolean;
  /** Whether anything was sent. */
  readonly isAnswered: boolean;
}

/** An effect that an adapter applies to a response while sending it. */
export type WireEffect =
  | { readonly kind: "delay"; readonly milliseconds: number }
  | { readonly kind: "dribble"; readonly bytes: number; readonly everyMilliseconds: number }
  | {
      readonly kind: "truncate";
      readonly atByte: number;
      readonly ending: "close" | "reset";
    }
  | { readonly kind: "contentLength"; readonly differsBy: number }
  | { readonly kind: "gzipCut"; readonly fraction: number }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" };

export const effectOf = <K extends WireEffect["kind"]>(
  { wire = [] }: ResponseOutput,
  kind: K,
): Extract<WireEffect, { readonly kind: K }> | undefined =>
  wire.find((effect): effect is Extract<WireEffect, { readonly kind: K }> => effect.kind === kind);

/** Whether a response is none: the connection is cut or never answered. */
export const isUnanswered = ({ wire = [] }: ResponseOutput): boolean =>
  wire.some(({ kind }) => kind === "reset" || kind === "hang");

export const empty = (status: number, headers: Headers = {}): ResponseOutput => ({
  status,
  headers,
  body: "",
});

export const json = (value: unknown, status = 200, headers: Headers = {}): ResponseOutput => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

export const plain = (text: string, status = 200): ResponseOutput => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: text,
});

export const withHeaders = (response: ResponseOutput, headers: Headers): ResponseOutput => ({
  ...response,
  headers: { ...response.headers, ...headers },
});

/** The query of a URL as text, without the question mark. */
export const queryOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
};

export const pathOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
};

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** The largest body in bytes: forms 64 kB, filters and control 1 MB, snapshots 64 MB. */
export const bodyLimit = (url: string): number => {
  const path = pathOf(url);
  if (path === "/control/restore") return 64 * MEGABYTE;
  if (path.startsWith("/control/") || path.startsWith("/item-filter")) return MEGABYTE;
  return 64 * KILOBYTE;
};

/** The answer to a body over the limit, in the words of every listener. */
export const tooLarge = (limit: number): string =>
  refusedBody(10, `The body is too large: at most ${limit} bytes are read.`);

/** What an adapter refuses by itself, as the control plane and as the data API say it. */
export const refusedBody = (code: number, message: string): string =>
  JSON.stringify({ reason: message, error: { code, message } });
