/**
 * The bytes of an answer as text: inflated, bounded, and told apart from half an answer.
 */
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import type { HttpClientError } from "effect/http/HttpClientError";

/** The body did not arrive whole. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly detail: string }> {}

/** An answer with its headers read once: transports build them anew at every look. */
export interface Received {
  readonly response: HttpClientResponse.HttpClientResponse;
  /** Without those that lie once the transport has unpacked the body. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * How the bytes that the transport hands out are still packed. Fetch has unpacked them already,
   * undici has not.
   */
  readonly encoding: string;
}

/** Looks at an answer's headers. */
export const received = (response: HttpClientResponse.HttpClientResponse): Received => {
  const headers: Readonly<Record<string, string | undefined>> = response.headers;
  const encoding = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  if (encoding === "identity" || HttpClientResponse.toWeb(response)._tag === "None") {
    return { response, headers, encoding };
  }
  const { "content-encoding": _, "content-length": __, ...rest } = headers;
  return { response, headers: rest, encoding: "identity" };
};

/** The whole body as text; a connection whose body is not wanted to its end is let go. */
export const readText = (
  { response, headers, encoding }: Received,
  limit: number,
): Effect.Effect<string, BodyBroken> => {
  const announced = Number(headers["content-length"]);
  if (announced > limit) return Effect.andThen(discard(response), tooLarge);
  const body = undiciBody(response);
  // Undici checks the announced length itself and decodes without a copy in between.
  if (body !== undefined && encoding === "identity" && announced >= 0) {
    const reading = Effect.callback<string, BodyBroken>((resume) => {
      body.text().then(
        (text) => resume(Effect.succeed(text)),
        (cause: unknown) => resume(Effect.fail(new BodyBroken({ detail: describeCause(cause) }))),
      );
      return Effect.sync(() => stop(body, response));
    });
    return (response as Partial<Watched>).applyInterrupt?.(reading) ?? reading;
  }
  return Effect.flatMap(collect(response, limit), (bytes) => {
    if (bytes === undefined) return tooLarge;
    if (encoding !== "identity") {
      return Effect.map(inflate(bytes, encoding, limit), (inflated) => decoder.decode(inflated));
    }
    if (announced >= 0 && bytes.byteLength !== announced) {
      return Effect.fail(new BodyBroken({ detail: `${bytes.byteLength} of ${announced} bytes` }));
    }
    return Effect.succeed(decoder.decode(bytes));
  });
};

const tooLarge = /*#__PURE__*/ Effect.suspend(() =>
  Effect.fail(new BodyBroken({ detail: "larger than allowed" })),
);

/**
 * All bytes, or `undefined` as soon as there are more than `limit`: a body without a length may
 * have no end either.
 */
const collect = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
): Effect.Effect<Uint8Array | undefined, BodyBroken> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = [];
    let length = 0;
    return response.stream.pipe(
      Stream.takeWhile((chunk) => {
        chunks.push(chunk);
        length += chunk.byteLength;
        return length <= limit;
      }),
      Stream.runDrain,
      Effect.mapBoth({
        onFailure: broken,
        onSuccess: () => (length > limit ? undefined : joined(chunks, length)),
      }),
    );
  });

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
};

/** Ends a body that nobody reads: it would keep its connection until it is collected. */
const discard = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  response.stream.pipe(
    Stream.takeWhile(() => false),
    Stream.runDrain,
    Effect.ignore,
  );

/**
 * Effect's wrapper aborts a response that is collected before anybody read it. Reading through it
 * takes the response off its list; one that stays there outlives many collections, and with it all
 * that hangs on it.
 */
interface Watched {
  readonly applyInterrupt: <A, E>(reading: Effect.Effect<A, E>) => Effect.Effect<A, E>;
}

interface UndiciBody {
  readonly text: () => Promise<string>;
  readonly destroy: () => void;
}

/**
 * Names the response too: one that nobody holds any more is aborted when it is collected, in the
 * middle of its body.
 */
const stop = (body: UndiciBody, _response: HttpClientResponse.HttpClientResponse) => body.destroy();

/** Undici's own reader behind Effect's wrappers, where there is one. */
const undiciBody = (response: HttpClientResponse.HttpClientResponse): UndiciBody | undefined => {
  const { original = response } = response as {
    readonly original?: HttpClientResponse.HttpClientResponse;
  };
  const { source } = original as {
    readonly source?: { readonly statusCode?: number; readonly body?: Partial<UndiciBody> };
  };
  if (source?.statusCode === undefined) return undefined;
  const { body } = source;
  return typeof body?.text === "function" && typeof body.destroy === "function"
    ? (body as UndiciBody)
    : undefined;
};

const decoder = /*#__PURE__*/ new TextDecoder();

const broken = (error: HttpClientError) => new BodyBroken({ detail: describeFailure(error) });

/** What failed, in words that hold no header and no URL. */
export const describeFailure = (error: HttpClientError): string => {
  const { reason } = error;
  const cause = (reason as { readonly cause?: unknown }).cause;
  return cause instanceof Error ? describeCause(cause) : (reason.description ?? reason._tag);
};

const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "the connection broke";
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const { code } = inner as { readonly code?: unknown };
  return typeof code === "string" && !inner.message.includes(code)
    ? `${code}: ${inner.message}`
    : inner.message;
};

type Zlib = {
  readonly gunzip: Inflate;
  readonly inflate: Inflate;
  readonly brotliDecompress: Inflate;
};
type Inflate = (
  input: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, output: Uint8Array) => void,
) => void;

/** Node's own zlib, reached without an import that a browser's bundler would trip over. */
const nodeZlib = (): Zlib | undefined =>
  (
    globalThis as {
      readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
    }
  ).process?.getBuiltinModule?.("node:zlib") as Zlib | undefined;

const inflate = (
  bytes: Uint8Array,
  encoding: string,
  limit: number,
): Effect.Effect<Uint8Array, BodyBroken> => {
  const zlib = nodeZlib();
  const method =
    encoding === "gzip" || encoding === "x-gzip"
      ? zlib?.gunzip
      : encoding === "deflate"
        ? zlib?.inflate
        : encoding === "br"
          ? zlib?.brotliDecompress
          : undefined;
  if (method) {
    return Effect.callback((resume) => {
      method(bytes, { maxOutputLength: limit }, (error, output) =>
        resume(
          error
            ? Effect.fail(new BodyBroken({ detail: `${encoding}: ${error.message}` }))
            : Effect.succeed(output),
        ),
      );
    });
  }
  return Effect.tryPromise({
    try: async () => {
      const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
        .stream()
        .pipeThrough(new DecompressionStream(encoding as "gzip"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    },
    catch: (cause) =>
      new BodyBroken({
        detail: `${encoding}: ${cause instanceof Error ? cause.message : "broken"}`,
      }),
  });
};
