/** Reads a response: its body within a bound, and the checked value that the body holds. */
import { inflate, InflateError } from "@game-data/contract/inflate";
import { bodies } from "@game-data/contract/results";
import { responseFromWire, type Route, type RouteName, routes } from "@game-data/contract/routes";
import * as Bytes from "effect/Bytes";
import * as Effect from "effect/Effect";
import { identity } from "effect/Function";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import { describeCause } from "../Credentials.ts";
import { type GameApiError, NotFound, ResponseMalformed, TransportError } from "../Errors.ts";
import { type Call, callInfo, quote, type ResponseHead } from "./Call.ts";
import { errorDetails, errorInBody, parseJson, transportCause } from "./toError.ts";

type Response = HttpClientResponse.HttpClientResponse;

/** Response of the HTTP client. `head` omits headers that do not apply to its bytes. */
export interface Exchange {
  readonly head: ResponseHead;
  readonly response: Response;
}

/** Returns the `Response` of `fetch`, or `undefined` if another HTTP client made the response. */
const fetched = (response: Response) => Option.getOrUndefined(HttpClientResponse.toWeb(response));

/**
 * Returns the head of a response. Omits `content-encoding` and `content-length` if `fetch` has
 * decompressed the body, because they no longer apply.
 */
export const responseHead = (response: Response): ResponseHead => {
  const { status } = response;
  // The getter parses all headers on each access.
  const headers: ResponseHead["headers"] = response.headers;
  const web = fetched(response);
  // Browsers hide `content-encoding` from pages of another origin, but show `content-length`.
  if (web === undefined || (!("content-encoding" in headers) && web.type !== "cors"))
    return { status, headers };
  const { "content-encoding": _coding, "content-length": _length, ...rest } = headers;
  return { status, headers: rest };
};

/** Returns the compression of the bytes, or `identity`. */
export const bodyCoding = ({ headers }: ResponseHead): string =>
  headers["content-encoding"]?.trim().toLowerCase() || "identity";

/** Reads the whole body as text. Fails with `too-large` above `limit` bytes after decompression. */
export const readText = (
  call: Call,
  { head, response }: Exchange,
  limit: number,
): Effect.Effect<string, ResponseMalformed | TransportError> => {
  const coding = bodyCoding(head);
  const announced = Number(head.headers["content-length"]);
  return Effect.flatMap(readBytes(response, limit, announced), (bytes) => {
    if (announced >= 0 && bytes.byteLength !== announced)
      return Effect.fail(new Error(`${bytes.byteLength} of ${announced} bytes`));
    if (coding === "identity") return Effect.succeed(utf8.decode(bytes));
    return Effect.tryPromise({
      try: async () => utf8.decode(await inflate(bytes, coding, { limit })),
      catch: identity,
    });
  }).pipe(Effect.mapError((cause) => bodyError(call, limit, cause)));
};

const utf8 = new TextDecoder();

/**
 * Reads the bytes of a body. Node's parser ends a body at its announced length, so undici may read
 * it at once, which takes a third of the time (`bench/client.bench.ts`). A `fetch` of the program may
 * report a wrong length, so its bytes are counted as they arrive.
 */
const readBytes = (
  response: Response,
  limit: number,
  announced: number,
): Effect.Effect<Uint8Array, unknown> => {
  const web = fetched(response);
  if (web === undefined && announced <= limit)
    return Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer));
  const body = web === undefined ? Stream.toReadableStream(response.stream) : web.body;
  return body === null
    ? Effect.succeed(new Uint8Array())
    : readPieces(body.getReader(), announced > limit ? 0 : limit);
};

/** Reads at most `limit` bytes. Cancels a body that is longer, which closes its connection. */
const readPieces = (reader: ReadableStreamDefaultReader<Uint8Array>, limit: number) => {
  const read = async () => {
    const pieces: Array<Uint8Array> = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Bytes.concat(pieces);
      size += value.byteLength;
      if (size > limit) throw new InflateError({ reason: "too-large", detail: "" });
      pieces.push(value);
    }
  };
  return Effect.onError(Effect.tryPromise({ try: read, catch: identity }), () =>
    Effect.sync(() => void reader.cancel().catch(() => undefined)),
  );
};

