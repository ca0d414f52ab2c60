/**
 * Reads a response body as text: decompresses it, enforces the size limit, detects truncation.
 */
import * as Effect from "effect/Effect";
import { ResponseMalformed, TransportError } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import { describeCause, type IncomingResponse } from "../Transport.ts";
import type { Deadline } from "./Deadline.ts";

/** The whole body. It is read once, when the effect runs. */
export const readText = (
  incoming: IncomingResponse,
  limit: number,
  facts: CallInfo,
  deadline: Deadline,
): Effect.Effect<string, GameApiError> => {
  const { encoding, headers } = incoming;
  const length = headers["content-length"];
  const announced = length === undefined ? undefined : Number(length);
  // Refused before the first byte is read; the caller then drops the connection.
  if (announced !== undefined && announced > limit) {
    return Effect.suspend(() => Effect.fail(tooLarge(facts, limit, announced)));
  }
  const isPlain = encoding === "identity";
  if (isPlain && announced !== undefined && announced >= 0 && incoming.text !== undefined) {
    return settle(() => incoming.text?.() as Promise<string>, facts, deadline);
  }
  return settle(
    async () => {
      const bytes = await collect(incoming, limit);
      if (!isPlain) return decoder.decode(await decompress(bytes, encoding, limit));
      if (announced !== undefined && announced >= 0 && bytes.byteLength !== announced) {
        throw new Error(`${bytes.byteLength} of ${announced} bytes`);
      }
      return decoder.decode(bytes);
    },
    facts,
    deadline,
  );
};

/** Runs a read whose rejections become errors of the call. The caller aborts it. */
const settle = (
  read: () => Promise<string>,
  facts: CallInfo,
  deadline: Deadline,
): Effect.Effect<string, GameApiError> =>
  deadline.race((resume) => {
    read().then(
      (text) => resume(Effect.succeed(text)),
      (cause: unknown) =>
        resume(
          Effect.fail(
            cause instanceof TooLarge
              ? tooLarge(facts, cause.limit)
              : new TransportError({
                  ...facts,
                  kind: "body",
                  detail: describeCause(cause),
                  cause,
                }),
          ),
        ),
    );
  });

class TooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super();
    this.limit = limit;
  }
}

const tooLarge = (facts: CallInfo, limit: number, announced?: number) =>
  new ResponseMalformed({
    ...facts,
    kind: "too-large",
    issue: `the body ${announced === undefined ? "is" : `announces ${announced} bytes,`} larger than the ${limit} bytes allowed`,
  });

/**
 * All bytes. It stops as soon as there are more than `limit`, because a body without a length may
 * have no end.
 */
const collect = async ({ read }: IncomingResponse, limit: number): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = [];
  let length = 0;
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
    length += chunk.byteLength;
    if (length > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return join(chunks, length);
};

const join = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
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

const decoder = /*#__PURE__*/ new TextDecoder();

type Decompress = (
  input: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: (Error & { readonly code?: string }) | null, output: Uint8Array) => void,
) => void;

type Zlib = Readonly<Record<"gunzip" | "inflate" | "brotliDecompress", Decompress>>;

const METHODS: Readonly<Record<string, keyof Zlib | undefined>> = {
  gzip: "gunzip",
  "x-gzip": "gunzip",
  deflate: "inflate",
  br: "brotliDecompress",
};

/** Node's zlib, reached without an import that a browser's bundler would fail on. */
const nodeZlib = (): Zlib | undefined =>
  (
    globalThis as {
      readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
    }
  ).process?.getBuiltinModule?.("node:zlib") as Zlib | undefined;

const decompress = (bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> => {
  const method = METHODS[encoding];
  const zlib = method && nodeZlib();
  if (!zlib) return decompressStream(bytes, encoding, limit);
  return new Promise((resolve, reject) => {
    zlib[method](bytes, { maxOutputLength: limit }, (error, output) => {
      if (!error) resolve(output);
      else if (error.code === "ERR_BUFFER_TOO_LARGE") reject(new TooLarge(limit));
      else reject(new Error(`${encoding}: ${error.message}`, { cause: error }));
    });
  });
};

const decompressStream = async (bytes: Uint8Array, encoding: string, limit: number) => {
  try {
    const reader = new Blob([bytes as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new DecompressionStream(encoding as "gzip"))
      .getReader();
    const read = async () => (await reader.read()).value;
    return await collect({ read } as unknown as IncomingResponse, limit);
  } catch (cause) {
    if (cause instanceof TooLarge) throw cause;
    throw new Error(`${encoding}: ${describeCause(cause)}`, { cause });
  }
};
