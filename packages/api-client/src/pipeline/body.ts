/**
 * Reads a response body as text: decompresses it, enforces the size limit, detects truncation.
 */
import { inflateStream } from "@game-data/contract/inflate";
import * as Effect from "effect/Effect";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { IncomingResponse } from "../Transport.ts";
import { bodyError, tooLarge } from "./bodyError.ts";
import type { Deadline } from "./Deadline.ts";

/** The whole body. It is read once, when the effect runs. */
export const readText = (
  incoming: IncomingResponse,
  limit: number,
  facts: CallInfo,
  deadline: Deadline,
): Effect.Effect<string, GameApiError> => {
  const { encoding, headers, read, text } = incoming;
  // NaN without a length.
  const announced = Number(headers["content-length"] ?? NaN);
  // Refused before the first byte is read; the caller then drops the connection.
  if (announced > limit) {
    return Effect.suspend(() => Effect.fail(tooLarge(facts, limit, announced)));
  }
  const isPlain = encoding === "identity";
  const isCountable = isPlain && announced >= 0;
  if (text !== undefined && (isCountable || !isPlain)) {
    return settle(() => text(limit), limit, facts, deadline);
  }
  const whole = isCountable ? announced : undefined;
  return settle(
    () => readPieces(inflateStream(read, encoding, { limit }), whole),
    limit,
    facts,
    deadline,
  );
};

/** Runs a read whose rejections become errors of the call. The caller aborts it. */
const settle = (
  read: () => Promise<string>,
  limit: number,
  facts: CallInfo,
  deadline: Deadline,
): Effect.Effect<string, GameApiError> =>
  deadline.race((resume) => {
    read().then(
      (text) => resume(Effect.succeed(text)),
      (cause: unknown) => resume(Effect.fail(bodyError(facts, limit, cause))),
    );
  });

/** All pieces as text; with an announced length no other. */
const readPieces = async (
  pieces: AsyncIterable<Uint8Array>,
  announced: number | undefined,
): Promise<string> => {
  const decoder = new TextDecoder();
  let length = 0;
  let text = "";
  for await (const piece of pieces) {
    length += piece.byteLength;
    text += decoder.decode(piece, { stream: true });
  }
  if (announced !== undefined && length !== announced) {
    throw new Error(`${length} of ${announced} bytes`);
  }
  return text + decoder.decode();
};
