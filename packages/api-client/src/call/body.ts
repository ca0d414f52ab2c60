/** Reads a response body within a bound: the whole body as text, or its bytes as they arrive. */
import { inflate, InflateError } from "@game-data/contract/inflate";
import * as Bytes from "effect/Bytes";
import * as Effect from "effect/Effect";
import { identity } from "effect/Function";
import * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import * as Stream from "effect/Stream";
import { type CallInfo, ResponseMalformed, TransportError } from "../Errors.ts";
import type { Headers } from "./Call.ts";

type Response = HttpClientResponse.HttpClientResponse;

const isFetched = (response: Response) => HttpClientResponse.toWeb(response)._tag === "Some";

/**
 * Returns the headers that are true of the response's bytes: fetch has undone the compression that
 * `content-encoding` names, other clients have not.
 */
export const bodyHeaders = (response: Response): Headers => {
  // The getter parses all headers each time.
  const headers: Headers = response.headers;
  if (headers["content-encoding"] === undefined || !isFetched(response)) return headers;
  const { "content-encoding": _coding, "content-length": _length, ...rest } = headers;
  return rest;
};

/** Returns the compression that is still on the bytes. */
export const bodyCoding = (headers: Headers): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads the whole body as text and makes at most `limit` bytes of it. */
export const readText = (
  response: Response,
  headers: Headers,
  limit: number,
  facts: CallInfo,
): Effect.Effect<string, ResponseMalformed | TransportError> => {
  const coding = bodyCoding(headers);
  const announced = Number(headers["content-length"] ?? Number.NaN);
  return readBytes(response, limit, announced).pipe(
    Effect.flatMap((bytes) =>
      coding === "identity"
        ? Effect.succeed(bytes)
        : Effect.tryPromise({ try: () => inflate(bytes, coding, { limit }), catch: identity }),
    ),
    Effect.map((bytes) => utf8.decode(bytes)),
    Effect.mapError((cause) => bodyError(facts, limit, cause)),
  );
};

const utf8 = new TextDecoder();

/**
 * Reads the bytes of a body. Node's parser ends a body at its announced length, so undici may read
 * it at once, which takes a third of the time (`bench/client.bench.ts`). A `fetch` of the program may
 * report a wrong length, so its bytes are counted as they arrive.
 */
const readBytes = (response: Response, limit: number, announced: number) => {
  const bytes: Effect.Effect<Uint8Array, unknown> =
    announced <= limit && !isFetched(response)
      ? Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
      : readPieces(response, announced > limit ? 0 : limit);
  return Effect.flatMap(bytes, (body) =>
    announced >= 0 && body.byteLength !== announced
      ? Effect.fail(new Error(`${body.byteLength} of ${announced} bytes`))
      : Effect.succeed(body),
  );
};

/** Reads a stream up to a limit; a stream that is left early closes its connection. */
const readPieces = (response: Response, limit: number) => {
  const pieces: Array<Uint8Array> = [];
  let size = 0;
  const reading = Stream.runForEachArray(streamOf(response), (chunk) => {
    for (const piece of chunk) size += piece.byteLength;
    pieces.push(...chunk);
    return size > limit
      ? Effect.fail(new InflateError({ reason: "too-large", detail: "" }))
      : Effect.void;
  });
  return Effect.map(reading, () => Bytes.concat(pieces));
};

/** Returns the bytes of a body. The stream of a fetched `HttpClientResponse` would end in an abort. */
const streamOf = (response: Response): Stream.Stream<Uint8Array, unknown> => {
  const web = HttpClientResponse.toWeb(response);
  if (web._tag === "None") return response.stream;
  const { body } = web.value;
  return body === null
    ? Stream.empty
    : Stream.fromReadableStream({ evaluate: () => body, onError: identity });
};

/** The bytes of a body as they arrive. */
export const streamBytes = (
  response: Response,
  facts: CallInfo,
): Stream.Stream<Uint8Array, TransportError> =>
  Stream.mapError(streamOf(response), (cause) => bodyBroken(facts, cause));

const bodyError = (facts: CallInfo, limit: number, cause: unknown) =>
  cause instanceof InflateError && cause.reason === "too-large"
    ? new ResponseMalformed({
        ...facts,
        reason: "too-large",
        issue: `the body is larger than the ${limit} bytes allowed`,
      })
    : bodyBroken(facts, cause);

const bodyBroken = (facts: CallInfo, error: unknown) => {
  const cause = transportCause(error);
  return new TransportError({ ...facts, reason: "body", detail: describeCause(cause), cause });
};

/** Returns the cause of an `HttpClientError`, which itself holds the request with its token. */
export const transportCause = (error: unknown): unknown => {
  if (!HttpClientError.isHttpClientError(error)) return error;
  const { reason } = error;
  return ("cause" in reason && reason.cause) || new Error(reason._tag);
};

/** Describes a failure without a header or a URL. */
export const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "the connection broke";
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const { code } = inner as { readonly code?: unknown };
  return typeof code === "string" && !inner.message.includes(code)
    ? `${code}: ${inner.message}`
    : inner.message;
};
