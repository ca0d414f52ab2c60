/** Reads a response body within a bound: the whole body as text, or its bytes as they arrive. */
import { acceptedCoding, inflate, InflateError } from "@game-data/contract/inflate";
import * as Effect from "effect/Effect";
import { identity } from "effect/Function";
import * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import * as Stream from "effect/Stream";
import { type CallInfo, ResponseMalformed, TransportError } from "../Errors.ts";
import type { Headers } from "./Call.ts";

type Response = HttpClientResponse.HttpClientResponse;

/**
 * Returns the headers that are true of the response's bytes: fetch has undone the compression that
 * `content-encoding` names, other clients have not.
 */
export const bodyHeaders = (response: Response): Headers => {
  // The getter parses all headers each time.
  const headers: Headers = response.headers;
  if (headers["content-encoding"] === undefined) return headers;
  if (HttpClientResponse.toWeb(response)._tag === "None") return headers;
  const { "content-encoding": _coding, "content-length": _length, ...rest } = headers;
  return rest;
};

/** Returns the compression that is still on the bytes. */
export const bodyCoding = (headers: Headers): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads the whole body as text and makes at most `limit` bytes of it. */
export const readText = Effect.fnUntraced(function* (
  response: Response,
  headers: Headers,
  limit: number,
  facts: CallInfo,
): Effect.fn.Return<string, ResponseMalformed | TransportError> {
  const coding = bodyCoding(headers);
  const announced = Number(headers["content-length"] ?? Number.NaN);
  if (announced > limit) {
    yield* dropBody(response);
    return yield* tooLarge(facts, limit);
  }
  const bytes = yield* Effect.mapError(readBytes(response, limit, announced), (cause) =>
    bodyError(facts, limit, cause),
  );
  if (coding === "identity") return decodeUtf8(bytes);
  return yield* Effect.tryPromise({
    try: () => inflate(bytes, acceptedCoding(coding), { limit }).then(decodeUtf8),
    catch: (cause) => bodyError(facts, limit, cause),
  });
});

const utf8 = new TextDecoder();
const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Ends the connection of a body that is not read: a stream that is left early closes it. */
const dropBody = (response: Response) => Effect.ignore(Stream.runHead(response.stream));

/**
 * Reads the bytes of a body. Node's parser ends a body at its announced length, so undici may read
 * it at once, which takes a third of the time (`bench/client.bench.ts`). A `fetch` of the program may
 * report a wrong length, so its bytes are counted as they arrive.
 */
const readBytes = (response: Response, limit: number, announced: number) => {
  const web = HttpClientResponse.toWeb(response);
  const bytes =
    web._tag === "Some"
      ? readStream(web.value.body ?? new Blob([]).stream(), limit)
      : announced <= limit
        ? Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
        : Effect.flatMap(Stream.toReadableStreamEffect(response.stream), (stream) =>
            readStream(stream, limit),
          );
  return Effect.flatMap(bytes, (body) =>
    announced >= 0 && body.byteLength !== announced
      ? Effect.fail(new Error(`${body.byteLength} of ${announced} bytes`))
      : Effect.succeed(body),
  );
};

/** Reads a stream up to a limit; a stream that is left early is cancelled with its connection. */
const readStream = (stream: ReadableStream<Uint8Array>, limit: number) => {
  const reader = stream.getReader();
  const readAll = async () => {
    const chunks: Array<Uint8Array> = [];
    let size = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      size += next.value.byteLength;
      if (size > limit) throw new InflateError({ reason: "too-large", detail: "" });
    }
    return chunks.length === 1 ? chunks[0]! : concat(chunks, size);
  };
  return Effect.tryPromise({ try: readAll, catch: identity }).pipe(
    Effect.onError(() => Effect.promise(() => reader.cancel().catch(() => undefined))),
  );
};

const concat = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
};

/** The bytes of a body as they arrive. */
export const streamBytes = (
  response: Response,
  facts: CallInfo,
): Stream.Stream<Uint8Array, TransportError> =>
  Stream.mapError(response.stream, (cause) => bodyBroken(facts, cause));

const bodyError = (facts: CallInfo, limit: number, cause: unknown) =>
  cause instanceof InflateError && cause.reason === "too-large"
    ? tooLarge(facts, limit)
    : bodyBroken(facts, cause);

const bodyBroken = (facts: CallInfo, error: unknown) => {
  const cause = transportCause(error);
  return new TransportError({ ...facts, reason: "body", detail: describeCause(cause), cause });
};

const tooLarge = (facts: CallInfo, limit: number) =>
  new ResponseMalformed({
    ...facts,
    reason: "too-large",
    issue: `the body is larger than the ${limit} bytes allowed`,
  });

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