/** Returns the bytes of a body. A broken connection is a `TransportError`. */
export const streamBytes = (
  call: Call,
  response: Response,
): Stream.Stream<Uint8Array, TransportError> =>
  Stream.mapError(streamOf(response), (cause) => bodyBroken(call, cause));

/**
 * Returns the bytes of a body as they arrive. `HttpClientResponse.stream` aborts its request when the
 * stream ends, and `fetch` would report that as an error, so a body of `fetch` is read directly.
 */
const streamOf = (response: Response): Stream.Stream<Uint8Array, unknown> => {
  const web = fetched(response);
  if (web === undefined) return response.stream;
  const { body } = web;
  return body === null
    ? Stream.empty
    : Stream.fromReadableStream({ evaluate: () => body, onError: identity });
};

const bodyError = (call: Call, limit: number, cause: unknown) =>
  cause instanceof InflateError && cause.reason === "too-large"
    ? new ResponseMalformed({
        ...callInfo(call),
        reason: "too-large",
        issue: `the body is larger than the ${limit} bytes allowed`,
      })
    : bodyBroken(call, cause);

const bodyBroken = (call: Call, error: unknown) => {
  const cause = transportCause(error);
  const detail = quote(call, describeCause(cause));
  return new TransportError({ ...callInfo(call), reason: "body", detail, cause });
};

/** Converts responses with an accepted status to values. */
export interface Decoder {
  readonly accepts: (status: number) => boolean;
  readonly decode: (
    call: Call,
    text: string,
    status: number,
  ) => Effect.Effect<unknown, GameApiError>;
}

/**
 * Returns whether a status is a result of the operation. This includes 404 if the operation may
 * return null (§7).
 */
export const accepts =
  (operation: RouteName) =>
  (status: number): boolean =>
    isSuccess(status) || (status === 404 && (routes[operation] as Route).isNullable === true);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Makes the decoder of an operation. `pick` extracts the result from the checked body. */
export const operationDecoder = (
  operation: RouteName,
  pick: (body: any, status: number) => unknown,
): Decoder => {
  const { results }: Route = routes[operation];
  return {
    accepts: accepts(operation),
    decode: (call, text, status) => {
      const json = parseJson(text);
      const result = results[status] ?? results[200] ?? "";
      // A 404 whose body has the documented shape, often null, is a result. Any other is an error.
      if (status === 404 && findProblem(result, json) !== undefined) {
        call.details = errorDetails(call, json);
        return Effect.fail(new NotFound(callInfo(call)));
      }
      if (json === undefined) return Effect.fail(notJson(call, text));
      const value = responseFromWire(operation, json, call.settings.words);
      const issue = findProblem(result, value);
      if (issue === undefined) return Effect.succeed(pick(value, status));
      return Effect.fail(
        errorInBody(call, json) ??
          new ResponseMalformed({ ...callInfo(call), reason: "shape", issue }),
      );
    },
  };
};

/** Decodes any JSON, for paths that the specification does not list. */
export const anyJson: Decoder = {
  accepts: isSuccess,
  decode: (call, text, status) => {
    if (text === "" && status === 204) return Effect.succeed(null);
    const json = parseJson(text);
    const error = json === undefined ? notJson(call, text) : errorInBody(call, json);
    return error === undefined ? Effect.succeed(json) : Effect.fail(error);
  },
};

const findProblem = (result: string, body: unknown): string | undefined => {
  const checked = bodies[result as keyof typeof bodies].safeDecode(body, { issues: 1 });
  return checked.ok ? undefined : checked.error.message;
};

const MAX_START_LENGTH = 40;

/** Treats an incomplete document as a broken connection, because a retry may fix it. */
const notJson = (call: Call, text: string): GameApiError => {
  if (/^\s*(?:[{[]|$)/u.test(text)) {
    const detail = `no whole document in ${text.length} characters`;
    return new TransportError({ ...callInfo(call), reason: "body", detail });
  }
  const issue = `not JSON: "${quote(call, text, MAX_START_LENGTH)}"`;
  return new ResponseMalformed({ ...callInfo(call), reason: "not-json", issue });
};
