/**
 * An answer whose body is still on its way, with authentication, limits and typed errors already
 * applied.
 *
 * For bodies too large or too many to decode at once. The bytes come as they arrive; the connection
 * belongs to the surrounding scope, so leaving the scope aborts it. Timeouts of the call end with
 * the headers: watch the body's pace yourself.
 */
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { ResponseInfo } from "./CallOptions.ts";
import { Transport } from "./Errors.ts";
import type { CallInfo } from "./Errors.ts";
import { describeFailure } from "./internal/readBody.ts";
import type { Received } from "./internal/readBody.ts";

/** An answer and its bytes. */
export interface RawResponse extends ResponseInfo {
  /** How `bytes` are packed: `identity`, `gzip`, …. Fetch unpacks by itself, undici does not. */
  readonly encoding: string;
  /** The bytes as they arrive, to be read once. A break is a `Transport` error of phase `body`. */
  readonly bytes: Stream.Stream<Uint8Array, Transport>;
  /** The bytes, unpacked. */
  readonly unpacked: Stream.Stream<Uint8Array, Transport>;
}

/** The raw response behind an answer. */
export const toRawResponse = (
  { response, encoding }: Received,
  info: ResponseInfo,
  about: CallInfo,
): RawResponse => {
  const broken = (detail: string) =>
    new Transport({ ...about, status: response.status, phase: "body", detail });
  const bytes = Stream.mapError(response.stream, (error) => broken(describeFailure(error)));
  return {
    ...info,
    encoding,
    bytes,
    unpacked: encoding === "identity" ? bytes : unpack(bytes, encoding, broken),
  };
};

const unpack = (
  bytes: Stream.Stream<Uint8Array, Transport>,
  encoding: string,
  broken: (detail: string) => Transport,
): Stream.Stream<Uint8Array, Transport> =>
  Stream.unwrap(
    Effect.map(Stream.toReadableStreamEffect(bytes), (readable) =>
      Stream.fromReadableStream({
        evaluate: () =>
          (readable as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
            new DecompressionStream(encoding as "gzip"),
          ),
        onError: (cause) =>
          cause instanceof Transport
            ? cause
            : broken(cause instanceof Error ? `${encoding}: ${cause.message}` : encoding),
      }),
    ),
  );
