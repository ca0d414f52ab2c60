/**
 * The bytes of an answer as text: inflated, bounded, and told apart from half an answer.
 */
import { Data, Effect } from "effect";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import type { HttpClientError } from "effect/http/HttpClientError";

/** The body did not arrive whole. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly detail: string }> {}

/** How the bytes that a transport hands out are still packed; fetch has unpacked them already. */
export const encodingOf = (response: HttpClientResponse.HttpClientResponse): string => {
  if (HttpClientResponse.toWeb(response)._tag === "Some") return "identity";
  return response.headers["content-encoding"]?.trim().toLowerCase() || "identity";
};

/** Without the headers that lie once the transport has unpacked the body. */
export const honestHeaders = (
  response: HttpClientResponse.HttpClientResponse,
): Readonly<Record<string, string | undefined>> => {
  if (HttpClientResponse.toWeb(response)._tag === "None") return response.headers;
  if (response.headers["content-encoding"] === undefined) return response.headers;
  const { "content-encoding": _, "content-length": __, ...rest } = response.headers;
  return rest;
};

/** The whole body as text. */
export const readText = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
): Effect.Effect<string, BodyBroken> => {
  const encoding = encodingOf(response);
  const announced = Number(response.headers["content-length"]);
  if (announced > limit) return Effect.fail(new BodyBroken({ detail: "larger than allowed" }));
  const bytes = Effect.mapError(response.arrayBuffer, broken);
  return Effect.flatMap(bytes, (buffer) => {
    const length = buffer.byteLength;
    if (encoding === "identity") {
      const isWhole =
        !(announced >= 0) ||
        HttpClientResponse.toWeb(response)._tag === "Some" ||
        length === announced;
      if (!isWhole)
        return Effect.fail(new BodyBroken({ detail: `${length} of ${announced} bytes` }));
      if (length > limit) return Effect.fail(new BodyBroken({ detail: "larger than allowed" }));
      return Effect.succeed(decoder.decode(buffer));
    }
    return Effect.map(inflate(new Uint8Array(buffer), encoding, limit), (inflated) =>
      decoder.decode(inflated),
    );
  });
};

const decoder = /*#__PURE__*/ new TextDecoder();

const broken = (error: HttpClientError) => new BodyBroken({ detail: describeFailure(error) });

/** What failed, in words that hold no header and no URL. */
export const describeFailure = (error: HttpClientError): string => {
  const { reason } = error;
  const cause = (reason as { readonly cause?: unknown }).cause;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = (inner as { readonly code?: unknown } | undefined)?.code;
  const text = inner instanceof Error ? inner.message : (reason.description ?? reason._tag);
  return typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text;
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
