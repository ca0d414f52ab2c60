/**
 * Reads a response body as text: decompresses it, enforces the size limit, detects truncation.
 */
import { InflateError, inflateStream } from "@game-data/contract/inflate";
import { type CallInfo, ResponseMalformed, TransportError } from "../Errors.ts";
import { describeCause } from "../Transport.ts";
import type { ReceivedResponse } from "./Call.ts";

/** The whole body; rejects with an error of the call. The caller aborts what is not read. */
export const readText = async (
  { callInfo, incoming }: ReceivedResponse,
  limit: number,
): Promise<string> => {
  const { encoding, headers, read, status, text } = incoming;
  // NaN without a length.
  const announced = Number(headers["content-length"] ?? NaN);
  // Refused before the first byte is read; the caller then drops the connection.
  if (announced > limit) throw tooLarge({ ...callInfo, status }, limit, announced);
  const isPlain = encoding === "identity";
  const isCountable = isPlain && announced >= 0;
  try {
    if (text !== undefined && (isCountable || !isPlain)) return await text(limit);
    const whole = isCountable ? announced : undefined;
    return await readPieces(inflateStream(piecesOf(read), encoding, { limit }), whole);
  } catch (cause) {
    throw bodyError({ ...callInfo, status }, limit, cause);
  }
};

/** The pieces of a body, for `inflateStream`. */
export async function* piecesOf(
  read: () => Promise<Uint8Array | undefined>,
): AsyncGenerator<Uint8Array, undefined> {
  for (let piece = await read(); piece; piece = await read()) yield piece;
  return undefined;
}

/** All pieces as text; with an announced length no other. */
const readPieces = async (
  pieces: AsyncIterable<Uint8Array>,
  announced: number | undefined,
): Promise<string> => {
  const decoder = new TextDecoder();
  let length = 0;
  let empty = 0;
  let text = "";
  for await (const piece of pieces) {
    empty = countEmpty(empty, piece);
    length += piece.byteLength;
    text += decoder.decode(piece, { stream: true });
  }
  if (announced !== undefined && length !== announced) {
    throw new Error(`${length} of ${announced} bytes`);
  }
  return text + decoder.decode();
};

const MAX_EMPTY = 1000;

/** Empty pieces in a row. A body of nothing else would hold the process: no timer runs meanwhile. */
export const countEmpty = (before: number, { byteLength }: Uint8Array): number => {
  if (byteLength > 0) return 0;
  if (before >= MAX_EMPTY) throw new Error("only empty pieces");
  return before + 1;
};

/** `too-large` if the body exceeds `limit`, else a broken connection. */
export const bodyError = (
  facts: CallInfo,
  limit: number,
  cause: unknown,
): ResponseMalformed | TransportError => {
  if (cause instanceof ResponseMalformed || cause instanceof TransportError) return cause;
  return cause instanceof InflateError && cause.reason === "too-large"
    ? tooLarge(facts, limit)
    : new TransportError({ ...facts, kind: "body", detail: describeCause(cause), cause });
};

/** The error of a body that exceeds `limit`, or says that it will. */
const tooLarge = (facts: CallInfo, limit: number, announced?: number) =>
  new ResponseMalformed({
    ...facts,
    kind: "too-large",
    issue: `the body ${announced === undefined ? "is" : `announces ${announced} bytes,`} larger than the ${limit} bytes allowed`,
  });

/** The value of a JSON text; `undefined` for other text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
