/**
 * The bytes of an answer as text: inflated, bounded, and told apart from half an answer.
 */
import { Data, Effect } from "effect";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import type { HttpClientError } from "effect/http/HttpClientError";

/** The body did not arrive whole. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly detail: string }> {}

/** An answer with its headers read once: transports build them anew at every look. */
export interface Received {
  readonly response: HttpClientResponse.HttpClientResponse;
  /** Without those that lie once the transport has unpacked the body. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** How the bytes that the transport hands out are still packed. Fetch has unpacked them already, undici has not. */
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

/** The whole body as text. */
export const readText = (
  { response, headers, encoding }: Received,
  limit: number,
): Effect.Effect<string, BodyBroken> => {
  const announced = Number(headers["content-length"]);
  if (announced > limit) return Effect.fail(new BodyBroken({ detail: "larger than allowed" }));
  const body = undiciBody(response);
  // Undici checks the announced length itself and decodes without a copy in between.
  if (body !== undefined && encoding === "identity" && announced >= 0) {
    return Effect.callback<string, BodyBroken>((resume) => {
      body.text().then(
        (text) => resume(Effect.succeed(text)),
        (cause: unknown) => resume(Effect.fail(new BodyBroken({ detail: describeCause(cause) }))),
      );
      return Effect.sync(() => stop(body, response));
    });
  }
  return Effect.flatMap(Effect.mapError(response.arrayBuffer, broken), (buffer) => {
    const length = buffer.byteLength;
    if (encoding !== "identity") {
      return Effect.map(inflate(new Uint8Array(buffer), encoding, limit), (inflated) =>
        decoder.decode(inflated),
      );
    }
    if (announced >= 0 && length !== announced) {
      return Effect.fail(new BodyBroken({ detail: `${length} of ${announced} bytes` }));
    }
    if (length > limit) return Effect.fail(new BodyBroken({ detail: "larger than allowed" }));
    return Effect.succeed(decoder.decode(buffer));
  });
};

interface UndiciBody {
  readonly text: () => Promise<string>;
  readonly destroy: () => void;
}

/** Names the response too: one that nobody holds any more is aborted when it is collected, in the middle of its body. */
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
